#!/usr/bin/env bash
# Builds programs of this repository that are to train evidence: their records name the commit that they were built from.
#
#   scripts/build.sh DIR [flags of go build] ./scripts/replicate …
#
# They are built in a clone of the commit, so that no file which is edited meanwhile, and perhaps restored, gets into
# them. Where files are modified, or git knows nothing, programs are built as the files are, and name no commit.
set -euo pipefail
dir=$(realpath -m "$1")/
shift
cd "$(dirname "$0")/.."
unset $(git rev-parse --local-env-vars 2>/dev/null) # GIT_DIR, which git sets for hooks, would be that of the clone, too
if commit=$(git rev-parse HEAD 2>/dev/null) && [ -z "$(git status --porcelain 2>&1)" ]; then
	clone=$(mktemp -d)
	trap 'rm -rf "$clone"' EXIT
	git clone --quiet --shared --no-checkout . "$clone"
	git -C "$clone" checkout --quiet --detach "$commit"
	cd "$clone"
	go build -buildvcs=true -o "$dir" "$@"
else
	echo "build.sh: files are modified, or git is missing: records will name no commit" >&2
	go build -buildvcs=false -o "$dir" "$@"
fi
