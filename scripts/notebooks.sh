#!/usr/bin/env bash
# Opens the notebooks in Jupyter, or executes them. See usage.
set -euo pipefail

usage() {
	cat <<'END'
Usage: scripts/notebooks.sh
       scripts/notebooks.sh --check|--execute [notebook.ipynb …]

  (no option)   opens the notebooks in Jupyter
  --check       executes them all, or those named, and fails if a cell fails; changes no file
  --execute     executes them likewise, and writes the outputs into them
  -h, --help    says this

Needs Go, and Jupyter; on Debian and Ubuntu: apt-get install jupyter-notebook jupyter-nbconvert.
The Go kernel (GoNB, at the version of notebooks/go.mod) is built into .tools/ of this checkout. Nothing is
written elsewhere. Notebooks compute on the backend that GOMLX_BACKEND names, or else the best present.
END
}

fail() {
	echo "notebooks.sh: $1" >&2
	exit "${2:-1}"
}

# find_jupyter prints the first jupyter on PATH that can run the given subcommand. The first of all need not be able to: pyenv,
# for one, leaves a jupyter on PATH for versions of Python that have none.
find_jupyter() {
	local dir
	local -a dirs
	IFS=: read -ra dirs <<<"$PATH"
	for dir in "${dirs[@]}"; do
		if [[ -x $dir/jupyter ]] && "$dir/jupyter" "$1" --version >/dev/null 2>&1; then
			echo "$dir/jupyter"
			return
		fi
	done
	fail "no working 'jupyter $1' on PATH; install it: apt-get install jupyter-notebook jupyter-nbconvert (or pip install notebook nbconvert)"
}

# install builds the kernel and tells Jupyter, but only the Jupyter started here, about it. The kernel makes a module for each
# notebook; -go_work puts that into one workspace with this checkout, so that cells import its packages as they stand.
install() {
	local log
	mkdir -p "$tools/bin"
	(cd notebooks && GOBIN="$tools/bin" go install tool)
	log=$(gonb --install --force_deps --go_work="$root,$root/notebooks" 2>&1) || fail "GoNB does not install: $log"
}

# execute runs one notebook and writes it, with its outputs, to a path. Where a cell fails, it goes on to the end, because nbconvert would
# else not say what the cell wrote; it then prints what the failing cells wrote to their standard error.
execute() {
	local log="$scratch/log" started=$SECONDS
	printf '%-40s' "${1#"$root/"}"
	if ! "$jupyter" nbconvert --to notebook --execute --allow-errors --output-dir "$(dirname "$2")" --output "$(basename "$2")" \
		--ExecutePreprocessor.timeout=900 --ExecutePreprocessor.iopub_timeout=60 --ExecutePreprocessor.record_timing=False \
		"$1" >"$log" 2>&1; then
		echo "FAILED"
		tail -n 20 "$log" >&2
		return 1
	fi
	if grep -q '^ *"output_type": "error"' "$2"; then
		echo "FAILED"
		sed -n '/^ *"name": "stderr"/,/^ *\]/p' "$2" >&2
		return 1
	fi
	echo "ok  $((SECONDS - started)) s"
}

option=open
case ${1-} in
--check | -check) option=check && shift ;;
--execute | -execute) option=execute && shift ;;
-h | --help | -help) usage && exit ;;
-*) usage >&2 && exit 2 ;;
esac

[[ $option != open || $# == 0 ]] || { usage >&2 && exit 2; }
notebooks=()
for notebook; do
	[[ $notebook == *.ipynb && -f $notebook ]] || fail "no notebook at $notebook" 2
	notebooks+=("$(realpath "$notebook")")
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=$root/.tools
cd "$root"
if ((${#notebooks[@]} == 0)); then
	notebooks=(notebooks/*.ipynb)
fi
command -v go >/dev/null || fail "no go on PATH; see https://go.dev/doc/install"

unset GOWORK # GOWORK=off would hide the kernel's workspace
export PATH="$tools/bin:$PATH" JUPYTER_CONFIG_PATH="${JUPYTER_CONFIG_DIR:-$HOME/.jupyter}"
export JUPYTER_DATA_DIR="$tools/jupyter" JUPYTER_CONFIG_DIR="$tools/jupyter/config" IPYTHONDIR="$tools/ipython"

subcommand=notebook
[[ $option == open ]] || subcommand=nbconvert
jupyter=$(find_jupyter $subcommand)
install

if [[ $option == open ]]; then
	root_user=()
	((EUID != 0)) || root_user=(--allow-root) # in containers; Jupyter refuses to run as root without it
	exec "$jupyter" notebook --notebook-dir=notebooks "${root_user[@]}"
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
for notebook in "${notebooks[@]}"; do
	out=$scratch/$(basename "$notebook")
	if ! execute "$notebook" "$out"; then
		failed=1
	elif [[ $option == execute ]]; then
		cp "$out" "$notebook"
	fi
done
exit $failed
