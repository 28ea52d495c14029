#!/bin/bash
#SBATCH --job-name=warptime-figures
# Written by scripts/slurm. When all runs have ended, this draws the figures and judges the claims.
{{quote .Dir}}/figures -records {{quote .Records}} -out {{quote .Out}} -pages {{quote .Out}}
