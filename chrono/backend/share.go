package backend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd"
)

// Shared starts an engine for several graphs that run at the same time, and returns a backend for each; finalize ends
// them. They share the processor's cores, which is faster than taking turns on all of them: with simd each graph has a
// backend of its own, which uses its part of the cores, or of the threads of "simd:threads=8", but at least one (the
// threads of one backend help one graph at a time). Other engines share the cores themselves: all graphs have the same
// backend. The one-line error is that of [New], or says that there is no graph.
func Shared(engine string, graphs int) (backends []compute.Backend, finalize func(), err error) {
	if graphs < 1 {
		return nil, nil, fmt.Errorf("backend: %d graphs, want 1 or more", graphs)
	}
	name, err := Choose(engine)
	if err != nil {
		return nil, nil, err
	}
	name, own, err := divided(name, graphs)
	if err != nil {
		return nil, nil, err
	}
	var started []compute.Backend
	finalize = func() {
		for _, b := range started {
			b.Finalize()
		}
	}
	for range own {
		b, err := New(name)
		if err != nil {
			finalize()
			return nil, nil, err
		}
		started = append(started, b)
	}
	return slices.Repeat(started, graphs/own), finalize, nil
}

// divided is the engine to start for several graphs, and how often: its threads are divided among the graphs.
func divided(name string, graphs int) (each string, engines int, err error) {
	engine, options, _ := strings.Cut(name, ":")
	if engine != simd.Name || graphs == 1 {
		return name, 1, nil
	}
	threads, err := simd.Threads(options)
	if err != nil {
		return "", 0, err
	}
	return fmt.Sprintf("%s:threads=%d", simd.Name, max(1, threads/graphs)), graphs, nil
}
