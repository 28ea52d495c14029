"""Loads arrays into layers of PyTorch as their state_dict, and runs them over x.

Standard input: JSON with kind ("LSTM", "GRU" or "RNN"), inputs, hidden, layers, x [B, T, I] and arrays, a list of each
by its name. Standard output: JSON with the outputs y [B, T, 2H] of layers in two directions.
"""
import json
import sys

import torch

given = json.load(sys.stdin)
torch.set_default_dtype(torch.float64)
layers = getattr(torch.nn, given["kind"])(given["inputs"], given["hidden"], num_layers=given["layers"],
                                          bidirectional=True, batch_first=True)
layers.load_state_dict({name: torch.tensor(value) for name, value in given["arrays"].items()})
y, _ = layers(torch.tensor(given["x"]))
json.dump({"y": y.flatten().tolist()}, sys.stdout)
