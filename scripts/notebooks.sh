#!/usr/bin/env bash
# Opens the notebooks in Jupyter, executes them, or makes a book of them. See usage.
set -euo pipefail

usage() {
	cat <<'END'
Usage: scripts/notebooks.sh [lab] [notebook.ipynb] [options of Jupyter …]
       scripts/notebooks.sh --check|--execute [notebook.ipynb …]
       scripts/notebooks.sh --html

  (no option)   opens copies of the notebooks, in out/notebooks, in Jupyter: in
                Notebook, or with lab in JupyterLab; index.ipynb, which lists
                them in order, or the notebook that is named. A copy that you
                have changed stays as it is; delete it to start over. Further
                options go to Jupyter, such as --no-browser --port=8888 on a
                remote machine.
  --check       executes them all, or those named, and fails if a cell fails;
                changes no file
  --execute     executes them likewise, and writes the outputs into them
  --html        makes out/book/index.html, a site of all notebooks as they are
                committed, the figures and the claims, with a page that trains
                networks in the browser, live/index.html. It can be read without
                a network. Making it needs Go and Python 3.11 or newer; Sphinx is
                downloaded from PyPI, once, into .cache/book
  -h, --help    prints this

The others need Go and Jupyter; on Debian and Ubuntu: apt-get install jupyter-notebook jupyter-nbconvert;
for JupyterLab: pip install jupyterlab.
Cells run the code of this checkout: settings of Go and of Jupyter that could replace it are not used.
The Go kernel (GoNB, at the version of notebooks/go.mod) and gopls, for completion, are built into
.tools/ of this checkout. Nothing is written elsewhere. Notebooks compute on the backend that
GOMLX_BACKEND names, or else the best present.
END
}

fail() {
	echo "notebooks.sh: $1" >&2
	exit "${2:-1}"
}

# settle makes sure that the code that runs is this checkout's, whatever the caller's shell is set up for. Jupyter takes a
# kernel from JUPYTER_PATH before all others. GOFLAGS and a workspace, also those of go env -w, can replace modules.
settle() {
	local needed settings flags mode work os arch toolchain version setting ignored=''
	command -v go >/dev/null || fail "no go on PATH; see https://go.dev/doc/install"
	settings=$(go env GOFLAGS GO111MODULE GOWORK GOHOSTOS GOHOSTARCH GOTOOLCHAIN GOVERSION)
	{ read -r flags; read -r mode; read -r work; read -r os; read -r arch; read -r toolchain; read -r version; } \
		<<<"$settings"
	needed=$(sed -n 's/^go //p' go.mod)
	[[ $(printf '%s\n' "$needed" "${version#go}" | sort -V | head -n 1) == "$needed" ]] ||
		fail "Go $needed or newer is needed, this is $version with GOTOOLCHAIN=$toolchain; see https://go.dev/doc/install"
	for setting in "GOFLAGS=$flags" "GO111MODULE=$mode" "GOWORK=$work"; do
		[[ $setting == *= || $setting == GOFLAGS=-buildvcs=false ]] || ignored+=" $setting"
	done
	[[ -z $ignored ]] || echo "notebooks.sh: your settings of Go are not used:$ignored" >&2
	export GOFLAGS=-buildvcs=false GO111MODULE=on GOWORK=off GOOS=$os GOARCH=$arch
	export PATH="$tools/bin:$PATH" JUPYTER_PATH="$tools/jupyter${JUPYTER_PATH:+:$JUPYTER_PATH}" \
		JUPYTER_CONFIG_PATH="${JUPYTER_CONFIG_DIR:-$HOME/.jupyter}" JUPYTER_CONFIG_DIR="$tools/jupyter/config" \
		JUPYTER_DATA_DIR="$tools/jupyter" IPYTHONDIR="$tools/ipython"
}

# find_jupyter prints the first jupyter on PATH that can run the given subcommand. The first of all need not be able to:
# pyenv, for one, leaves a jupyter on PATH for versions of Python that have none.
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
	fail "no working 'jupyter $1' on PATH; install it: $([[ $1 == lab ]] && echo pip install jupyterlab ||
		echo on Debian, apt-get install jupyter-notebook jupyter-nbconvert)"
}

# install builds the kernel and tells Jupyter, but only the Jupyter started here, about it. The kernel makes a module for
# each notebook; -go_work puts that into one workspace with this checkout, so that cells import its packages as they
# stand.
install() {
	local log above
	above=$(cd "${TMPDIR:-/tmp}" && GOWORK=auto go env GOWORK)
	[[ -z $above ]] || fail "$above is above the folder for temporary files, where the kernel's has to be: set TMPDIR"
	mkdir -p "$tools/bin"
	(cd notebooks && GOBIN="$tools/bin" go install tool)
	log=$(gonb --install --force_deps --go_work="$root,$root/notebooks" 2>&1) || fail "GoNB does not install: $log"
	# The kernel's workspace is in a folder of its own. Each cell is a program to be linked, which takes half as long
	# without tables for debuggers.
	export GOWORK=auto GOFLAGS=-ldflags=-w
}

# copy puts the notebooks into the folder that Jupyter opens, where running and saving them changes nothing that is
# committed, and makes Jupyter trust those that are as committed: else it shows no outputs that it could not clean.
copy() {
	local fresh
	fresh=$(python3 -I scripts/notebooks.py notebooks "$copies" "$tools/opened")
	sign() { xargs -d '\n' "$@" <<<"$fresh" >/dev/null 2>&1; }
	# Debian has no "jupyter trust".
	if [[ -n $fresh ]] && ! sign "$jupyter" trust && ! sign /usr/bin/python3 -m nbformat.sign; then
		echo "notebooks.sh: cannot sign the notebooks; use File, Trust Notebook" >&2
	fi
}

# named prints a notebook with the name by which highlighters know Go, which its kernel does not give.
named() { sed 's/"pygments_lexer": ""/"pygments_lexer": "go"/' "$1"; }

# execute runs one notebook and writes it, with its outputs, to a path, and says how long that took. Where a cell fails,
# it goes on to the end, because nbconvert would else not say what the cell wrote.
execute() {
	local name log=$2.log started=$SECONDS
	name=$(printf '%-40s' "${1#"$root/"}")
	if ! "$jupyter" nbconvert --to notebook --execute --allow-errors --output-dir "$(dirname "$2")" \
		--output "$(basename "$2")" --ExecutePreprocessor.timeout=1800 --ExecutePreprocessor.iopub_timeout=60 \
		--ExecutePreprocessor.record_timing=False "$1" >"$log" 2>&1; then
		echo "$name FAILED"
		tail -n 20 "$log" >&2
		return 1
	fi
	if ! python3 -I scripts/failure.py "$2" >"$log"; then
		echo "$name FAILED"
		cat "$log" >&2
		return 1
	fi
	echo "$name ok  $((SECONDS - started)) s"
}

# book makes the site. Sphinx and what it needs are installed anew where their versions have changed.
book() {
	export LC_ALL=C.UTF-8 # Sphinx ends where a locale is not installed
	local cache=$root/.cache/book python=$root/.cache/book/venv/bin/python
	if ! cmp -s notebooks/book/requirements.txt "$cache/installed"; then
		rm -rf "$cache"
		mkdir -p "$cache"
		python3 -I -m venv "$cache/venv" >&2 || fail "python3 makes no virtual environment; apt-get install python3-venv"
		"$python" -I -m pip install --quiet --disable-pip-version-check -r notebooks/book/requirements.txt
		cp notebooks/book/requirements.txt "$cache/installed"
	fi
	(cd notebooks && GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o "$cache/live.wasm" ./book/live)
	go run ./scripts/figures -out "$cache/figures" -web "$cache/web" >/dev/null
	"$python" -I notebooks/book/stage.py "$root" "$cache/source" "$cache/web" "$cache/live.wasm" \
		"$(go env GOROOT)/lib/wasm/wasm_exec.js"
	rm -rf "$root/out/book"
	"$python" -I -m sphinx -q -W --keep-going -d "$cache/doctrees" "$cache/source" "$root/out/book"
	echo "out/book/index.html"
}

option=notebook
case ${1-} in
--check | -check) option=check && shift ;;
--execute | -execute) option=execute && shift ;;
--html | -html) option=html && shift ;;
-h | --help | -help) usage && exit ;;
lab | notebook) option=$1 && shift ;;
esac

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
notebooks=()
while (($# > 0)) && [[ $1 != -* ]]; do
	[[ $1 == *.ipynb ]] || fail "no notebook, and no option of Jupyter: $1" 2
	# A bare name will do.
	path=$1
	[[ -f $path ]] || path=$root/notebooks/$1
	[[ -f $path ]] || fail "no notebook at $1" 2
	notebooks+=("$(realpath "$path")")
	shift
done

tools=$root/.tools
copies=$root/out/notebooks
cd "$root"
export HOME=${HOME:-~}
settle
if [[ $option == html ]]; then
	(($# == 0 && ${#notebooks[@]} == 0)) || fail "--html makes a book of all notebooks, and takes nothing else" 2
	book
	exit
fi
if [[ $option == notebook || $option == lab ]]; then
	((${#notebooks[@]} <= 1)) || fail "one notebook can be named to be opened, not ${#notebooks[@]}" 2
	jupyter=$(find_jupyter "$option")
	[[ -x $tools/bin/gonb ]] ||
		echo "notebooks.sh: building the Go kernel and gopls, once: a minute or two; the first cell takes half a minute" >&2
	# gopls has a module of its own, since it wants other versions of what the kernel wants too, and a folder of its own,
	# since every kernel that finds it starts it.
	(cd notebooks/tools && GOBIN="$tools/gopls/bin" go install tool) ||
		echo "notebooks.sh: without gopls, Tab completes nothing" >&2
	install
	export PATH="$tools/gopls/bin:$PATH" GOPLSCACHE="$tools/gopls/cache"
	copy
	opened=$copies/index.ipynb
	if ((${#notebooks[@]} == 1)); then
		opened=$copies/$(basename "${notebooks[0]}")
		[[ -f $opened ]] || opened=${notebooks[0]} # one of your own
	fi
	if ((EUID == 0)); then
		set -- --allow-root "$@" # in containers; Jupyter refuses to run as root without it
	fi
	exec "$jupyter" "$option" "$opened" "$@"
fi

(($# == 0)) || fail "no option of --$option: $1" 2
if ((${#notebooks[@]} == 0)); then
	notebooks=(notebooks/*.ipynb)
fi
jupyter=$(find_jupyter nbconvert)
install
export JUPYTER_NO_CONFIG=1 # a configuration may choose another kernel, or leave cells out
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
if [[ $option == check ]]; then
	# Two at a time: half of the time goes to one linker, or to waiting.
	for notebook in "${notebooks[@]}"; do
		if (($(jobs -rp | wc -l) >= 2)); then
			wait -n || failed=1
		fi
		execute "$notebook" "$scratch/$(basename "$notebook")" &
	done
	while [[ -n $(jobs -p) ]]; do
		wait -n || failed=1
	done
	exit $failed
fi
for notebook in "${notebooks[@]}"; do
	out=$scratch/$(basename "$notebook")
	if execute "$notebook" "$out" && named "$out" >"$notebook.new"; then # a full disk loses nothing
		mv "$notebook.new" "$notebook"
	else
		rm -f "$notebook.new"
		failed=1
	fi
done
exit $failed
