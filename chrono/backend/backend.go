// Package backend chooses the engine that computes: NVIDIA cards or CPUs through XLA, or CPUs in pure Go.
//
// Four engines have a name, from the fastest to the one that runs everywhere:
//
//	xla:cuda  XLA on an NVIDIA card; needs cgo, go-xla's CUDA plugin and a card
//	xla:cpu   XLA on the CPU; needs cgo and go-xla's CPU plugin
//	simd      this module's own backend for recurrent graphs, in pure Go
//	go        GoMLX's portable backend, in pure Go
//
// Any other GoMLX configuration works too, "xla:/path/to/plugin.so" or "go:ops_parallel" for instance. Nothing is
// ever downloaded: go-xla's habit of installing missing plugins by itself is switched off.
package backend

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gomlx/compute"
)

// An Engine is one way to compute.
type Engine struct {
	Name    string // what New takes: "xla:cuda", "xla:cpu", "simd" or "go"
	Missing string // what it needs and does not find, on one line; empty if the engine is present

	open func() (compute.Backend, error)
}

// List returns every named engine, the best first, with what each missing one needs. It loads nothing.
func List() []Engine {
	return append(xlaEngines(), goEngines()...)
}

// Choose returns the canonical name of the engine that New(name) would start, without starting it.
//
// An empty name means the environment variable GOMLX_BACKEND and, where that is unset or empty too, the first
// engine of List that is present. The error, one line, says what is missing or which names there are.
func Choose(name string) (string, error) {
	engine, err := choose(name)
	return engine.Name, err
}

// New starts an engine; for the meaning of name see Choose. The caller owns the backend, and may Finalize it.
func New(name string) (compute.Backend, error) {
	engine, err := choose(name)
	if err != nil {
		return nil, err
	}
	b, err := engine.open()
	if err != nil {
		return nil, fmt.Errorf("backend %s does not start: %s", engine.Name, firstLine(err))
	}
	return b, nil
}

func choose(name string) (Engine, error) {
	if name == "" {
		name = os.Getenv(compute.ConfigEnvVar)
	}
	if name == "" {
		for _, engine := range List() {
			if engine.Missing == "" {
				return engine, nil
			}
		}
		return Engine{}, errors.New("no backend is present") // List ends with go, which always is
	}

	engine, known := raw(name)
	for _, e := range List() {
		if e.Name == name {
			engine, known = e, true
		}
	}
	if !known {
		return Engine{}, fmt.Errorf("unknown backend %q: choose one of %s, or a GoMLX configuration such as xla:/path/to/plugin.so",
			name, strings.Join(names(), ", "))
	}
	if engine.Missing != "" {
		return Engine{}, fmt.Errorf("backend %s is not available: %s", name, engine.Missing)
	}
	return engine, nil
}

// raw is the engine of a GoMLX configuration that is none of the named ones; false if no registered backend has its prefix.
func raw(config string) (Engine, bool) {
	prefix, options, _ := strings.Cut(config, ":")
	switch prefix {
	case "xla":
		return rawXLA(options), true
	case "go":
		return Engine{Name: config, open: func() (compute.Backend, error) { return newGo(options) }}, true
	}
	for _, registered := range compute.List() {
		if registered == prefix {
			return Engine{Name: config, open: func() (compute.Backend, error) { return compute.NewWithConfig(config) }}, true
		}
	}
	return Engine{}, false
}

func names() []string {
	var all []string
	for _, engine := range List() {
		all = append(all, engine.Name)
	}
	return all
}

// firstLine is an error's message without the stack that GoMLX's errors bring along.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
