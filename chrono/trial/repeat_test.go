package trial_test

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

// Every trial gets the same batch, with time first.
func TestRepeat(t *testing.T) {
	x := [][][]float32{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}} // [B, T, F]
	repeated := graph.MustExecOnce(conformance.Start(t, "go"), func(x *graph.Node) *graph.Node {
		return trial.Repeat(x, 2)
	}, x)
	check.Equal(t, repeated.Value(), any([][][][]float32{ // [T, R, B, F]
		{{{1, 2}, {7, 8}}, {{1, 2}, {7, 8}}}, {{{3, 4}, {9, 10}}, {{3, 4}, {9, 10}}},
		{{{5, 6}, {11, 12}}, {{5, 6}, {11, 12}}},
	}), "batches")
}
