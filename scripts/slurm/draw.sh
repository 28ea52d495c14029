#!/bin/bash
#SBATCH --job-name=warptime-figures
#SBATCH --output="{{.Dir}}/draw.log"
#SBATCH --open-mode=append
#SBATCH --requeue
# Written by scripts/slurm. When all runs have ended, this draws the figures and judges the claims.
{{quote .Dir}}/figures -records {{quote .Records}} -out {{quote .Out}} -claims {{quote .Claims}}
