package backend

import (
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
	}{{"simd", 1, 1}, {"simd", 3, 3}, {"simd:threads=2", 3, 1}, {"go", 3, 1}} {
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
	if _, _, err := Shared("no such engine", 2); err == nil {
		t.Error("an unknown engine is started")
	}
}
