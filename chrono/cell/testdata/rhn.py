"""Runs a recurrent highway network (Zilly et al. 2017) with PyTorch in float64, and prints its outputs and gradients.

Standard input: JSON with x [T,B,I], h [B,H], mask [H], input [I,2H], bias [2H], recurrent [H,2H], and for each layer l
from 2 on "bias l" [2H] and "recurrent l" [H,2H]; candidate and transform gate side by side.
Standard output: JSON with outputs, h [T,B,H], and the gradients of sum(sin(0..n-1) * h) for every tensor given.
"""
import json
import sys

import torch

given = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True)
         for name, value in json.load(sys.stdin).items()}
s, outputs = given["h"], []
for x in given["x"]:
    z = x @ given["input"] + (s * given["mask"]) @ given["recurrent"] + given["bias"]
    layer = 1
    while True:
        candidate, transform = z.chunk(2, dim=-1)
        s = torch.lerp(s, torch.tanh(candidate), torch.sigmoid(transform))
        layer += 1
        if f"bias {layer}" not in given:
            break
        z = torch.nn.functional.linear(s * given["mask"], given[f"recurrent {layer}"].T, given[f"bias {layer}"])
    outputs.append(s)
h = torch.stack(outputs)
weight = torch.sin(torch.arange(h.numel(), dtype=torch.float64)).reshape(h.shape)
(weight * h).sum().backward()
result = {name: tensor.grad.flatten().tolist() for name, tensor in given.items()}
result["outputs"] = h.flatten().tolist()
json.dump(result, sys.stdout)
