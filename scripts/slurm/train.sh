#!/bin/bash
#SBATCH --job-name=warptime
# Written by scripts/slurm. Each task of the array trains one of these runs, from its last checkpoint if it has one.
runs=(
{{range .Runs}}{{.}}
{{end}})
run=${runs[SLURM_ARRAY_TASK_ID]}
[ -z "${SLURM_CPUS_ON_NODE-}" ] || export GOMAXPROCS=$SLURM_CPUS_ON_NODE
exec {{quote .Dir}}/slurm task {{quote .Home}}/errors/"${run//\//.}" {{quote .Records}}/"$run.jsonl" \
	{{quote .Dir}}/replicate -run "$run"{{range .Options}} {{quote .}}{{end}}
