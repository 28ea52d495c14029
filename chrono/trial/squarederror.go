package trial

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/internal/axis"
)

// SquaredError is the squared error of numbers: of labels and a prediction, both [T, R, B] or [R, B]. A trial's loss
// is the mean over its steps and sequences.
type SquaredError struct{}

// Losses implements Loss.
func (SquaredError) Losses(labels, prediction *graph.Node) *graph.Node {
	l, p := labels.Shape(), prediction.Shape()
	if (l.Rank() != 2 && l.Rank() != 3) || !slices.Equal(l.Dimensions, p.Dimensions) {
		exceptions.Panicf("trial: squared error of labels %s and prediction %s, want both [T, R, B] or [R, B]", l, p)
	}
	axis.Agree(labels.Graph(), l.Dim(-2), "trial: squared error")
	prediction = widened(prediction)
	return mean(graph.Square(graph.Sub(prediction, graph.ConvertDType(labels, prediction.DType()))))
}
