#!/usr/bin/env python3
"""An independent check: the LSTMs of Tallec & Ollivier (2018), Section 3, in PyTorch, written from the paper.

    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch==2.9.1
    /tmp/torch/bin/python replication/torch/train.py adding200 adding200.json
    /tmp/torch/bin/python replication/torch/train.py copy50 copy50.json
    /tmp/torch/bin/python replication/torch/train.py copy500 copy500.json
    /tmp/torch/bin/python replication/torch/train.py copy1000 copy1000.json

Each takes a few minutes on two cores, and writes what was run and the training curves to a new file. Committed results
are compared with our own runs of the same sizes by the claims warp/beyond-torch.implementations-agree (the first two)
and warp/beyond-trace.torch-agrees.
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

BATCH, UPDATES = 32, 2000
ALPHA = 0.9  # of RMSprop
WINDOW = 20  # updates between two points of a curve, each the mean loss over them


class Smaller:
    """Sizes that take minutes: the paper's network has 128 units and a rate of 1e-3."""

    hidden, rate, seeds = 64, 4e-3, 3
    arms = {"standard": (False, None), "chrono": (True, None)}  # chrono or not; the deviation of input weights


class Adding(Smaller):
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


class Copy(Smaller):
    """Ten letters of eight, T - 1 dummies, a signal and ten dummies; the letters are to be written after the signal."""

    letters, dummy, signal = 8, 8, 9
    features, outputs = 10, 10

    def __init__(self, T):
        self.T, self.steps, self.tmax = T, T + 20, 1.5 * T
        self.memoryless = 10 * math.log(self.letters) / self.steps  # nats a step: dummies are certain, letters guessed

    def batch(self):
        letters = torch.randint(self.letters, (10, BATCH))
        x, y = torch.full((self.steps, BATCH), self.dummy), torch.full((self.steps, BATCH), self.dummy)
        x[:10], x[self.T + 9], y[-10:] = letters, self.signal, letters
        return torch.nn.functional.one_hot(x, self.features).float(), y

    def loss(self, outputs, target):
        return torch.nn.functional.cross_entropy(outputs.flatten(0, 1), target.flatten())


class LongCopy(Copy):
    """The paper's network, with input weights of two sizes."""

    hidden, rate, seeds = 128, 1e-3, 1
    arms = {"inputs-0_1": (True, 0.1), "inputs-1": (True, 1.0)}


def network(task, chrono, deviation):
    """An LSTM and a read-out. The paper gives no initial weights: recurrent ones are orthogonal, others Glorot's; input
    weights are normal where they have a deviation."""
    hidden = task.hidden
    lstm, read_out = torch.nn.LSTM(task.features, hidden), torch.nn.Linear(hidden, task.outputs)
    for gate in range(4):
        rows = slice(gate * hidden, (gate + 1) * hidden)
        torch.nn.init.orthogonal_(lstm.weight_hh_l0.data[rows])
        torch.nn.init.xavier_uniform_(lstm.weight_ih_l0.data[rows])
    if deviation:
        torch.nn.init.normal_(lstm.weight_ih_l0, std=deviation)
    torch.nn.init.xavier_uniform_(read_out.weight)
    torch.nn.init.zeros_(read_out.bias)
    bias = torch.zeros(4, hidden)  # of the input, forget, cell and output gates, in PyTorch's order
    if chrono:  # equation (16)
        bias[1] = torch.log(torch.empty(hidden).uniform_(1, task.tmax - 1))
        bias[0] = -bias[1]
    else:
        bias[1] = 1
    lstm.bias_ih_l0.data = bias.flatten()
    lstm.bias_hh_l0.data.zero_()
    lstm.bias_hh_l0.requires_grad = False  # PyTorch adds two biases; the equations have one
    return lstm, read_out


def train(task, arm, seed):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    lstm, read_out = network(task, *task.arms[arm])
    weights = [w for m in (lstm, read_out) for w in m.parameters() if w.requires_grad]
    optimizer = torch.optim.RMSprop(weights, task.rate, ALPHA)
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
    print(f"{arm}, seed {seed}: loss {losses[-1]:.3g} after {UPDATES} updates", file=sys.stderr)
    return {"arm": arm, "seed": seed, "losses": losses}


def main():
    parser = argparse.ArgumentParser(description="Trains LSTMs from different initial weights and biases.")
    tasks = {"adding200": Adding(), "copy50": Copy(50), "copy500": LongCopy(500), "copy1000": LongCopy(1000)}
    parser.add_argument("task", choices=tasks)
    parser.add_argument("out", type=pathlib.Path, help="a new file for the result")
    arguments = parser.parse_args()
    if arguments.out.exists():
        parser.error(f"{arguments.out} exists: name a new file")
    task, began = tasks[arguments.task], time.time()
    with multiprocessing.Pool() as pool:  # a process for each core, one trial at a time
        trials = pool.starmap(train, [(task, arm, seed) for arm in task.arms for seed in range(task.seeds)], 1)
    arguments.out.write_text(json.dumps({
        "task": arguments.task, "steps": task.steps, "tmax": task.tmax, "hidden": task.hidden, "batch": BATCH,
        "rate": task.rate, "alpha": ALPHA, "updates": UPDATES, "window": WINDOW, "memoryless": task.memoryless,
        "torch": torch.__version__, "python": platform.python_version(), "machine": platform.machine(),
        "seconds": round(time.time() - began), "trials": trials,
    }) + "\n")


if __name__ == "__main__":
    main()
