"""Runs a network of fast weights (Ba et al. 2016) with PyTorch in float64, and prints its outputs and gradients.

Standard input: JSON with x [T,B,I], h [B,H], A [B,H,H], input [I,H], bias [H], recurrent [H,H], gain and shift [H]; and the
numbers decay, rate, epsilon, inner, and preliminary (0 or 1). The activation is ReLU.
Standard output: JSON with h [T,B,H], and the gradients of sum(sin(0..n-1) * h) for every tensor given.
"""
import json
import sys

import torch

given = json.load(sys.stdin)
numbers = {name: value for name, value in given.items() if not isinstance(value, list)}
given = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True)
         for name, value in given.items() if isinstance(value, list)}
h, A = given["h"], given["A"]


def learn(A, h):
    return numbers["decay"] * A + numbers["rate"] * torch.einsum("bi,bj->bij", h, h)


outputs = []
for x in given["x"]:
    z = x @ given["input"] + h @ given["recurrent"] + given["bias"]
    h = torch.relu(z)
    if numbers["preliminary"]:
        A = learn(A, h)
    for _ in range(int(numbers["inner"])):
        sums = z + torch.einsum("bij,bj->bi", A, h)
        h = torch.relu(torch.nn.functional.layer_norm(
            sums, sums.shape[-1:], given["gain"], given["shift"], numbers["epsilon"]))
    if not numbers["preliminary"]:
        A = learn(A, h)
    outputs.append(h)
h = torch.stack(outputs)
weight = torch.sin(torch.arange(h.numel(), dtype=torch.float64)).reshape(h.shape)
(weight * h).sum().backward()
result = {name: tensor.grad.flatten().tolist() for name, tensor in given.items()}
result["outputs"] = h.flatten().tolist()
json.dump(result, sys.stdout)
