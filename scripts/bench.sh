#!/usr/bin/env bash
# Times training updates of this project's engines beside PyTorch and JAX, and prints a table. Options are those of
# scripts/bench (-help lists them). Let nothing else run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
exec go run -buildvcs=true ./scripts/bench "$@"
