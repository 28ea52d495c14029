#!/usr/bin/env bash
# Times training updates of this project's engines beside PyTorch and JAX. Let nothing else run meanwhile.
#
#   scripts/bench.sh                             the models of chrono/README, by all that is here but GoMLX's own engine
#   scripts/bench.sh 'lstm128|mlp' 'simd|go'     these models, by these
#   scripts/bench.sh -peers [models] [by]        first gets PyTorch and JAX into .cache/peers; 5 GB if only PyPI is reachable
#
# The output is that of go test's benchmarks: `go run golang.org/x/perf/cmd/benchstat@latest -row /model -col /by,/threads
# FILE` makes a table of it.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1-}" = -peers ]; then
	shift
	python3 -m venv .cache/peers
	pip=(.cache/peers/bin/pip install --no-cache-dir)
	"${pip[@]}" jax==0.10.2 jaxlib==0.10.2
	"${pip[@]}" --retries 1 --timeout 20 --index-url https://download.pytorch.org/whl/cpu torch==2.15.0 ||
		"${pip[@]}" torch==2.15.0
fi
models=${1:-lstm128|lstm128-b128|gated64|gated64-r5|gated64-r10|lstm512|mlp|cnn|transformer}
by=${2:-simd|xla:cpu|pytorch|torch.compile|jax}
git describe --always --dirty
exec go test ./scripts/bench -run '^$' -bench "Update/^model=($models)\$/^by=($by)\$" -benchtime 2s -count 3 -timeout 0
