#!/usr/bin/env python3
"""Time a training update of PyTorch's, beside which scripts/bench.sh puts this project's.

The model reads 10 symbols, T steps long, and predicts one of 10 at every step: a recurrent layer of H units, a linear
layer, cross entropy, back-propagation, RMSprop (learning rate 1e-3, smoothing 0.9). The data is random and made before
the clock starts. The LSTM is nn.LSTM, the fastest that PyTorch has on a CPU; the gated network is a loop over time, its
trials side by side in batched products. Minimal GRUs and selective state spaces are a loop over time, or an associative
scan.

The other models are a perceptron, a small convolutional network for images of 28 by 28 pixels, and a transformer, out
of PyTorch's own layers, with Adam (learning rate 1e-3), as scripts/bench/programs_test.go has them out of GoMLX's.

With --step, the clock is on one step of time of an LSTM, a minimal GRU or a selective state space, from the state
after the step before, without gradients.

Prints one line of JSON; "ms" is the median time of an update, or of a step.

Where PyTorch computes with OpenBLAS, as Debian's does, two of OpenBLAS's habits would make the comparison unfair: it
takes as many threads as the machine has, whatever PyTorch is told, and on a processor newer than itself it falls back
to code from before AVX. Both are corrected here, unless the environment says otherwise.
"""

import argparse
import json
import os
import statistics
import time
import warnings


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cell",
                        choices=["lstm", "gated", "mingru", "selective", "mlp", "cnn", "transformer"], required=True)
    parser.add_argument("--hidden", type=int, default=0, help="units of a recurrent layer")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--length", type=int, default=0, help="steps of time")
    parser.add_argument("--trials", type=int, default=1, help="models side by side; of the LSTM, one after the other")
    parser.add_argument("--states", type=int, default=0, help="of each unit of a selective state space")
    parser.add_argument("--mode", choices=["eager", "script", "compile", "scan"], default="eager",
                        help="how a loop is run: as it stands, by TorchScript, by torch.compile, or by an associative "
                        "scan, where there is one")
    parser.add_argument("--chunk", type=int, default=10, help="steps of time that torch.compile is given at once")
    parser.add_argument("--step", action="store_true", help="time single steps")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2, help="time updates for so long, after two to warm up")
    return parser.parse_args()


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
set_up_openblas(args.threads)

import torch  # noqa: E402
from torch import nn  # noqa: E402

SYMBOLS = 10


class LSTM(nn.Module):
    """nn.LSTM and a linear layer. One-hot symbols are made once, before the clock starts."""

    def __init__(self, hidden):
        super().__init__()
        self.lstm = nn.LSTM(SYMBOLS, hidden)
        self.out = nn.Linear(hidden, SYMBOLS)

    def forward(self, x):
        return self.out(self.lstm(x)[0])

    def step(self, x, state):
        y, state = self.lstm(x, state)
        return self.out(y), state

    def first(self):
        return tuple(torch.zeros(1, args.batch, self.lstm.hidden_size) for _ in "hc")


class Trials(nn.Module):
    """Models of which each reads its own part of [T, R, B, inputs]: nn.LSTM has no axis of trials."""

    def __init__(self, models):
        super().__init__()
        self.models = nn.ModuleList(models)

    def forward(self, x):
        return torch.stack([model(x[:, r]) for r, model in enumerate(self.models)], 1)


def gated_steps(projected, state, recurrent):
    """Steps of the gated network. projected: [T, R, B, 2H], what input and bias give to gates and candidates."""
    states = []
    for z in projected.unbind(0):
        z = torch.baddbmm(z, state, recurrent)
        gate, candidate = z.chunk(2, 2)
        state = torch.lerp(state, torch.tanh(candidate), torch.sigmoid(gate))
        states.append(state)
    return torch.stack(states), state


def gated_steps_alone(projected, state, recurrent):
    """The same steps of one trial, without its axis: [T, B, 2H]."""
    states = []
    for z in projected.unbind(0):
        z = torch.addmm(z, state, recurrent)
        gate, candidate = z.chunk(2, 1)
        state = torch.lerp(state, torch.tanh(candidate), torch.sigmoid(gate))
        states.append(state)
    return torch.stack(states), state


class Gated(nn.Module):
    """The gated network h' = g * tanh(Wx x + Wh h + b) + (1 - g) * h, where g = sigmoid(Wgx x + Wgh h + bg).

    Both products with h are one, and those with x are one for all steps.
    """

    def __init__(self, hidden, trials, mode, chunk):
        super().__init__()
        lead = (trials,) if trials > 1 else ()
        self.first = (*lead, args.batch, hidden)
        self.table = nn.Parameter(0.1 * torch.randn(*lead, SYMBOLS, 2 * hidden))
        self.bias = nn.Parameter(torch.zeros(*lead, 1, 2 * hidden))
        self.recurrent = nn.Parameter(torch.randn(*lead, hidden, 2 * hidden) / hidden**0.5)
        self.out = nn.Parameter(0.1 * torch.randn(*lead, hidden, SYMBOLS))
        self.steps, self.chunk = gated_steps if trials > 1 else gated_steps_alone, args.length
        if mode == "script":
            self.steps = torch.jit.script(self.steps)
        if mode == "compile":
            self.steps, self.chunk = torch.compile(self.steps, dynamic=False, fullgraph=True), chunk

    def forward(self, x):
        state, parts = torch.zeros(self.first, device=x.device), []
        for projected in (x @ self.table + self.bias).split(self.chunk):
            states, state = self.steps(projected, state, self.recurrent)
            parts.append(states)
        return torch.cat(parts) @ self.out


def affine_steps(a, u, state):
    """Steps h <- a * h + u, of [T, ...]."""
    states = []
    for keep, add in zip(a.unbind(0), u.unbind(0)):
        state = torch.addcmul(add, keep, state)
        states.append(state)
    return torch.stack(states), state


def affine_scan(a, u):
    """The same from a state of zeros, by an associative scan: each pass doubles how many steps are one."""
    steps = 1
    while steps < a.shape[0]:
        u = torch.cat([u[:steps], torch.addcmul(u[steps:], a[steps:], u[:-steps])])
        a = torch.cat([a[:steps], a[steps:] * a[:-steps]])
        steps *= 2
    return u


class Affine(nn.Module):
    """Minimal GRUs (Feng et al. 2024) and, with states > 0, Mamba's selective state spaces (Gu & Dao 2023)."""

    def __init__(self, hidden, states, mode, chunk):
        super().__init__()
        self.input = nn.Linear(SYMBOLS, 2 * hidden)
        self.out = nn.Linear(hidden, SYMBOLS)
        self.states, self.mode, self.steps, self.chunk = states, mode, affine_steps, args.length
        if states:
            self.b, self.c = nn.Linear(SYMBOLS, states, bias=False), nn.Linear(SYMBOLS, states, bias=False)
            self.decay = nn.Parameter(torch.arange(1.0, states + 1).log().repeat(hidden, 1))
            self.skip = nn.Parameter(torch.ones(hidden))
        if mode == "compile":
            self.steps, self.chunk = torch.compile(self.steps, dynamic=False, fullgraph=True), chunk

    def forward(self, x):
        a, u, candidate = self.parts(x)
        return self.read(self.over_time(a, u), x, candidate)

    def step(self, x, state):
        a, u, candidate = self.parts(x)
        state = torch.addcmul(u, a, state)
        return self.read(state, x, candidate), state

    def first(self):
        return torch.zeros(1, args.batch, self.out.in_features, *([self.states] if self.states else []))

    def parts(self, x):
        candidate, gate = self.input(x).chunk(2, -1)
        if not self.states:
            z = torch.sigmoid(gate)
            return 1 - z, z * candidate, candidate
        delta = nn.functional.softplus(gate)
        a = torch.exp(delta[..., None] * -self.decay.exp())
        return a, (delta * candidate)[..., None] * self.b(x)[..., None, :], candidate

    def read(self, h, x, candidate):
        if self.states:
            h = (h @ self.c(x)[..., None]).squeeze(-1) + self.skip * candidate
        return self.out(h)

    def over_time(self, a, u):
        if self.mode == "scan":
            return affine_scan(a, u)
        state, parts = torch.zeros_like(u[0]), []
        for keep, add in zip(a.split(self.chunk), u.split(self.chunk)):
            states, state = self.steps(keep, add, state)
            parts.append(states)
        return torch.cat(parts)


def perceptron():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, SYMBOLS))


def convolutional():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(49 * 64, 128), nn.ReLU(), nn.Linear(128, SYMBOLS))


class Transformer(nn.Module):
    """Four layers of 128 units and four heads, normalized first. Each symbol is predicted from those before it."""

    def __init__(self, length):
        super().__init__()
        self.embedding = nn.Embedding(64, 128)
        self.positions = nn.Parameter(0.02 * torch.randn(length, 128))
        layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0, activation="gelu", batch_first=True,
                                           norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, 4, nn.LayerNorm(128), enable_nested_tensor=False)
        self.out = nn.Linear(128, SYMBOLS)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(length))

    def forward(self, x):
        return self.out(self.blocks(self.embedding(x) + self.positions, mask=self.mask))


def layered():
    """The model, inputs and labels of what is not recurrent."""
    batch = args.batch
    if args.cell == "transformer":
        shape = (batch, args.length)
        return Transformer(args.length), torch.randint(64, shape), torch.randint(SYMBOLS, shape).view(-1)
    y = torch.randint(SYMBOLS, (batch,))
    if args.cell == "mlp":
        return perceptron(), torch.randn(batch, 784), y
    return convolutional(), torch.randn(batch, 1, 28, 28), y


def recurrent():
    """The model, inputs and labels of a recurrent network."""
    shape = (args.length, args.trials, args.batch) if args.trials > 1 else (args.length, args.batch)
    if args.cell == "lstm" and args.trials > 1:
        model = Trials(LSTM(args.hidden) for _ in range(args.trials))
    elif args.cell == "lstm":
        model = LSTM(args.hidden)
    elif args.cell != "gated":
        model = Affine(args.hidden, args.states, args.mode, args.chunk)
    else:
        model = Gated(args.hidden, args.trials, args.mode, args.chunk)
    x = nn.functional.one_hot(torch.randint(SYMBOLS, shape), SYMBOLS).float()
    return model, x, torch.randint(SYMBOLS, shape).view(-1)


def steps():
    """The times of steps, of 100 in a row."""
    model, x, _ = recurrent()
    step, state = torch.compile(model.step, dynamic=False) if args.mode == "compile" else model.step, model.first()
    began, times = time.perf_counter(), []
    with torch.inference_mode():
        while time.perf_counter() - began < args.seconds or len(times) < 5:
            start = time.perf_counter()
            for _ in range(100):
                _, state = step(x, state)
            times.append(10 * (time.perf_counter() - start))
    return times[2:]


def main():
    warnings.simplefilter("ignore")  # TorchScript is deprecated, and still there
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    if args.step:
        print(json.dumps({"ms": statistics.median(steps()), "with": "PyTorch " + torch.__version__}))
        return
    if args.cell in ("lstm", "gated", "mingru", "selective"):
        model, x, y = (part.to(args.device) for part in recurrent())
        optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, alpha=0.9)
    else:
        model, x, y = (part.to(args.device) for part in layered())
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    times, began = [], None
    while len(times) < 5 or time.perf_counter() - began < args.seconds:
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = args.trials * nn.functional.cross_entropy(model(x).view(-1, SYMBOLS), y)
        loss.backward()
        optimizer.step()
        if args.device == "cuda":
            torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
        if len(times) == 2:
            began = time.perf_counter()
    print(json.dumps({"ms": round(statistics.median(times[2:]), 3), "with": "PyTorch " + torch.__version__,
                      "loss": round(loss.item() / args.trials, 4)}))


if __name__ == "__main__":
    main()
