//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package xla

import (
	"io"

	"github.com/gomlx/compute"
	goxla "github.com/gomlx/go-xla/compute/xla"
	"k8s.io/klog/v2"

	"github.com/warptime/warptime/chrono/backend/internal/wrap"
)

// NotBuilt says why XLA was left out of this program; empty if it was not.
const NotBuilt = ""

func init() { goxla.EnableAutoInstall(false) }

// New starts the plugin of that file, an absolute path. The settings are go-xla's, separated by commas ("tf32=true");
// most need none. Errors are those of the plugin and of go-xla.
func New(plugin, settings string) (compute.Backend, error) {
	setFlags(plugin)
	// go-xla logs why a plugin does not load, and returns it too: once is enough.
	defer klog.CaptureState().Restore()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	plain, err := goxla.New(configuration(plugin, settings))
	if err != nil {
		return nil, err
	}
	return &wrap.Backend{Backend: plain, Wrap: newFunction, File: plugin}, nil
}

type value = compute.Value
