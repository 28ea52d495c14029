package trial

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/axis"
	"github.com/warptime/warptime/chrono/internal/require"
)

// SquaredError is the squared error of numbers, [R]: of labels and a prediction, both [T, R, B] or [R, B]. A trial's
// loss is the mean over all of its steps and sequences: a label of −1 is a number, not padding.
func SquaredError(labels, prediction *graph.Node) *graph.Node {
	l, p := labels.Shape(), prediction.Shape()
	require.That((l.Rank() == 2 || l.Rank() == 3) && slices.Equal(l.Dimensions, p.Dimensions) && p.DType.IsFloat(),
		"trial: squared error of labels %s and prediction %s, want both [T, R, B] or [R, B], the "+
			"prediction of floats", l, p)
	axis.Agree(labels.Graph(), l.Dim(-2), "trial: squared error")
	prediction = widened(prediction)
	return mean(graph.Square(graph.Sub(prediction, graph.ConvertDType(labels, prediction.DType()))))
}
