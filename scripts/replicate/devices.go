package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

// onCPU tells whether an engine computes without a GPU. Tests have none, and say that simd needs one.
var onCPU = func(engine string) bool {
	name, _, _ := strings.Cut(engine, ":")
	return name == "simd" || name == "go" || engine == "xla:cpu"
}

// onDevice trains runs in a process each, to which CUDA shows one device. What it prints is printed line by line.
func (c request) onDevice(engine, device string, out *command.Output) worker {
	return func(ctx context.Context, task experiment.Task) error {
		program, err := os.Executable()
		if err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, program, "-run", plan.Name(task), "-backend", engine, "-out", c.Out,
			"-trials", strconv.Itoa(c.Options.Trials), "-seed", strconv.FormatUint(c.Options.Seed, 10))
		if c.Unregistered {
			cmd.Args = append(cmd.Args, "-unregistered")
		}
		cmd.Env = append(os.Environ(), "CUDA_VISIBLE_DEVICES="+device)
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		var said bytes.Buffer
		cmd.Stderr = &said
		lines, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		for scanner := bufio.NewScanner(lines); scanner.Scan(); {
			fmt.Fprintf(out, "device %s: %s\n", device, scanner.Text())
		}
		cmd.Wait()
		last := strings.TrimPrefix(command.ErrorLine(said.String()), "replicate: ")
		switch cmd.ProcessState.ExitCode() {
		case 0:
			return nil
		case 4:
			return fmt.Errorf("%s: %w", plan.Name(task), record.ErrBusy)
		case 130:
			return fmt.Errorf("%s: %w", plan.Name(task), run.ErrInterrupted)
		}
		if last == "" {
			last = cmd.ProcessState.String()
		}
		return errors.New("on device " + device + ": " + last)
	}
}
