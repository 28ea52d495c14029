#!/usr/bin/env python3
"""Time a training step of PyTorch's, beside which scripts/bench.sh puts this project's.

The model reads 10 symbols one-hot, T steps long, and predicts one of 10 classes at every step: a recurrent layer of H
units, a linear layer, cross entropy, back-propagation, RMSprop (learning rate 1e-3, smoothing 0.9). The data is random
and made before the clock starts.

Prints one line of JSON; "ms" is the median time of a step, "cpu_ms" that of all threads' processor time: on a busy machine
and with one thread, it is the better guide.

Where PyTorch computes with OpenBLAS, two of OpenBLAS's habits would make the comparison unfair: it takes as many threads as
the machine has, whatever PyTorch is told, and on a processor newer than itself it falls back to code from before AVX. Both
are corrected here, unless the environment says otherwise.
"""

import argparse
import json
import os
import statistics
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cell", choices=["lstm", "gated"], default="lstm")
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--length", type=int, default=500)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--blas-threads", type=int, help="OpenBLAS's own threads; as many as --threads if not given")
    parser.add_argument("--steps", type=int, default=9, help="timed steps, after three more to warm up")
    args = parser.parse_args()
    args.blas_threads = args.blas_threads or args.threads
    return args


def set_up_openblas(threads):
    """OpenBLAS reads its environment when it is loaded, hence before PyTorch is imported."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(threads))
    try:
        with open("/proc/cpuinfo") as f:
            flags = f.read()
    except OSError:
        return
    if "avx512dq" in flags:
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
    elif "avx2" in flags:
        os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")


args = arguments()
set_up_openblas(args.blas_threads)

import torch  # noqa: E402
from torch import nn  # noqa: E402

SYMBOLS = 10


class LSTM(nn.Module):
    """nn.LSTM, the fastest that PyTorch has on a CPU."""

    def __init__(self, hidden):
        super().__init__()
        self.lstm = nn.LSTM(SYMBOLS, hidden)
        self.out = nn.Linear(hidden, SYMBOLS)

    def encode(self, symbols):
        return nn.functional.one_hot(symbols, SYMBOLS).float()

    def forward(self, x):
        return self.out(self.lstm(x)[0])


@torch.jit.script
def gated_steps(projected, recurrent, hidden: int):
    """The loop of the gated network. projected: [T, B, 2H], what the input and the bias give to gates and candidates."""
    state = torch.zeros(projected.size(1), hidden)
    states = []
    for z in projected.unbind(0):
        z = torch.addmm(z, state, recurrent)
        gate, candidate = z.chunk(2, 1)
        state = torch.lerp(state, torch.tanh(candidate), torch.sigmoid(gate))
        states.append(state)
    return torch.stack(states)


class Gated(nn.Module):
    """The gated network h' = g * tanh(Wx x + Wh h + b) + (1 - g) * h, where g = sigmoid(Wgx x + Wgh h + bg).

    Both products with h are one, and those with x are a table's rows, looked up for all steps at once.
    """

    def __init__(self, hidden):
        super().__init__()
        self.hidden = hidden
        self.table = nn.Embedding(SYMBOLS, 2 * hidden)
        self.bias = nn.Parameter(torch.zeros(2 * hidden))
        self.recurrent = nn.Parameter(torch.randn(hidden, 2 * hidden) / hidden**0.5)
        self.out = nn.Linear(hidden, SYMBOLS)

    def encode(self, symbols):
        return symbols

    def forward(self, x):
        return self.out(gated_steps(self.table(x) + self.bias, self.recurrent, self.hidden))


def main():
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    model = (LSTM if args.cell == "lstm" else Gated)(args.hidden)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, alpha=0.9)
    x = model.encode(torch.randint(SYMBOLS, (args.length, args.batch)))
    y = torch.randint(SYMBOLS, (args.length * args.batch,))

    times, cpu_times = [], []
    for _ in range(3 + args.steps):
        start, cpu_start = time.perf_counter(), time.process_time()
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(model(x).view(-1, SYMBOLS), y)
        loss.backward()
        optimizer.step()
        times.append(1e3 * (time.perf_counter() - start))
        cpu_times.append(1e3 * (time.process_time() - cpu_start))
    times, cpu_times = times[3:], cpu_times[3:]
    print(json.dumps({
        "peer": "pytorch " + torch.__version__, "cell": args.cell, "hidden": args.hidden, "batch": args.batch,
        "length": args.length, "threads": args.threads, "blas_threads": args.blas_threads, "ms": round(statistics.median(times), 2),
        "ms_min": round(min(times), 2), "ms_max": round(max(times), 2),
        "cpu_ms": round(statistics.median(cpu_times), 2), "steps": args.steps, "loss": round(loss.item(), 4),
    }))


if __name__ == "__main__":
    main()
