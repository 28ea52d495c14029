"""Runs modules of PyTorch, each of two layers in both directions, whose weights are in npz files.

Standard input is a request in JSON: the inputs x [B, T, I], and under the name of each module (RNN, LSTM or GRU) the
path of its file. The reply has the outputs y of each by name.
"""

import json
import sys

import numpy
import torch

torch.set_default_dtype(torch.float64)
request = json.load(sys.stdin)
x = torch.tensor(request.pop("x"))
reply = {}
for name, path in request.items():
    arrays = {name: torch.from_numpy(array) for name, array in numpy.load(path).items()}
    hidden = arrays["weight_hh_l0"].shape[1]
    module = getattr(torch.nn, name)(x.shape[2], hidden, num_layers=2, bidirectional=True, batch_first=True)
    module.load_state_dict(arrays)
    reply[name] = module(x)[0].flatten().tolist()
json.dump(reply, sys.stdout)
