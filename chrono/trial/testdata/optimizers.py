"""Runs PyTorch's optimizers in float64, each trial by itself, and prints the numbers after every update.

Standard input: JSON with theta, a and c, each [R, 5], updates, and optimizers: a list of method (RMSprop, Adam or SGD) with
its settings by PyTorch's names, rates [R], clip, and decay. A trial's loss is sum(a*theta^4/4 + c*theta) + decay/2*sum(theta^2).
Standard output: JSON with theta [optimizers][updates][R][5].

The norm is clipped by hand, since torch.nn.utils.clip_grad_norm_ divides by the norm + 1e-6.
"""
import json
import sys

import torch

given = json.load(sys.stdin)


def train(optimizer, r):
    theta = torch.tensor(given["theta"][r], dtype=torch.float64)
    a = torch.tensor(given["a"][r], dtype=torch.float64)
    c = torch.tensor(given["c"][r], dtype=torch.float64)
    weights = [theta[:2].clone().requires_grad_(), theta[2:].clone().requires_grad_()]
    method = getattr(torch.optim, optimizer["method"])(weights, lr=optimizer["rates"][r], **optimizer["settings"])
    after = []
    for _ in range(given["updates"]):
        method.zero_grad()
        theta = torch.cat(weights)
        ((a * theta**4 / 4 + c * theta).sum() + optimizer["decay"] / 2 * (theta**2).sum()).backward()
        norm = torch.cat([w.grad for w in weights]).norm()
        if optimizer["clip"] and norm > optimizer["clip"]:
            for w in weights:
                w.grad *= optimizer["clip"] / norm
        method.step()
        after.append(torch.cat(weights).tolist())
    return after


result = []
for optimizer in given["optimizers"]:
    trials = [train(optimizer, r) for r in range(len(given["theta"]))]
    result.append([[trial[n] for trial in trials] for n in range(given["updates"])])
json.dump(result, sys.stdout)
