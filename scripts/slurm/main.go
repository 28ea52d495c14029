// Slurm trains on a cluster what replicate trains on one machine: a task of a job array for each run, and a last job
// that draws the figures and judges the claims.
package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

const usage = `Usage: go run ./scripts/slurm [options] [-- options of sbatch]
       go run ./scripts/slurm -status | -cancel [-out dir]

Submits to Slurm the runs that are not complete, the longest first: one task
each, which resumes from the run's last checkpoint and puts itself back into
the queue before its time limit. A last job draws the figures and judges the
claims when all have ended. What stands after -- goes to sbatch as it is:

  go run ./scripts/slurm -scale paper -- --partition=gpu --gres=gpu:1 --time=12:00:00

A run that is in the queue is not submitted again, nor is one that has failed
twice with the same error. The directory of -out must be one that all nodes
share.
`

const exitCodes = `Exit codes: 0 done; 2 bad input, or Slurm refused: one line says what.
`

func main() { command.Main("slurm", "", run) }

// run is main without the exit.
func run(ctx context.Context, args []string, out *command.Output) error {
	var c plan.Choice
	flags := command.NewFlags(usage, exitCodes)
	complete := c.Flags(flags)
	status := flags.Bool("status", false, "print how far the runs are that were submitted")
	cancel := flags.Bool("cancel", false, "take out of the queue what was submitted; the runs can be resumed")
	show := flags.Bool("print", false, "print the scripts, and submit nothing")
	flags.Arguments = true
	if done, err := flags.Parse(args, out); done {
		return err
	}
	if err := complete(); err != nil {
		return err
	}
	if *status || *cancel {
		if other := flags.Other("status", "cancel", "out"); other != "" || flags.NArg() > 0 || *status && *cancel {
			return errors.New("-status and -cancel go with -out alone")
		}
	}
	for i, arg := range flags.Args() {
		if i == 0 && !strings.HasPrefix(arg, "-") {
			return fmt.Errorf("unexpected argument %q; options of sbatch stand after --", arg)
		}
		if name, _, _ := strings.Cut(arg, "="); name == "--array" || strings.HasPrefix(arg, "-a") {
			return fmt.Errorf("%s does not go: the array is that of the runs", arg)
		}
	}
	d, err := open(c.Out)
	switch {
	case err != nil:
		return err
	case *status:
		return d.status(ctx, out)
	case *cancel:
		return d.cancel(ctx, out)
	}
	return d.submit(ctx, &c, flags.Args(), *show, out)
}
