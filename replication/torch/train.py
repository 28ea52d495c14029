#!/usr/bin/env python3
"""An independent check: the LSTMs of Tallec & Ollivier (2018), Section 3, in PyTorch, written from the paper.

    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch==2.9.1
    /tmp/torch/bin/python replication/torch/train.py adding adding.json
    /tmp/torch/bin/python replication/torch/train.py copy copy.json

Each takes a few minutes on two cores, and writes what was run and the training curves to a new file.
Committed results are compared with our own runs of the same sizes by the claim warp/beyond-torch.implementations-agree.
"""

import argparse
import json
import math
import multiprocessing
import pathlib
import platform
import sys
import time

import torch

HIDDEN, BATCH, SEEDS, UPDATES = 64, 32, 3, 2000
RATE, ALPHA = 4e-3, 0.9  # of RMSprop; the paper's network has 128 units and a rate of 1e-3
WINDOW = 20  # updates between two points of a curve, each the mean loss over them


class Adding:
    """Numbers in [0, 1] beside a mark at one step of each half; the target is the sum of the two marked numbers."""

    steps = 200
    tmax = 200
    features, outputs = 2, 1
    memoryless = 1 / 6  # the variance of a sum of two uniform numbers: what a model that says 1 is wrong by

    def batch(self):
        numbers, marks = torch.rand(self.steps, BATCH), torch.zeros(self.steps, BATCH)
        half, sequence = self.steps // 2, torch.arange(BATCH)
        marks[torch.randint(half, (BATCH,)), sequence] = 1
        marks[half + torch.randint(half, (BATCH,)), sequence] = 1
        return torch.stack([numbers, marks], 2), (numbers * marks).sum(0)

    def loss(self, outputs, target):
        return torch.nn.functional.mse_loss(outputs[-1, :, 0], target)


class Copy:
    """Ten letters of eight, T - 1 dummies, a signal and ten dummies; the letters are to be written after the signal."""

    T, letters, dummy, signal = 50, 8, 8, 9
    steps = T + 20
    tmax = 1.5 * T
    features, outputs = 10, 10
    memoryless = 10 * math.log(letters) / steps  # nats a step: the dummies are certain, each letter is guessed

    def batch(self):
        letters = torch.randint(self.letters, (10, BATCH))
        x, y = torch.full((self.steps, BATCH), self.dummy), torch.full((self.steps, BATCH), self.dummy)
        x[:10], x[self.T + 9], y[-10:] = letters, self.signal, letters
        return torch.nn.functional.one_hot(x, self.features).float(), y

    def loss(self, outputs, target):
        return torch.nn.functional.cross_entropy(outputs.flatten(0, 1), target.flatten())


def network(task, chrono):
    """An LSTM and a read-out. The paper gives no initial weights: recurrent ones are orthogonal, others Glorot's."""
    lstm, read_out = torch.nn.LSTM(task.features, HIDDEN), torch.nn.Linear(HIDDEN, task.outputs)
    for gate in range(4):
        rows = slice(gate * HIDDEN, (gate + 1) * HIDDEN)
        torch.nn.init.orthogonal_(lstm.weight_hh_l0.data[rows])
        torch.nn.init.xavier_uniform_(lstm.weight_ih_l0.data[rows])
    torch.nn.init.xavier_uniform_(read_out.weight)
    torch.nn.init.zeros_(read_out.bias)
    bias = torch.zeros(4, HIDDEN)  # of the input, forget, cell and output gates, in PyTorch's order
    if chrono:  # equation (16)
        bias[1] = torch.log(torch.empty(HIDDEN).uniform_(1, task.tmax - 1))
        bias[0] = -bias[1]
    else:
        bias[1] = 1
    lstm.bias_ih_l0.data = bias.flatten()
    lstm.bias_hh_l0.data.zero_()
    lstm.bias_hh_l0.requires_grad = False  # PyTorch adds two biases; the equations have one
    return lstm, read_out


def train(task, chrono, seed):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    lstm, read_out = network(task, chrono)
    weights = [w for m in (lstm, read_out) for w in m.parameters() if w.requires_grad]
    optimizer = torch.optim.RMSprop(weights, RATE, ALPHA)
    losses, total = [], 0.0
    for update in range(1, UPDATES + 1):
        inputs, target = task.batch()
        optimizer.zero_grad()
        loss = task.loss(read_out(lstm(inputs)[0]), target)
        loss.backward()
        optimizer.step()
        total += loss.item()
        if update % WINDOW == 0:
            losses.append(float(f"{total / WINDOW:.6g}"))
            total = 0.0
    print(f"{'chrono' if chrono else 'standard'}, seed {seed}: loss {losses[-1]:.3g} after {UPDATES} updates",
          file=sys.stderr)
    return {"arm": "chrono" if chrono else "standard", "seed": seed, "losses": losses}


def main():
    parser = argparse.ArgumentParser(description="Trains LSTMs with standard and with chrono initialization.")
    parser.add_argument("task", choices=["adding", "copy"])
    parser.add_argument("out", type=pathlib.Path, help="a new file for the result")
    arguments = parser.parse_args()
    if arguments.out.exists():
        parser.error(f"{arguments.out} exists: name a new file")
    task, began = {"adding": Adding, "copy": Copy}[arguments.task](), time.time()
    with multiprocessing.Pool() as pool:  # a process for each core, one trial at a time
        trials = pool.starmap(train, [(task, chrono, seed) for chrono in (False, True) for seed in range(SEEDS)], 1)
    arguments.out.write_text(json.dumps({
        "task": arguments.task, "steps": task.steps, "tmax": task.tmax, "hidden": HIDDEN, "batch": BATCH,
        "rate": RATE, "alpha": ALPHA, "updates": UPDATES, "window": WINDOW, "memoryless": task.memoryless,
        "torch": torch.__version__, "python": platform.python_version(), "machine": platform.machine(),
        "seconds": round(time.time() - began), "trials": trials,
    }) + "\n")


if __name__ == "__main__":
    main()
