"""Runs torch.nn.LSTM on one sequence per batch entry, in float64, and prints its outputs and gradients.

Standard input: JSON with x [T,B,I], and input [I,4H], bias [4H], recurrent [H,4H] with the gates in the order i, f, c, o.
Standard output: JSON with h [T,B,H] and the gradients of sum(sin(0..n-1) * h) in the layout of the weights.
"""
import json
import sys

import torch

given = {name: torch.tensor(value, dtype=torch.float64) for name, value in json.load(sys.stdin).items()}
inputs, hidden = given["input"].shape[0], given["recurrent"].shape[0]
lstm = torch.nn.LSTM(inputs, hidden).double()
with torch.no_grad():
    lstm.weight_ih_l0.copy_(given["input"].T)
    lstm.weight_hh_l0.copy_(given["recurrent"].T)
    lstm.bias_ih_l0.copy_(given["bias"])
    lstm.bias_hh_l0.zero_()
h, _ = lstm(given["x"])
weight = torch.sin(torch.arange(h.numel(), dtype=torch.float64)).reshape(h.shape)
(weight * h).sum().backward()
json.dump({
    "h": h.flatten().tolist(),
    "input": lstm.weight_ih_l0.grad.T.flatten().tolist(),
    "bias": lstm.bias_ih_l0.grad.tolist(),
    "recurrent": lstm.weight_hh_l0.grad.T.flatten().tolist(),
}, sys.stdout)
