"""Runs an LSTM with recurrent batch normalization (Cooijmans et al. 2017) with PyTorch's own batch normalization in
float64, and prints its outputs and gradients.

Standard input: JSON with x [T,B,I], h and c [B,H], input [I,4H], recurrent [H,4H], "recurrent gain", "recurrent shift"
and "input gain" [4H], "cell gain" and "cell shift" [H], the gates in the order i, f, g, o; and the number epsilon.
Standard output: JSON with outputs, h [T,B,H], and the gradients of sum(sin(0..n-1) * h) for every tensor given.
"""
import json
import sys

import torch

given = json.load(sys.stdin)
epsilon = given.pop("epsilon")
given = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in given.items()}


def normalized(v, gain, shift=None):
    return torch.nn.functional.batch_norm(
        v, None, None, given[gain], None if shift is None else given[shift], training=True, eps=epsilon)


h, c, outputs = given["h"], given["c"], []
for x in given["x"]:
    z = normalized(h @ given["recurrent"], "recurrent gain", "recurrent shift")
    z = z + normalized(x @ given["input"], "input gain")
    i, f, g, o = z.chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(normalized(c, "cell gain", "cell shift"))
    outputs.append(h)
h = torch.stack(outputs)
weight = torch.sin(torch.arange(h.numel(), dtype=torch.float64)).reshape(h.shape)
(weight * h).sum().backward()
result = {name: tensor.grad.flatten().tolist() for name, tensor in given.items()}
result["outputs"] = h.flatten().tolist()
json.dump(result, sys.stdout)
