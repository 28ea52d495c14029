// Xla downloads XLA's plugins for this machine. The other programs that download are scripts/data, scripts/bench with
// -peers, and scripts/notebooks.sh.
package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/warptime/warptime/chrono/backend/xla"
	"github.com/warptime/warptime/scripts/internal/command"
)

const usage = `Usage: go run ./scripts/xla [options]

Installs XLA's plugins for this machine: the one for CPUs (the backend xla:cpu)
and, where there is an NVIDIA card, the one for CUDA (xla:cuda). Existing plugins
are kept unless -replace is given; the one for CUDA may also be JAX's.

They are extracted from wheels on PyPI, whose versions and SHA-256 sums are fixed,
without NVIDIA's libraries; this needs python3 with pip. With -wheel=false, go-xla's
own installer downloads them from GitHub, with NVIDIA's libraries, and checks no
sum. Both plugins' licence is Apache-2.0.
`

const exitCodes = `Exit codes: 0 done; 2 a plugin cannot be installed: one line reports why, and no
partial file is left; 130 interrupted.
`

func main() { command.Main("xla", "interrupted", run) }

// run is main without the exit.
func run(ctx context.Context, args []string, out *command.Output) error {
	home, noHome := xla.Directory()
	flags := command.NewFlags(usage, exitCodes)
	byWheel := flags.Bool("wheel", true, "use wheels, which are checked; -wheel=false uses go-xla's installer, which "+
		"checks nothing")
	replace := flags.Bool("replace", false, "replace existing plugins")
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
		if present := existing(plugin, *dir); present != "" && !*replace {
			fmt.Fprintf(out, "xla:%s is there: %s\n", plugin, present)
			continue
		}
		get := getWheel
		if !*byWheel {
			get = getUnchecked
		}
		if err := get(ctx, plugin, *dir, out); err != nil {
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

// existing is the plugin that programs would find, "cpu" or "cuda"; "" if there is none.
func existing(plugin, dir string) string {
	present := xla.FindIn(dir, plugin)
	if present == "" && plugin == "cuda" {
		present = xla.FindJAX()
	}
	return present
}
