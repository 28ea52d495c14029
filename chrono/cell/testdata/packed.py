"""Writes packed.npz: layers of PyTorch that run over packed sequences of unequal length, in float64; and
packed.safetensors, their weights alone.

    pip install torch safetensors && python3 packed.py

For the cells LSTM, GRU and RNN, under the names "lstm/...", "gru/..." and "rnn/...": the state_dict of two layers in
two directions, and their outputs y and last states h (and c) for the same x [B, T, I] and lengths [B]; and the gradient
of x, of the sum of sin(n)*y[n] over all elements n of y.
"""

import os

import numpy
import safetensors.torch
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)
batch, steps, inputs, hidden = 3, 7, 2, 4
lengths = torch.tensor([7, 2, 5])
x = torch.randn(batch, steps, inputs)
weights = {}
out = {"x": x.numpy().copy(), "lengths": lengths.numpy()}
for name, kind in (("lstm", nn.LSTM), ("gru", nn.GRU), ("rnn", nn.RNN)):
    layers = kind(inputs, hidden, num_layers=2, bidirectional=True, batch_first=True)
    seen = x.clone().requires_grad_()
    packed = pack_padded_sequence(seen, lengths, batch_first=True, enforce_sorted=False)
    y, final = layers(packed)
    y, _ = pad_packed_sequence(y, batch_first=True, total_length=steps)
    (torch.sin(torch.arange(y.numel()).reshape(y.shape)) * y).sum().backward()
    arrays = {"y": y, "gradient": seen.grad}
    arrays.update(zip("hc", final if name == "lstm" else (final,)))
    arrays.update(layers.state_dict())
    weights.update({f"{name}.{key}": value for key, value in layers.state_dict().items()})
    out.update({f"{name}/{key}": value.detach().numpy() for key, value in arrays.items()})
folder = os.path.dirname(__file__)
numpy.savez_compressed(os.path.join(folder, "packed.npz"), **out)
safetensors.torch.save_file(weights, os.path.join(folder, "packed.safetensors"))
