#!/usr/bin/env bash
# Times training steps of the simd backend beside PyTorch, where it is installed, and GoMLX's Go backend, and prints a table.
# Options are those of scripts/bench (-help lists them). Let nothing else run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
exec go run ./scripts/bench "$@"
