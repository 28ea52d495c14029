// Xla downloads XLA's plugins for this machine. The other programs that download are scripts/data, scripts/bench with
// -peers, and scripts/notebooks.sh.
package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/warptime/warptime/chrono/backend/xla"
	"github.com/warptime/warptime/scripts/internal/command"
)

const usage = `Usage: go run ./scripts/xla [options]

Installs XLA's plugins for this machine: the one for CPUs (the backend xla:cpu)
and, where there is an NVIDIA card, the one for CUDA (xla:cuda). Existing plugins
are kept; the one for CUDA may also be JAX's.

go-xla's own installer downloads them from GitHub, with NVIDIA's libraries. If
that fails, or with -wheel, they are extracted from wheels on PyPI, without
NVIDIA's libraries; this needs python3 with pip. The wheels' versions and SHA-256
sums are fixed. Both plugins' licence is Apache-2.0.
`

const exitCodes = `Exit codes: 0 done; 2 a plugin cannot be installed: one line reports why, and no
partial file is left; 130 interrupted.
`

func main() { command.Main("xla", "interrupted", run) }

// run is main without the exit.
func run(ctx context.Context, args []string, out *command.Output) error {
	home, noHome := xla.Directory()
	flags := command.NewFlags(usage, exitCodes)
	byWheel := flags.Bool("wheel", false, "use wheels, and replace existing plugins")
	dir := flags.String("dir", home, "install to `dir`; programs find plugins outside the default directory if "+
		"PJRT_PLUGIN_LIBRARY_PATH names it")
	done, err := flags.Parse(args, out)
	switch {
	case done:
		return err
	case noHome != nil && *dir == "":
		return fmt.Errorf("%w: name a directory with -dir", noHome)
	}
	if *dir, err = filepath.Abs(*dir); err != nil {
		return err
	}
	plugins := []string{"cpu"}
	if hasNVIDIA() {
		plugins = append(plugins, "cuda")
	}
	for _, plugin := range plugins {
		if err := get(ctx, plugin, *dir, *byWheel, out); err != nil {
			return err
		}
	}
	if *dir != home {
		fmt.Fprintf(out, "Programs find it with %s=%s.\n", xla.PathVariable, *dir)
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
	installed := make(chan error, 1)
	go func() { installed <- install(plugin, dir) }() // which cannot be interrupted
	var first error
	select {
	case first = <-installed:
	case <-ctx.Done():
		removeUnfinished(plugin, dir)
		return ctx.Err()
	}
	if first == nil {
		return nil
	}
	fmt.Fprintf(stdout, "go-xla's installer failed; taking a wheel instead.\n")
	if err := getWheel(ctx, plugin, dir, stdout); err != nil {
		line, _, _ := strings.Cut(first.Error(), "\n")
		return fmt.Errorf("%w (and go-xla's installer: %s)", err, line)
	}
	return nil
}
