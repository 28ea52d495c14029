package simd

import (
	"testing"

	"github.com/warptime/warptime/chrono/backend/simd/internal/exec"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plantest"
)

// HandOver makes threads share all work, however little it is, until the test ends.
func HandOver(tb testing.TB) {
	before := exec.ParallelWork
	exec.ParallelWork = 0
	tb.Cleanup(func() { exec.ParallelWork = before })
}

// Tests check the layout of every graph.
func init() { checkLayout = plantest.Check }

func testBackend(t *testing.T) *Backend {
	t.Helper()
	b := must(New("threads=2")).(*Backend)
	t.Cleanup(b.Finalize)
	return b
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
