// Package backend chooses the engine that computes: an NVIDIA card or a CPU through XLA, or a CPU in pure Go.
//
// Four engines have a name:
//
//	xla:cuda  XLA on an NVIDIA card; needs cgo, XLA's plugin for CUDA and a card
//	simd      this module's own backend for recurrent graphs, in pure Go
//	xla:cpu   XLA on the CPU; needs cgo and XLA's plugin for CPUs
//	go        GoMLX's portable backend, in pure Go
//
// Other GoMLX configurations work too, as "xla:/path/to/plugin.so"; "go:ops_parallel" can deadlock. Nothing is
// ever downloaded: go-xla's habit of installing missing plugins by itself is switched off.
//
// Start engines with [New], not with compute.New. If XLA is built in and GOMLX_BACKEND is unset, compute.New considers
// XLA only, and fails if there is no plugin, although simd is available. For code that calls compute.New anyway, set
// compute.DefaultConfig to "simd" or to the result of [Choose].
//
// # Guarantees
//
// In this table, equal means bit for bit. A number is the largest deviation of an element, relative to the largest
// element of its tensor, in float32 and in float64. Package conformance, TestFirstUpdatesAgree in scripts, and the
// tests of simd and of training check it.
//
//	                                       simd           go              xla:cuda, xla:cpu
//	initial values from the same seeds     equal          equal           equal
//	losses and gradients of loops          2e-5, 1e-11    2e-5, 1e-11     2e-5, 1e-11
//	the same over many steps **            2e-5, 1e-11    5e-3, 1e-11     2e-5, 1e-11
//	sums of n equal numbers, n up to 1e8   1e-6           not promised    not promised
//	products that add n equal numbers      5e-6           not promised    not promised
//	weights after three updates            2e-4, 1e-10    2e-4, 1e-10     2e-4, 1e-10
//	losses of a figure's first 3 updates   the reference  1e-5            1e-5
//	a trial alone and among others         equal          2e-4 *          2e-4 after three updates
//	any number of threads and of jobs      equal          equal           not promised
//	reductions in a loop's step            all            all             all
//	time to compile a loop                 milliseconds   milliseconds    2 to 13 seconds
//	memory to train an LSTM                0.7 GB         not measured    1.2 GB (H = 128, B = 128, T = 2000)
//
// * After three updates. Equal where networks are so small that the engine computes products in the same way for all R.
//
// ** Tested at T = 784 and T = 2000 with B = 128, on sums of terms so alike that their rounding errors do not cancel;
// the row above it at T = 5 with B = 3. Engine go adds float32 numbers one after the other.
package backend

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd"
)

// An Engine is one of the engines that [List] returns.
type Engine struct {
	Name    string // for New: "xla:cuda", "simd", "xla:cpu" or "go"
	Missing string // what the engine needs but this machine lacks, on one line; empty if the engine is available
	Why     string // the reason for or against the engine on this machine, on one line; empty if it is missing

	open func() (compute.Backend, error)
}

// List returns every named engine, the fastest on this machine first, with what each missing one needs. It loads
// nothing.
func List() []Engine {
	if fast, _ := processor(); fast {
		return []Engine{cuda(), simdEngine(), xlaCPU(), goEngine()}
	}
	return []Engine{cuda(), xlaCPU(), simdEngine(), goEngine()}
}

// Named reports whether a name is that of an engine of List, with options such as "simd:threads=2" or without: New then
// loads no file that the name chooses.
func Named(name string) bool {
	engine, _, _ := strings.Cut(name, ",") // "xla:cpu,tf32=false"
	family, _, _ := strings.Cut(name, ":")
	return !strings.ContainsAny(name, `/\`) && slices.ContainsFunc(List(), func(e Engine) bool {
		return e.Name == engine || e.Name == family
	})
}

// Choose returns the canonical name of the engine that New(name) would start, without starting it.
//
// An empty name means the value of the environment variable GOMLX_BACKEND. If that is unset or empty too, it means the
// first engine of List that is available: xla:cuda if there is a card; else simd, unless the processor has neither AVX2
// nor NEON and xla:cpu is available. The one-line error names what is missing, or the names that are known.
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
		line, _, _ := strings.Cut(err.Error(), "\n") // without the stack that GoMLX and go-xla add
		return nil, fmt.Errorf("backend %s does not start: %s", engine.Name, line)
	}
	return b, nil
}

func choose(name string) (Engine, error) {
	engines := List()
	if name == "" {
		name = os.Getenv(compute.ConfigEnvVar)
	}
	if name == "" {
		available := func(e Engine) bool { return e.Missing == "" } // as simd and go always are
		return engines[slices.IndexFunc(engines, available)], nil
	}

	engine, known := raw(name)
	var names []string
	for _, e := range engines {
		if names = append(names, e.Name); e.Name == name {
			engine, known = e, true
		}
	}
	if !known {
		return Engine{}, fmt.Errorf(
			"unknown backend %q: choose one of %s, or a GoMLX configuration such as xla:/path/to/plugin.so", name,
			strings.Join(names, ", "))
	}
	if engine.Missing != "" {
		return Engine{}, fmt.Errorf("backend %s is not available: %s", name, engine.Missing)
	}
	return engine, nil
}

// raw is the engine of a GoMLX configuration that is none of the named ones; false if no registered backend has its
// prefix.
func raw(config string) (Engine, bool) {
	prefix, options, _ := strings.Cut(config, ":")
	switch prefix {
	case "xla":
		return rawXLA(options), true
	case simd.Name:
		return simdWith(options), true
	case "go":
		options = sequential + "," + options // the last one counts
		return Engine{Name: config, open: func() (compute.Backend, error) { return newGo(options) }}, true
	}
	open := func() (compute.Backend, error) { return compute.NewWithConfig(config) }
	return Engine{Name: config, open: open}, slices.Contains(compute.List(), prefix)
}
