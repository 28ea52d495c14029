#!/usr/bin/env bash
# Tries this project on an NVIDIA card, and writes one report: the engines' conformance suite, the first updates of every
# figure against simd's, training updates beside PyTorch's (nn.LSTM is cuDNN's), and permuted MNIST at the paper's size
# as far as the time goes. The machine needs neither Go nor a network, but XLA's plugin for CUDA and, to compare with,
# a Python with PyTorch.
#
#   scripts/gpu.sh                  here, with Go
#   scripts/gpu.sh -pack DIR        puts all that is needed into DIR; copy it to the machine, and there
#   DIR/scripts/gpu.sh              runs it
#
#   -engine NAME     the engine to try, in place of xla:cuda
#   -out DIR         the report, report.md, with its logs and records (default out/gpu); a second call with the same DIR
#                    resumes training, and writes the rest again
#   -only STEPS      of conformance, updates, bench, pmnist: these, separated by commas
#   -models NAMES    time these models of scripts/bench
#   -seconds N       train permuted MNIST for N seconds (default 3600)
#   -limit N         give up each other step after N seconds (default 3600)
set -euo pipefail

engine=xla:cuda out=out/gpu pack='' seconds=3600 limit=3600 only=conformance,updates,bench,pmnist
models=lstm128,lstm128-b128,gated64,gated64-r5,lstm512,lstm512-r5,lstm128-t2000,lstm128-t2000-r5
while (($# > 0)); do
	case $1 in
	-engine | -out | -pack | -seconds | -limit | -only | -models)
		if (($# < 2)) || [[ -z $2 ]]; then
			echo "gpu: $1 needs a value" >&2
			exit 2
		fi
		declare "${1#-}=$2"
		shift 2
		;;
	-help | -h)
		sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
		exit
		;;
	*)
		echo "gpu: unknown argument $1; -help lists the options" >&2
		exit 2
		;;
	esac
done
for number in "$seconds" "$limit"; do
	if [[ ! $number =~ ^[1-9][0-9]*$ ]]; then
		echo "gpu: $number seconds: want a positive integer" >&2
		exit 2
	fi
done
for step in ${only//,/ }; do
	if [[ ! $step =~ ^(conformance|updates|bench|pmnist)$ ]]; then
		echo "gpu: no step $step; the steps are conformance, updates, bench, pmnist" >&2
		exit 2
	fi
done

# fill builds the programs into a directory, with what they read.
fill() {
	mkdir -p "$1/bin" "$1/scripts/bench"
	local strip=-ldflags='-s -w' # a third smaller to carry
	go test -c "$strip" -o "$1/bin/conformance.test" ./chrono/backend/conformance
	go test -c "$strip" -o "$1/bin/scripts.test" ./scripts
	go test -c "$strip" -o "$1/bin/bench.test" ./scripts/bench
	scripts/build.sh "$1/bin" "$strip" ./scripts/replicate # records name the commit
	cp scripts/gpu.sh "$1/scripts/"
	cp scripts/bench/peer_pytorch.py "$1/scripts/bench/"
	git describe --always --dirty >"$1/commit"
	local data=${WARPTIME_DATA:-${XDG_CACHE_HOME:-~/.cache}/warptime/data}
	if [ -d "$data/mnist" ]; then
		mkdir -p "$1/data"
		cp -r "$data/mnist" "$1/data/"
	else
		echo "gpu: no MNIST in $data, so that none is trained on; go run ./scripts/data gets it" >&2
	fi
}

out=$(realpath -m "$out")
[ -z "$pack" ] || pack=$(realpath -m "$pack")
cd "$(dirname "$0")/.."
if [ -n "$pack" ]; then
	fill "$pack"
	exit
fi
if [ -f go.mod ]; then
	fill .cache/gpu
	cd .cache/gpu
fi
[ ! -d data ] || export WARPTIME_DATA=$PWD/data
export WARPTIME_REQUIRE=$engine
mkdir -p "$out"
report=$out/report.md failed=0

# step runs a command for at most some seconds; its log becomes a part of the report.
step() {
	local name=$1 most=$2 began=$SECONDS status=0 counts='' count=''
	shift 2
	if [[ ",$only," != *",$name,"* ]]; then return; fi
	echo "== $name, for at most $most s" >&2
	timeout --signal=INT --kill-after=60 "$most" "$@" >"$out/$name.log" 2>"$out/$name.err" || status=$?
	case $name in
	conformance | updates) counts="--- PASS: .*/$engine\\b" ;;
	bench) counts="by=$engine\\b.*ns/op" ;;
	esac
	case $status in
	0) status=done ;;
	*)
		if ((SECONDS - began >= most)); then
			status="stopped after its time"
			[[ $name == pmnist ]] || failed=1 # which trains as far as the time goes
		else
			status="FAILED with $status" failed=1
		fi
		;;
	esac
	if [ -n "$counts" ]; then
		count=$(grep -c -e "$counts" "$out/$name.log") || status='FAILED: nothing was tried' failed=1
		if grep -q -e '--- FAIL' "$out/$name.log"; then
			status=FAILED failed=1
		fi
	fi
	{
		printf '\n## %s: %s, %d s\n\n`%s`\n\n' "$name" "$status" $((SECONDS - began)) "$*"
		printf '```\n%s\n' "${count:+passed, or timed: $count}"
		{ grep -v '^ *--- PASS\|^=== ' "$out/$name.log" || tail -n 3 "$out/$name.log"; } | tail -n 60
		printf '```\n'
		if [ -s "$out/$name.err" ]; then printf '\n```\n%s\n```\n' "$(tail -c 3000 "$out/$name.err")"; fi
	} >>"$report"
}

{
	printf '# %s, commit %s, %s\n\n```\n' "$engine" "$(cat commit)" "$(date -u +%Y-%m-%dT%H:%MZ)"
	nvidia-smi 2>/dev/null || echo "no nvidia-smi"
	bin/replicate -list 2>&1 | sed -n '/^Backends/,$p' || true
	printf '```\n'
} >"$report"

step conformance "$limit" bin/conformance.test -test.timeout 0 -test.v -test.run "/^$engine\$"
step updates "$limit" bin/scripts.test -test.timeout 0 -test.v -test.run "^TestFirstUpdatesAgree\$/^$engine\$"
by="$engine|simd"
if python3 -c 'import torch' 2>/dev/null || /usr/bin/python3 -c 'import torch' 2>/dev/null; then
	[ "$engine" = xla:cuda ] && by+='|pytorch:cuda' || by+='|pytorch'
fi
step bench "$limit" env -C scripts/bench ../../bin/bench.test -test.run '^$' -test.timeout 0 \
	-test.bench "Update/^model=(${models//,/|})\$/^by=($by)\$"
# Declared with TF32 products.
step pmnist "$seconds" bin/replicate -backend "${engine/#xla:cuda/xla:cuda,tf32=true}" -figure warp/fig6/pmnist.paper \
	-out "$out/pmnist"

echo "$report"
exit $failed
