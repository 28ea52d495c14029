package contextual

import (
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
)

// recordedState is an initial state that tells afterwards what it was, for measurements.
type recordedState struct {
	of     cell.InitialState
	states []*graph.Node // [R, B, …] each
}

func (r *recordedState) Build(scope *model.Scope, g *graph.Graph, want []shapes.Shape, seeds []uint64,
	context []*graph.Node) []*graph.Node {
	r.states = r.of.Build(scope, g, want, seeds, context)
	return r.states
}

// given is an initial state that the data say: the context [R, B, cell.StateSize], the states of a sequence side by
// side.
type given struct{}

func (given) Build(_ *model.Scope, _ *graph.Graph, want []shapes.Shape, _ []uint64, context []*graph.Node,
) []*graph.Node {
	var states []*graph.Node
	begin := 0
	for _, shape := range want {
		size := shape.Size() / shape.Dimensions[0] / shape.Dimensions[1]
		part := graph.SliceAxis(context[0], -1, graph.AxisRange(begin, begin+size))
		states = append(states, graph.Reshape(part, shape.Dimensions...))
		begin += size
	}
	return states
}
