package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/warptime/warptime/scripts/internal/command"
)

// task runs a program as a task of an array, and returns its exit code. It passes on SIGTERM, which comes before the
// time limit and before the task is killed. A task whose program is not complete goes back into the queue, unless it
// has ended in the same way twice in a row: it has failed, or was interrupted at the same update, as it would be for
// ever with too short a time limit. The file holds how it ended last.
//
// A task that Slurm cancels, preempts or requeues is no longer listed as running: it is none of these, any number of
// times. Neither is one whose run another process still trains, perhaps on a node that Slurm has lost.
//
// A shell could do this with trap and wait, but bash 5.2 may end wait too early when a second signal follows.
func task(file string, program []string) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, program[0], program[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdout, cmd.Stderr = os.Stdout, io.MultiWriter(os.Stderr, &said)
	if err := cmd.Run(); cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "slurm:", err)
		code = 2
	} else {
		code = cmd.ProcessState.ExitCode()
	}
	id := os.Getenv("SLURM_ARRAY_JOB_ID") + "_" + os.Getenv("SLURM_ARRAY_TASK_ID")
	if code == 0 || !runsHere(id) {
		return code
	}
	if code != command.Incomplete || ctx.Err() != nil {
		how := "failed"
		if code == command.Incomplete {
			how = command.LastLine(said.String())
		}
		if before, _ := os.ReadFile(file); string(before) == how {
			why := command.LastLine(said.String())
			fmt.Fprintln(os.Stderr, "slurm: not requeued, because it ended like this twice:", why)
			return code
		}
		if err := os.WriteFile(file, []byte(how), 0o666); err != nil { // else it would go on for ever
			fmt.Fprintln(os.Stderr, "slurm: not requeued:", err)
			return code
		}
	}
	if _, err := ask("scontrol", "requeue", id); err != nil {
		fmt.Fprintln(os.Stderr, "slurm: not requeued:", err)
	}
	return code
}

// runsHere reports whether a task is in progress on this node for Slurm: not being cancelled or preempted, and not
// requeued from a node that Slurm has lost.
func runsHere(task string) bool {
	state, err := ask("squeue", "-h", "-j", task, "-o", "%T %B")
	if err != nil {
		fmt.Fprintln(os.Stderr, "slurm: not requeued:", err)
	}
	return strings.TrimSpace(state) == "RUNNING "+os.Getenv("SLURMD_NODENAME")
}

// ask runs a program of Slurm, up to five times: where many tasks end at once, the controller is busy.
func ask(program string, args ...string) (said string, err error) {
	for range 5 {
		if said, err = output(context.Background(), program, args...); err == nil {
			return said, nil
		}
		time.Sleep(time.Second)
	}
	return "", err
}
