package trial_test

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/trial"
)

// Every trial gets the same batch, with time first.
func TestRepeat(t *testing.T) {
	x := [][][]float32{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}} // [B, T, F]
	repeated := graph.MustExecOnce(conformance.Start(t, "go"), func(x *graph.Node) *graph.Node {
		return trial.Repeat(x, 2)
	}, x).Value().([][][][]float32)
	for b, steps := range x {
		for step, features := range steps {
			for r := range 2 {
				if got := repeated[step][r][b]; !slices.Equal(got, features) {
					t.Errorf("step %d, trial %d, sequence %d: %v, want %v", step, r, b, got, features)
				}
			}
		}
	}
}
