//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package backend

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"k8s.io/klog/v2"
)

// installHint names the program that downloads the plugins; they go into a directory where findPlugin looks.
const installHint = "install it with `go run ./scripts/xla`, or name its directory in " + pluginPath

func init() {
	xla.EnableAutoInstall(false)
}

func xlaEngines() []Engine {
	cuda := Engine{Name: "xla:cuda", open: func() (compute.Backend, error) { return newXLA("cuda") }}
	switch {
	case findPlugin("cuda") == "":
		cuda.Missing = "go-xla's CUDA plugin is not installed; " + installHint
	case !hasNVIDIA():
		cuda.Missing = "the plugin is there, but no NVIDIA card"
	}
	cpu := Engine{Name: "xla:cpu", open: func() (compute.Backend, error) { return newXLA("cpu") }}
	if findPlugin("cpu") == "" {
		cpu.Missing = "go-xla's CPU plugin is not installed; " + installHint
	}
	return []Engine{cuda, cpu}
}

// rawXLA is the engine of "xla:<options>", where options are a plugin's name or file and go-xla's settings, separated by commas.
func rawXLA(options string) Engine {
	plugin, _, _ := strings.Cut(options, ",")
	e := Engine{Name: "xla:" + options, open: func() (compute.Backend, error) { return newXLA(options) }}
	if filepath.IsAbs(plugin) {
		if info, err := os.Stat(plugin); err != nil || !info.Mode().IsRegular() {
			e.Missing = plugin + " is no file"
		}
	} else if plugin == "" || findPlugin(plugin) == "" {
		e.Missing = fmt.Sprintf("there is no plugin %q; %s", plugin, installHint)
	}
	return e
}

// newXLA loads a plugin. It always gives go-xla the file and not the name, so that go-xla has nothing to search or to install.
//
// On NVIDIA cards float32 products are computed in float32: go-xla's default there is TF32, which keeps 10 bits of each factor, and
// the results would not agree with the other engines'. "xla:cuda,tf32=true" has it back.
func newXLA(options string) (compute.Backend, error) {
	plugin, settings, more := strings.Cut(options, ",")
	if !filepath.IsAbs(plugin) {
		plugin = findPlugin(plugin)
	}
	config := plugin
	if more {
		config += "," + settings
	}
	if strings.Contains(strings.ToLower(filepath.Base(plugin)), "cuda") && !strings.Contains(settings, "tf32") {
		config += ",tf32=false"
	}
	// go-xla logs why a plugin does not load, and returns it too: once is enough.
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	defer klog.LogToStderr(true)
	return xla.New(config)
}
