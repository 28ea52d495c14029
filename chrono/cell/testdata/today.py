"""Runs one of today's recurrences with PyTorch in float64, as its paper writes it, and prints its outputs and gradients.

Standard input: JSON with kind ("mingru", "rglru", "selective", "lru", "lstm" or "gru", the last two with layer
normalization), x [T,B,I], the states h, h and c, or re and im, and the weights as chrono/cell lays them out. Standard output: JSON with outputs, and the gradients of sum(sin(0..n-1) * outputs)
for every tensor given.
"""
import json
import sys

import torch
from torch.nn.functional import layer_norm, softplus

given = json.load(sys.stdin)
kind = given.pop("kind")
given = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in given.items()}


def affine(blocks):
    return (given["x"] @ given["input"] + given["bias"]).chunk(blocks, dim=-1)


def normed(v, gain, shift=None):
    return layer_norm(v, v.shape[-1:], given[gain], shift)


outputs = []
if kind == "lru":
    h = torch.complex(given["re"], given["im"])
    decay = torch.exp(torch.complex(-torch.exp(given["decay"]), torch.exp(given["angle"])))
    B = torch.complex(*given["input"].chunk(2, dim=-1))
    for x in given["x"]:
        h = decay * h + torch.exp(given["scale"]) * (x.to(B.dtype) @ B)
        outputs.append(torch.cat([h.real, h.imag], -1))
elif kind == "selective":
    h = given["h"]
    v, delta = affine(2)
    A = -torch.exp(given["decay"]).reshape(h.shape[1:])
    for v, delta, x in zip(v, softplus(delta), given["x"]):
        h = torch.exp(delta[:, None] * A) * h + torch.einsum("bh,bn->bnh", delta * v, x @ given["in"])
        outputs.append(torch.einsum("bnh,bn->bh", h, x @ given["out"]) + given["skip"] * v)
elif kind == "lstm":
    h, c = given["h"], given["c"]
    for x in given["x"]:
        z = normed(x @ given["input"], "input gain") + normed(h @ given["recurrent"], "recurrent gain") + given["bias"]
        i, f, g, o = z.chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(normed(c, "cell gain", given["cell shift"]))
        outputs.append(h)
elif kind == "gru":
    h = given["h"]
    for x in given["x"]:
        z = normed(x @ given["gate input"], "gate input gain") + normed(h @ given["gate recurrent"], "gate recurrent gain")
        r, g = torch.sigmoid(z + given["gate bias"]).chunk(2, dim=-1)
        candidate = normed(x @ given["input"], "input gain") + given["bias"]
        if "recurrent bias" in given:
            candidate = candidate + r * (normed(h @ given["recurrent"], "recurrent gain") + given["recurrent bias"])
        else:
            candidate = candidate + normed((r * h) @ given["recurrent"], "recurrent gain")
        h = g * torch.tanh(candidate) + (1 - g) * h
        outputs.append(h)
else:
    h = given["h"]
    if kind == "mingru":
        candidate, z = affine(2)
        z = torch.sigmoid(z)
        a, u = 1 - z, z * candidate
    else:
        candidate, r, i = affine(3)
        a = torch.exp(-8 * softplus(given["decay"]) * torch.sigmoid(r))
        u = torch.sqrt(1 - a ** 2) * torch.sigmoid(i) * candidate
    for a, u in zip(a, u):
        h = a * h + u
        outputs.append(h)
outputs = torch.stack(outputs)
weight = torch.sin(torch.arange(outputs.numel(), dtype=torch.float64)).reshape(outputs.shape)
(weight * outputs).sum().backward()
result = {name: tensor.grad.flatten().tolist() for name, tensor in given.items()}
result["outputs"] = outputs.flatten().tolist()
json.dump(result, sys.stdout)
