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
	plain, err := newPlain(plugin, settings)
	if err != nil {
		return nil, err
	}
	b := &backend{&wrap.Backend{Backend: plain, Wrap: newFunction}, plugin}
	b.Self = b
	return b, nil
}

// newPlain is go-xla's own backend.
func newPlain(plugin, settings string) (compute.Backend, error) {
	// go-xla logs why a plugin does not load, and returns it too: once is enough.
	defer klog.CaptureState().Restore()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	return goxla.New(configuration(plugin, settings))
}

type value = compute.Value

// backend is go-xla's, with functions of ours.
type backend struct {
	*wrap.Backend
	plugin string
}

// Plugin is the file of the plugin that computes. Results depend on it: whoever keeps some may ask for it.
func (b *backend) Plugin() string { return b.plugin }
