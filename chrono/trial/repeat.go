package trial

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/axis"
	"github.com/warptime/warptime/chrono/internal/require"
)

// Repeat gives each of R trials the same batch: x [B, T, …] of any type, as GoMLX's layers take it, becomes [T, R, B,
// …]. Apply it before any layer.
func Repeat(x *graph.Node, trials int) *graph.Node {
	require.That(x.Rank() >= 2 && trials >= 1, "trial.Repeat: %s for %d trials, want [B, T, …], and 1 trial or more",
		x.Shape(), trials)
	axis.Agree(x.Graph(), trials, "trial.Repeat")
	x = graph.InsertAxes(graph.Transpose(x, 0, 1), 1)
	dims := x.Shape().Clone().Dimensions
	dims[1] = trials
	return graph.BroadcastToDims(x, dims...)
}
