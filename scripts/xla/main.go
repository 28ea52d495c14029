// Xla gets XLA's plugins for this machine. Nothing else in this project downloads anything, but for scripts/data.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/warptime/warptime/chrono/backend/xla"
)

const usage = `Usage: go run ./scripts/xla [-wheel] [-dir directory]

Gets XLA's plugins for this machine: the one for CPUs (the backend xla:cpu) and, where there is an NVIDIA card, the one
for CUDA (xla:cuda). A plugin that is there is left as it is; so is CUDA's if an installed JAX has brought one along.

They come from go-xla's own installer, with NVIDIA's libraries; it needs GitHub. If that fails, or with -wheel, they are
taken out of wheels on PyPI, without NVIDIA's libraries; that needs python3 with pip. The wheels' versions and
SHA-256 sums are fixed, and both plugins' licence is Apache-2.0.

  -wheel      take wheels, and replace a plugin that is there
  -dir path   where the plugins go (default %s);
              programs find them elsewhere than there if PJRT_PLUGIN_LIBRARY_PATH names the directory
  -help       say this

Exit codes: 0 done; 2 a plugin cannot be had: one line says why, and nothing half-written stays behind; 130 interrupted.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends it at once
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case err != nil && ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "\nxla: interrupted")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "xla:", firstLine(err))
		os.Exit(2)
	}
}

// run is main without the exit.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	home, err := xla.Directory()
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("xla", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // its errors have a line, and are enough without the usage
	byWheel := flags.Bool("wheel", false, "")
	dir := flags.String("dir", home, "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		_, err = fmt.Fprintf(stdout, usage, home)
		return err
	} else if err != nil {
		return fmt.Errorf("%w; see -help", err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	}
	if *dir, err = filepath.Abs(*dir); err != nil {
		return err
	}
	plugins := []string{"cpu"}
	if hasNVIDIA() {
		plugins = append(plugins, "cuda")
	}
	for _, plugin := range plugins {
		if err := get(ctx, plugin, *dir, *byWheel, stdout); err != nil {
			return err
		}
	}
	if *dir != home {
		fmt.Fprintf(stdout, "Programs find it with %s=%s.\n", xla.PathVariable, *dir)
	}
	return nil
}

// hasNVIDIA is replaced in tests.
var hasNVIDIA = xla.HasNVIDIA

// get gets one plugin, "cpu" or "cuda".
func get(ctx context.Context, plugin, dir string, byWheel bool, stdout io.Writer) error {
	if byWheel {
		return getWheel(ctx, plugin, dir, stdout)
	}
	present := xla.FindIn(dir, plugin)
	if present == "" && plugin == "cuda" {
		present = xla.FindJAX()
	}
	if present != "" {
		fmt.Fprintf(stdout, "xla:%s is there: %s\n", plugin, present)
		return nil
	}
	first := install(plugin, dir)
	if first == nil {
		return nil
	}
	fmt.Fprintf(stdout, "go-xla's installer failed; taking a wheel instead.\n")
	if err := getWheel(ctx, plugin, dir, stdout); err != nil {
		return fmt.Errorf("%w (and go-xla's installer: %s)", err, firstLine(first))
	}
	return nil
}

// firstLine is an error's message without the stack that go-xla's errors bring along.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
