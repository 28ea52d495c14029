package cell

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Parts sets each state of the cell separately: with Parts{[]InitialState{g, Zero{}}} the initial h of an LSTM is
// computed from context, and c is zero. Each part gets the whole context. The variables of part i are under the scope
// "part i", with the names that they have for a cell with one state.
type Parts struct {
	Of []InitialState // one for each state of the cell
}

// Build implements InitialState. It panics unless there is one part for each state, or as a part's Build does.
func (p Parts) Build(scope *model.Scope, g *Graph, want []shapes.Shape, seeds []uint64, context []*Node) []*Node {
	if len(p.Of) != len(want) {
		exceptions.Panicf("%#v: %d parts, want one for each of %d states: %v", p, len(p.Of), len(want), want)
	}
	var state []*Node
	for i, of := range p.Of {
		if of == nil {
			exceptions.Panicf("%#v: part %d is nil, want one such as cell.Zero{}", p, i)
		}
		part := of.Build(scope.At("part %d", i), g, want[i:i+1], seeds, context)
		checkStates(of, part, want[i:i+1])
		state = append(state, part...)
	}
	return state
}
