//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/scripts/internal/command"
)

// TestMain makes the test binary what the variable says: bench, a process that times for ever, or a parent that times a
// contender whose Python is its argument.
func TestMain(m *testing.M) {
	switch os.Getenv("BENCH_TEST") {
	case "bench":
		main()
	case "timing":
		command.Main("bench", "interrupted", func(ctx context.Context, _ []string, out *command.Output) error {
			endWithParent(ctx)
			fmt.Fprintln(out, "ready")
			select {}
		})
	case "parent":
		contender{module: "torch", python: os.Args[1]}.time(context.Background(), way{}, 600)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func program(t *testing.T, as string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "BENCH_TEST="+as)
	return cmd
}

// A process that times a model ends at SIGTERM, though it is busy.
func TestTimingEndsAtSIGTERM(t *testing.T) {
	cmd := program(t, "timing")
	_, err := cmd.StdinPipe()
	check.OK(t, err)
	stdout, err := cmd.StdoutPipe()
	check.OK(t, err)
	check.OK(t, cmd.Start())
	_, err = bufio.NewReader(stdout).ReadString('\n')
	check.OK(t, err)
	check.OK(t, cmd.Process.Signal(syscall.SIGTERM))
	cmd.Wait()
	check.Equal(t, cmd.ProcessState.ExitCode(), 130, "exit code")
}

// It also ends when the process that started it is gone, which closes its standard input.
func TestTimingEndsWithItsParent(t *testing.T) {
	cmd := program(t, "bench", "-time", "simd", "-only", "gated64", "-seconds", "600")
	stdin, err := cmd.StdinPipe()
	check.OK(t, err)
	check.OK(t, cmd.Start())
	check.OK(t, stdin.Close())
	cmd.Wait()
	check.Equal(t, cmd.ProcessState.ExitCode(), 130, "exit code")
}

// The parent holds its child's standard input, and nobody else does.
func TestParentHoldsStandardInput(t *testing.T) {
	dir := t.TempDir()
	begun, ended := filepath.Join(dir, "begun"), filepath.Join(dir, "ended")
	for _, fifo := range []string{begun, ended} {
		if err := unix.Mkfifo(fifo, 0o600); err != nil {
			t.Skipf("needs fifos: %v", err)
		}
	}
	python := filepath.Join(dir, "python")
	script := "#!/bin/sh\necho > '" + begun + "'\ncat > /dev/null\necho > '" + ended + "'\n"
	check.OK(t, os.WriteFile(python, []byte(script), 0o700))
	parent := program(t, "parent", python)
	check.OK(t, parent.Start())
	check.Read(t, begun) // waits for the child to write
	check.OK(t, parent.Process.Kill())
	parent.Wait()
	check.Read(t, ended)
}
