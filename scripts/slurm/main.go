// Slurm trains on a cluster what replicate trains on one machine: a task of a job array for each run, and a last job
// that draws the figures and judges the claims.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

const usage = `Usage: go run ./scripts/slurm [options] [-- options of sbatch]
       go run ./scripts/slurm -status | -cancel [-out dir]

Submits the incomplete runs to Slurm, the longest first, as one task each. A
task resumes from its run's last checkpoint and requeues itself before its time
limit. When all have ended, a last job draws the figures and checks the claims.
Options after -- go to sbatch unchanged:

  go run ./scripts/slurm -scale paper -- --partition=gpu --gres=gpu:1 --time=12:00:00

A run is not submitted again while it is in the queue, nor after it has failed
twice in a row with the same error, or five times in all. All nodes must share
the directory of -out.
`

const exitCodes = `Exit codes: 0 done; 2 bad input, or an error of Slurm: one line reports it.
`

func main() {
	if len(os.Args) > 4 && os.Args[1] == "task" { // by the script of an array: train.sh
		os.Exit(task(os.Args[2], os.Args[3], os.Args[4:]))
	}
	command.Main("slurm", "", start)
}

// start is main without the exit.
func start(ctx context.Context, args []string, out *command.Output) error {
	var c plan.Choice
	flags := command.NewFlags(usage, exitCodes)
	complete := c.Flags(flags)
	status := flags.Bool("status", false, "print the progress of the submitted runs")
	cancel := flags.Bool("cancel", false, "remove the submitted runs from the queue; they can be resumed")
	show := flags.Bool("print", false, "print the scripts and submit nothing")
	flags.Arguments = true
	if done, err := flags.Parse(args, out); done {
		return err
	}
	if err := complete(); err != nil {
		return err
	}
	if *status || *cancel {
		if other := flags.Other("status", "cancel", "out"); other != "" || flags.NArg() > 0 || *status && *cancel {
			return errors.New("-status and -cancel can be combined with -out only")
		}
	}
	if err := checkOptions(flags.Args()); err != nil {
		return err
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
