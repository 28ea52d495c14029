#!/usr/bin/env bash
# Times training updates of this project's engines beside PyTorch and JAX, and prints a table. Options are those of
# scripts/bench (-help lists them). Let nothing else run meanwhile.
#
# With -peers before the options it first makes a virtual environment in .cache/peers with the peers' versions of our
# tables. PyTorch's own index has wheels without CUDA; PyPI, where that index does not answer, takes 5 GB.
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
exec go run -buildvcs=true ./scripts/bench "$@"
