package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/scripts/internal/command"
)

// task runs a program, which trains a run and writes its record, as a task of an array, and returns its exit code. It
// passes on SIGTERM, which comes before the time limit and before the task is killed. If the program fails, task adds
// the reason to the file of the run's errors. It puts the task back into the queue, unless the run is complete or has
// failed too often (see givenUp).
//
// An interruption counts as an error only if the task has saved no further update and Slurm still lists it as running,
// as before its time limit: the next attempt would probably get no further. The error names the last update that is
// saved, so that two are the same only if there is no progress between them. A task that Slurm preempts, cancels or
// requeues is no longer listed as running; this can happen any number of times, even before the first checkpoint.
//
// A shell could do this with trap and wait, but bash 5.2 may end wait too early when a second signal follows.
func task(errors, path string, program []string) (code int) {
	before := saved(path)
	terms := make(chan os.Signal, 1)
	signal.Notify(terms, syscall.SIGTERM)
	var said bytes.Buffer
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, io.MultiWriter(os.Stderr, &said)
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(io.MultiWriter(os.Stderr, &said), "slurm:", err)
		code = 2
	} else {
		ended := make(chan error)
		go func() { ended <- cmd.Wait() }()
		for over := false; !over; {
			select {
			case <-terms:
				cmd.Process.Signal(syscall.SIGTERM)
			case <-ended:
				over = true
			}
		}
		code = exitCode(cmd.ProcessState)
	}
	if code == 0 {
		os.Remove(errors)
		return code
	}
	id := os.Getenv("SLURM_ARRAY_JOB_ID") + "_" + os.Getenv("SLURM_ARRAY_TASK_ID")
	here := runsHere(id)
	stop := false
	switch {
	case code == 4: // the run is still trained elsewhere, perhaps on a node that Slurm has lost
	case code == 130 && (!here || saved(path) > before):
	case code == 130:
		const stuck = "interrupted with no update saved since update %d: submit it with more --time"
		stop = failed(errors, fmt.Sprintf(stuck, before))
	default:
		stop = failed(errors, why(said.String(), code))
	}
	if here && !stop {
		requeue := exec.Command("scontrol", "requeue", id)
		requeue.Stdout, requeue.Stderr = os.Stdout, os.Stderr
		requeue.Run()
	}
	return code
}

// saved is how many updates of a run its checkpoint has; more than any number if its record is complete. A checkpoint
// of update 0 is rewritten by each task, so that it does not count as progress.
func saved(path string) int {
	if _, err := os.Stat(path); err == nil {
		return math.MaxInt
	}
	_, n, _ := record.ReadPartial(path) // 0 without a checkpoint; replicate reports one that is damaged
	return n
}

// exitCode is 128 more than the signal that ended a program, as in a shell.
func exitCode(p *os.ProcessState) int {
	if status := p.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.ExitCode()
}

// why says in one line why a program failed.
func why(said string, code int) string {
	line := command.ErrorLine(said)
	if code <= 128 {
		return line
	}
	return strings.TrimSuffix(fmt.Sprintf("killed by signal %d: %s", code-128, line), ": ")
}

// failed adds an error to the file of a run's errors, and reports whether the run is to stop: because of these errors,
// or because they cannot be counted.
func failed(file, line string) (stop bool) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666) // a full disk must not cost what is there
	if err == nil {
		_, err = f.WriteString(line + "\n")
		if e := f.Close(); err == nil {
			err = e // such as a quota on NFS
		}
	}
	if err != nil {
		const lost = "slurm: %s; not requeued, because this cannot be recorded: %v; correct both, then submit again\n"
		fmt.Fprintf(os.Stderr, lost, line, err)
		return true
	}
	return givenUp(errorsIn(file)) != ""
}

// runsHere reports whether a task is in progress on this node for Slurm: not being cancelled or preempted, and not
// requeued from a node that Slurm has lost.
func runsHere(task string) bool {
	state, err := exec.Command("squeue", "-h", "-j", task, "-o", "%T %B").Output()
	return err == nil && strings.TrimSpace(string(state)) == "RUNNING "+os.Getenv("SLURMD_NODENAME")
}
