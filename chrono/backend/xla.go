package backend

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/xla"
)

// installHint names the program that downloads the plugins; they go into a directory where xla.Find looks.
const installHint = "install it with `go run github.com/warptime/warptime/scripts/xla`, or name its directory in " +
	xla.PathVariable

// hasNVIDIA is replaced in tests.
var hasNVIDIA = xla.HasNVIDIA

func cuda() Engine {
	e := Engine{Name: "xla:cuda", open: func() (compute.Backend, error) { return newXLA("cuda") }}
	switch {
	case xla.NotBuilt != "":
		e.Missing = xla.NotBuilt
	case !hasNVIDIA():
		e.Missing = "no NVIDIA card was found"
	case xla.Find("cuda") == "":
		e.Missing = "there is an NVIDIA card, but XLA's plugin for CUDA is not installed; " + installHint
	default:
		e.Why = "XLA on the NVIDIA card"
	}
	return e
}

func xlaCPU() Engine {
	e := Engine{Name: "xla:cpu", open: func() (compute.Backend, error) { return newXLA("cpu") }}
	fast, instructions := processor()
	switch {
	case xla.NotBuilt != "":
		e.Missing = xla.NotBuilt
	case xla.Find("cpu") == "":
		e.Missing = "XLA's plugin for CPUs is not installed; " + installHint
	case fast:
		e.Why = "XLA on the CPU: slower than simd, and seconds to compile each graph; for comparison"
	default:
		e.Why = "XLA on the CPU: faster than simd, since " + instructions
	}
	return e
}

// rawXLA is the engine of "xla:<options>", where options are a plugin's name or file and go-xla's settings, separated
// by commas.
func rawXLA(options string) Engine {
	plugin, _, _ := strings.Cut(options, ",")
	e := Engine{Name: "xla:" + options, open: func() (compute.Backend, error) { return newXLA(options) }}
	if xla.NotBuilt != "" {
		e.Missing = xla.NotBuilt
	} else if filepath.IsAbs(plugin) {
		if info, err := os.Stat(plugin); err != nil || !info.Mode().IsRegular() {
			e.Missing = plugin + " is not a regular file"
		}
	} else if plugin == "" {
		e.Missing = "no plugin is named, want one such as xla:cpu, xla:cuda or xla:/path/to/plugin.so"
	} else if filepath.Base(plugin) != plugin || filepath.Ext(plugin) != "" {
		e.Missing = fmt.Sprintf("plugin %s is a file, want its absolute path", plugin)
	} else if xla.Find(plugin) == "" {
		e.Missing = fmt.Sprintf("there is no plugin %q; %s", plugin, installHint)
	}
	return e
}

// newXLA starts a plugin, by its name or file.
func newXLA(options string) (compute.Backend, error) {
	plugin, settings, _ := strings.Cut(options, ",")
	if !filepath.IsAbs(plugin) {
		plugin = xla.Find(plugin)
	}
	return xla.New(plugin, settings)
}
