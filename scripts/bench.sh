#!/usr/bin/env bash
# Times training updates, alone and beside a busy program, and steps of streams, of this project's engines beside
# PyTorch, JAX and oneDNN. Let nothing else run meanwhile.
#
#   scripts/bench.sh                             the models of chrono/README, by all that is here but GoMLX's own engine
#   scripts/bench.sh 'lstm128|mlp' 'simd|go'     these models, by these; .* are all
#   scripts/bench.sh -peers [models] [by]        first gets them into .cache/peers; 5 GB if only PyPI is reachable
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
	"${pip[@]}" onednn-cpu-gomp==2023.2.0 onednn-devel-cpu-gomp==2023.2.0
	g++ -O2 -std=c++17 -I.cache/peers/include scripts/bench/onednn/update.cpp -o .cache/peers/bin/onednn \
		-L.cache/peers/lib -ldnnl "-Wl,-rpath,$PWD/.cache/peers/lib"
fi
models=${1:-lstm128|lstm128-b128|gated64|gated64-r5|lstm512|mingru128-t2000|selective128-t2000|mlp|cnn|transformer|lstm16|mingru128|selective128}
by=${2:-simd|xla:cpu|pytorch|pytorch-scan|torch.compile|jax|onednn}
git describe --always --dirty
log=$(mktemp)
trap 'rm "$log"' EXIT
go test ./scripts/bench -run '^$' -bench "(Update|Busy|Step)/^model=($models)\$/^by=($by)\$" -benchtime 2s -count 3 \
	-timeout 0 | tee "$log"
if ! grep -q 'ns/op' "$log"; then
	echo "bench: nothing is timed: no model here matches '$models' by '$by'; want names, or .* for all" >&2
	exit 2
fi
