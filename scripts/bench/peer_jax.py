#!/usr/bin/env python3
"""Time a training update of JAX's, beside which scripts/bench.sh puts this project's.

The model is that of peer_pytorch.py. What does not need the past is outside the loop, as in this project: the inputs'
projection, a row of a table for each symbol, and the read-out. The loop is lax.scan; the whole update is one jitted
function, which may overwrite the old weights. Trials are an axis of every weight and product, by vmap.

Prints one line of JSON; "ms" is the median time of an update. XLA takes a thread for each core that the process may
use: start it under taskset for fewer.
"""

import argparse
import functools
import json
import statistics
import time

import jax
import jax.numpy as jnp

SYMBOLS = 10


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cell", choices=["lstm", "gated"], required=True)
    parser.add_argument("--hidden", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--length", type=int, required=True, help="steps of time")
    parser.add_argument("--trials", type=int, default=1)
    parser.add_argument("--unroll", type=int, default=1, help="steps of time in an iteration of the loop")
    parser.add_argument("--seconds", type=float, default=2, help="time updates for so long, after two to warm up")
    return parser.parse_args()


def lstm(recurrent, carry, z):
    h, c = carry
    i, f, o, g = jnp.split(z + h @ recurrent, 4, axis=1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (h, c), h


def gated(recurrent, carry, z):
    (h,) = carry
    candidate, gate = jnp.split(z + h @ recurrent, 2, axis=1)
    g = jax.nn.sigmoid(gate)
    h = g * jnp.tanh(candidate) + (1 - g) * h
    return (h,), h


STEPS = {"lstm": (lstm, 4, 2), "gated": (gated, 2, 1)}  # and how many blocks of H columns and states they have


def main():
    args = arguments()
    step, blocks, states = STEPS[args.cell]
    keys = jax.random.split(jax.random.key(1), 5)
    shapes = {"table": (SYMBOLS, blocks * args.hidden), "bias": (blocks * args.hidden,),
              "recurrent": (args.hidden, blocks * args.hidden), "out": (args.hidden, SYMBOLS)}
    weights = {name: 0.1 * jax.random.normal(key, (args.trials, *shape))
               for key, (name, shape) in zip(keys, shapes.items())}
    squares = jax.tree.map(jnp.zeros_like, weights)
    x, y = jax.random.randint(keys[4], (2, args.trials, args.length, args.batch), 0, SYMBOLS)

    def loss(w, x, y):
        z = w["table"][x] + w["bias"]
        carry = (jnp.zeros((args.batch, args.hidden)),) * states
        _, h = jax.lax.scan(functools.partial(step, w["recurrent"]), carry, z, unroll=args.unroll)
        predicted = jax.nn.log_softmax(h @ w["out"])
        return -jnp.mean(jnp.take_along_axis(predicted, y[..., None], axis=-1))

    def rmsprop(w, s, g):
        s = 0.9 * s + 0.1 * g * g
        return w - 1e-3 * g / (jnp.sqrt(s) + 1e-8), s

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def update(w, s, x, y):
        losses, gradients = jax.vmap(jax.value_and_grad(loss))(w, x, y)
        new = {name: rmsprop(w[name], s[name], gradients[name]) for name in w}
        return losses, {n: v[0] for n, v in new.items()}, {n: v[1] for n, v in new.items()}

    times, began = [], None
    while len(times) < 5 or time.perf_counter() - began < args.seconds:
        start = time.perf_counter()
        losses, weights, squares = jax.block_until_ready(update(weights, squares, x, y))
        times.append(1e3 * (time.perf_counter() - start))
        if len(times) == 2:
            began = time.perf_counter()
    print(json.dumps({"ms": round(statistics.median(times[2:]), 3), "with": "JAX " + jax.__version__,
                      "loss": round(float(losses[0]), 4)}))


if __name__ == "__main__":
    main()
