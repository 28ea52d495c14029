package backend

import (
	"runtime"
	"testing"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/internal/check"
)

// Graphs that run at the same time have threads of their own on simd; other engines share theirs.
func TestShared(t *testing.T) {
	for _, c := range []struct {
		engine    string
		graphs    int
		different int
	}{{"simd", 1, 1}, {"simd", 3, 3}, {"simd:threads=2", 3, 3}, {"simd:", 2, 2}, {"go", 3, 1}, {"go:", 2, 1}} {
		backends, finalize, err := Shared(c.engine, c.graphs)
		check.OK(t, err)
		different := map[compute.Backend]bool{}
		for _, b := range backends {
			different[b] = true
		}
		check.Equal(t, len(backends), c.graphs, "%s: backends", c.engine)
		check.Equal(t, len(different), c.different, "%s for %d graphs: different backends", c.engine, c.graphs)
		finalize()
		for b := range different {
			check.Equal(t, b.IsFinalized(), true, "%s: finalized", c.engine)
		}
	}
	for _, graphs := range []int{0, -1} {
		_, _, err := Shared("simd", graphs)
		check.Rejected(t, graphs, err, "want 1 or more")
	}
	_, _, err := Shared("no such engine", 2)
	check.That(t, err != nil, "an unknown engine is started")
	t.Setenv(compute.ConfigEnvVar, "simd:threads=4")
	backends, finalize, err := Shared("", 2)
	check.OK(t, err)
	defer finalize()
	check.Equal(t, backends[0] != backends[1], true, "the environment's simd: two backends")
}

// The threads are divided, those that are asked for or else those of all cores, and no graph is without one.
func TestDivided(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(6))
	for _, c := range []struct {
		name   string
		graphs int
		each   string
		number int
	}{
		{"simd", 1, "simd", 1}, {"simd:threads=8", 1, "simd:threads=8", 1}, {"go", 3, "go", 1},
		{"simd", 3, "simd:threads=2", 3}, {"simd:", 4, "simd:threads=1", 4}, {"simd", 9, "simd:threads=1", 9},
		{"simd:threads=8", 2, "simd:threads=4", 2}, {"simd:threads=2", 3, "simd:threads=1", 3},
	} {
		each, number, err := divided(c.name, c.graphs)
		check.OK(t, err)
		check.Equal(t, each, c.each, "%s for %d graphs", c.name, c.graphs)
		check.Equal(t, number, c.number, "%s for %d graphs: number", c.name, c.graphs)
	}
}
