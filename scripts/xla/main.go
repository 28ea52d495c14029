// Xla downloads XLA's plugins for this machine. The other programs that download are scripts/data, scripts/bench.sh
// with -peers, and scripts/notebooks.sh.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"path/filepath"

	"github.com/warptime/warptime/chrono/backend/xla"
	"github.com/warptime/warptime/scripts/internal/command"
)

const usage = `Usage: go run ./scripts/xla [-dir dir]

Installs XLA's plugins for this machine: the one for CPUs (the backend xla:cpu)
and, where there is an NVIDIA card, the one for CUDA (xla:cuda). Existing plugins
are kept, also JAX's for CUDA; to replace one, delete it before.

They are extracted from wheels on PyPI, whose versions and SHA-256 sums are fixed,
without NVIDIA's libraries; this needs python3 with pip. Their licence is
Apache-2.0. Exit codes: 0 done; 2 a plugin cannot be installed: one line reports
why, and no partial file is left; 4 interrupted.
`

func main() { command.Main("xla", run) }

// run is main without the exit.
func run(ctx context.Context, args []string, out *command.Output) error {
	home, noHome := xla.Directory()
	flags := &flag.FlagSet{}
	dir := flags.String("dir", home, "install to `dir`; programs find plugins outside the default directory if\n"+
		xla.PathVariable+" names it")
	err := cmp.Or(command.Parse(flags, usage, args, out), command.NoArguments(flags))
	switch {
	case err != nil:
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
	var failed error
	for _, plugin := range plugins { // one may be known where the other is not
		if present := existing(plugin, *dir); present != "" {
			fmt.Fprintf(out, "xla:%s is there: %s\n", plugin, present)
		} else if err := getWheel(ctx, plugin, *dir, out); err != nil {
			failed = cmp.Or(failed, err)
		}
	}
	if failed != nil {
		return failed
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
