package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/warptime/warptime/scripts/internal/command"
)

// task runs a program, which trains a run, as a task of an array, and returns its exit code. It passes on SIGTERM,
// which comes before the time limit and before the task is killed. If the program fails, task adds the reason to the
// file of the run's errors. It puts the task back into the queue, unless the run is complete or has failed twice with
// the same error.
//
// A shell could do this with trap and wait, but bash 5.2 may end wait too early when a second signal follows.
func task(errors string, program []string) (code int) {
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
	switch code {
	case 0:
		os.Remove(errors)
	case 130: // it has saved a checkpoint
		again()
	case 4: // the run is still trained elsewhere, perhaps on a node that Slurm has lost
		again()
	default:
		if !failed(errors, why(said.String(), code)) {
			again()
		}
	}
	return code
}

// exitCode is 128 more than the signal that ended a program, as in a shell.
func exitCode(p *os.ProcessState) int {
	if status := p.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.ExitCode()
}

// An error line of replicate, or how Go begins to report a bug.
var errorLine = regexp.MustCompile(`(?m)^(?:replicate|panic|fatal error): .*`)

// why says in one line why a program failed.
func why(said string, code int) string {
	line := errorLine.FindString(said)
	if line == "" {
		line = command.LastLine(said)
	}
	if code <= 128 {
		return line
	}
	return strings.TrimSuffix(fmt.Sprintf("killed by signal %d: %s", code-128, line), ": ")
}

// failed adds an error to a file, and reports whether it is the last one of the file, too.
func failed(file, line string) (twice bool) {
	before, _ := os.ReadFile(file)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666) // a full disk must not cost what is there
	if err == nil {
		_, err = f.WriteString(line + "\n")
		f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "slurm:", err)
	}
	return strings.HasSuffix("\n"+string(before), "\n"+line+"\n")
}

// again puts this task back into the queue, unless it is being cancelled, or Slurm has requeued it.
func again() {
	task := os.Getenv("SLURM_ARRAY_JOB_ID") + "_" + os.Getenv("SLURM_ARRAY_TASK_ID")
	state, err := exec.Command("squeue", "-h", "-j", task, "-o", "%T %B").Output()
	if err != nil || strings.TrimSpace(string(state)) != "RUNNING "+os.Getenv("SLURMD_NODENAME") {
		return
	}
	requeue := exec.Command("scontrol", "requeue", task)
	requeue.Stdout, requeue.Stderr = os.Stdout, os.Stderr
	requeue.Run()
}
