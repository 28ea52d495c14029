//go:build !(cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64)))

package xla

import (
	"errors"

	"github.com/gomlx/compute"
)

// NotBuilt says why XLA was left out of this program; empty if it was not.
const NotBuilt = "this program was built without XLA, which needs a C compiler (and CGO_ENABLED=1) on linux/amd64, " +
	"linux/arm64 or darwin/arm64"

// New starts the plugin of that file. In this program it cannot, and NotBuilt is the error.
func New(plugin, settings string) (compute.Backend, error) {
	return nil, errors.New(NotBuilt)
}
