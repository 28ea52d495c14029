#!/usr/bin/env bash
# Trains both figures 5, and Figure 3, at scale quick through a real Slurm, two nodes of one core played by this machine,
# while it disturbs them, and compares the records with those of undisturbed runs. Needs slurmctld, slurmd and munged
# (Debian: slurm-wlm, munge), and root. Everything lies in a temporary directory; only 127.0.0.1 is used; every process
# that is started is ended by its id.
set -euo pipefail
cd "$(dirname "$0")/../.."
renice -n 5 $$ >/dev/null
umask 022
dir=$(mktemp -d)
chmod 755 "$dir"
export SLURM_CONF=$dir/slurm.conf
host=$(hostname -s)

# The daemons, and what they have started, know this SLURM_CONF.
finish() {
	local pid
	for _ in 1 2 3; do
		for pid in /proc/[0-9]*; do
			pid=${pid#/proc/}
			if ((pid != $$)) && grep -zqsx "SLURM_CONF=$SLURM_CONF" "/proc/$pid/environ"; then kill -9 "$pid" || true; fi
		done 2>/dev/null
	done
	rm -rf "$dir"
}
trap finish EXIT

fail() {
	echo "slurm: $*" >&2
	squeue >&2 || true
	tail -n 5 "$dir"/out/slurm/*/*.log >&2 || true
	exit 1
}

# await waits for a command to succeed.
await() { until "$@"; do sleep 0.2; done; }

port() { python3 - <<<'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

echo "a cluster of two nodes"
dd if=/dev/urandom of="$dir/key" bs=1024 count=1 status=none
chmod 400 "$dir/key"
mkdir -p "$dir/state" "$dir/spool/n1" "$dir/spool/n2"
cat >"$SLURM_CONF" <<EOF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(port)
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$dir/munge,cred_expire=5
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=2
ReturnToService=2
SlurmdTimeout=5
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/%n.log
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(port) CPUs=1 RealMemory=500 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(port) CPUs=1 RealMemory=500 State=UNKNOWN
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
EOF
munged --key-file="$dir/key" --socket="$dir/munge" --pid-file="$dir/munged.pid" --log-file="$dir/munged.log" \
	--seed-file="$dir/seed" --num-threads=1
slurmctld
slurmd -N n1
slurmd -N n2
idle() { [ "$(sinfo -h -N -o %T | sort -u)" = idle ]; }
await idle

go build -o "$dir/slurm" ./scripts/slurm
slurm() { "$dir/slurm" -out "$dir/out" "$@"; }
five() { slurm -figure fig5,warp/fig3 -backend simd "$@" -- --time=60; }

runs=$(five -print | grep -c '^[a-z]*/.*\.quick')
echo "submitted once"
[ "$runs" -gt 18 ] || fail "-print shows $runs runs" # more than have the figures' own names
[ -z "$(squeue -h)" ] || fail "-print has submitted something"
SBATCH_OUTPUT=$dir/elsewhere SBATCH_ERROR=$dir/elsewhere SBATCH_NO_REQUEUE=1 five # the program's own options win
[ "$(squeue -h -r | wc -l)" = $((runs + 1)) ] || fail "there should be $runs tasks and a last one"
[[ $(five) == "Nothing to submit"* ]] || fail "submitted twice"

# weights tells whether a run has saved a checkpoint after an update: the first one has no weights and is small.
weights() { (($(stat -c %s "$records/$1.jsonl.checkpoint" 2>/dev/null || echo 0) > 20000)); }

# catch stops the program of a task in progress, on any node or on one, after it has saved a checkpoint. It sets pid, run,
# task, script and index.
catch() {
	local wanted=${1-} node
	while [ -n "$(squeue -h)" ]; do
		while IFS='|' read -r task node script index; do
			run=$(sed -n "$((index + 1))p" "${script%/*}/runs")
			if [[ -n $wanted && $node != "$wanted" || " $caught " == *" $run "* ]]; then continue; fi
			[ -e "$records/$run.jsonl.checkpoint" ] || continue
			pid=$(pgrep -f "^$dir/out/slurm/1/replicate -figure $run ") || continue
			# A checkpoint is due two seconds after the last one, and saved after the next update.
			kill -STOP "$pid" || continue
			sleep 3
			kill -CONT "$pid"
			until weights "$run" || [ -e "$records/$run.jsonl" ]; do sleep 0.01; done
			kill -STOP "$pid" || continue
			if [ ! -e "$records/$run.jsonl" ]; then
				caught+=" $run"
				return
			fi
			kill -CONT "$pid" || true
		done < <(squeue -h -r -t RUNNING -o '%F_%K|%N|%o|%K' | grep -v draw.sh)
		sleep 0.1
	done
	fail "every run ended before it could be disturbed"
}
records=$dir/out/records
caught=''

catch
echo "requeued, as by a preemption: $run"
scontrol requeue "$task"

catch
echo "killed: $run"
kill -9 "$pid"

catch
echo "near its time limit: $run"
tell() { # Slurm requeues the task, continues its program and ends it
	scancel --quiet --batch --signal=USR1 "$task" 2>/dev/null || true
	! kill -0 "$pid" 2>/dev/null
}
await tell

catch n2
echo "on a node that is lost, and comes back: $run"
kill -9 "$(cat "$dir/n2.pid")"
log=${script%.sh}.$index.log
elsewhere() { grep -q "another process is writing it" "$log"; }
await elsewhere # Slurm has started the task on n1, while the run is still in progress on n2, and locked
kill -CONT "$pid"
slurmd -N n2

ended() { [ -z "$(squeue -h)" ]; }
await ended
[ "$(find "$records" -name '*.jsonl' | wc -l)" = "$runs" ] || fail "not every run is done"
lost=$run resumed=''
for run in ${caught% "$lost"}; do
	name=$(sed 's#/\([^/]*\)$# \1#; s/\./ /g' <<<"$run")
	if grep -qsh "^$name: run 1 of 1, .* updates, from update [1-9]" "$dir"/out/slurm/1/train.*.log; then
		resumed+=1
	else # its last update was done before the signal arrived
		grep -qsh "^$name: complete already" "$dir"/out/slurm/1/train.*.log || fail "$name did not resume"
	fi
done
[ -n "$resumed" ] || fail "every run ended before it could be disturbed"
[ -e "$dir/out/warp/fig5.svg" ] || fail "the last job has drawn nothing"
grep -q '^# Claims' "$dir/out/CLAIMS.md" || fail "the last job has judged nothing"
"$dir/out/slurm/1/replicate" -verify "$dir/out/records" >"$dir/verified.txt" ||
	fail "not every record is the same as that of an undisturbed run"
[[ $(five) == "Nothing to submit"* ]] || fail "submitted again though complete"

echo "failing twice"
broken=$records/warp/fig4/adding200.quick.jsonl.checkpoint
mkdir -p "$broken" # no checkpoint can be a directory
slurm -figure warp/fig4/adding200.quick
await ended
[[ $(tail -qn1 "$dir"/out/slurm/2/train.0.log) == "replicate: "* ]] || fail "no log says that it failed"

echo "cancelled"
rmdir "$broken"
slurm -figure warp/fig4/adding200.quick
begun() { [ -e "$broken" ]; }
await begun
scancel --me --name=warptime
await ended
[ ! -e "${broken%.checkpoint}" ] || fail "it was not cancelled"
echo "all as it should be"
