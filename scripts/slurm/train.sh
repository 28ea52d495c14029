#!/bin/bash
#SBATCH --job-name=warptime
#SBATCH --output="{{.Dir}}/train-{{.Piece}}.%a.log"
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
# Written by scripts/slurm. Each task of the array trains one of these runs, from its last checkpoint if it has one.
runs=(
{{range .Runs}}{{.}}
{{end}})
run=${runs[SLURM_ARRAY_TASK_ID]}
task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
errors={{quote .Home}}/errors/${run//\//.} # a line for each failure of the run
says={{quote .Dir}}/train-{{.Piece}}.$SLURM_ARRAY_TASK_ID.stderr

# again puts this task back into the queue, unless it is being cancelled, or Slurm has requeued it.
again() {
	[ "$(squeue -h -j "$task" -o '%T %B')" != "RUNNING $SLURMD_NODENAME" ] || scontrol requeue "$task"
}

# SIGTERM comes before the time limit, and before this task is killed.
program='' stopped=''
trap 'stopped=1; [ -z "$program" ] || kill -TERM $program 2>/dev/null' TERM

[ -z "${SLURM_CPUS_ON_NODE-}" ] || export GOMAXPROCS=$SLURM_CPUS_ON_NODE
{{quote .Dir}}/replicate -run "$run"{{range .Options}} {{quote .}}{{end}} 2>"$says" &
program=$!
[ -z "$stopped" ] || kill -TERM $program
while stopped=; wait $program; code=$?; [ -n "$stopped" ]; do :; done
cat "$says" >&2
case $code in
0) rm -f "$errors" ;;
130) again ;; # it has saved a checkpoint
4) again ;;   # the run is still trained elsewhere, perhaps on a node that Slurm has lost
*)
	error=$(grep -m 1 -E '^(replicate|panic|fatal error): ' "$says" || tail -n 1 "$says")
	((code <= 128)) || error="killed by signal $((code - 128))${error:+: $error}"
	last=$(tail -n 1 "$errors" 2>/dev/null)
	echo "$error" >>"$errors"
	[ "$error" = "$last" ] || again # twice the same, and somebody has to look
	;;
esac
rm -f "$says"
exit $code
