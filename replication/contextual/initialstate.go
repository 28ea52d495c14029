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
