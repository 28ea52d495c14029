package backend

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd"
)

// Shared starts an engine for several graphs that run at the same time, and returns a backend for each; finalize ends
// them. They share the processor's cores, which is faster than taking turns on all of them: with simd each graph has a
// backend of its own, which uses its part of the cores (the threads of one backend help one graph at a time). Other
// engines share the cores themselves: all graphs have the same backend. The one-line error is that of [New], or says
// that there is no graph.
func Shared(engine string, graphs int) (backends []compute.Backend, finalize func(), err error) {
	if graphs < 1 {
		return nil, nil, fmt.Errorf("backend: %d graphs, want 1 or more", graphs)
	}
	name, err := Choose(engine)
	if err != nil {
		return nil, nil, err
	}
	own := 1
	if name == simd.Name && graphs > 1 {
		name, own = fmt.Sprintf("%s:threads=%d", simd.Name, max(1, runtime.GOMAXPROCS(0)/graphs)), graphs
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
