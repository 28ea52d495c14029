package trial

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/require"
)

// SumOverSteps turns a loss that is the mean over labels [T, R, B] into a sum over the time steps, averaged over the
// sequences: T times as much, or less if there are logits and some labels are negative, such as −1 for padding.
// Zilly et al. 2017 train on the cross entropy summed over 35 steps, and clip its gradient.
func SumOverSteps(loss func(labels, prediction *graph.Node) *graph.Node) func(
	labels, prediction *graph.Node) *graph.Node {
	return func(labels, prediction *graph.Node) *graph.Node {
		require.That(labels.Rank() == 3, "trial: a sum over the steps of labels %s, want [T, R, B]", labels.Shape())
		losses, dims := loss(labels, prediction), labels.Shape().Dimensions
		require.That(slices.Equal(losses.Shape().Dimensions, dims[1:2]), "trial: a sum over the steps of losses %s, "+
			"want [R], one for each of %d trials", losses.Shape(), dims[1])
		count := counted(labels, prediction, dims[1], losses.DType())
		return graph.Mul(losses, graph.Div(count, graph.Scalar(count.Graph(), count.DType(), dims[2])))
	}
}
