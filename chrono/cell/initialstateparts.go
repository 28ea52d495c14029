package cell

import (
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Parts sets each state of the cell separately: with Parts{Of: []InitialState{g, Zero{}}}, where g is a [Contextual],
// the initial h of an LSTM is computed from context, and c is zero. Each part gets the whole context. The variables of
// part i are under the scope "part i", with the names that they have for a cell with one state.
//
// If a part has noise ([NormalState], or [Learned] with Noise), the last context is ε [R, B, StateSize], for all states
// of the cell. Each such part gets the numbers of its own state. The other parts, among them initial states of your
// own, get the context before ε.
type Parts struct {
	Of []InitialState // one for each state of the cell
}

// Build implements InitialState. It panics unless there is one part for each state, or as a part's Build does.
func (p Parts) Build(scope *model.Scope, g *Graph, want []shapes.Shape, seeds []uint64, context []*Node) []*Node {
	if len(p.Of) != len(want) {
		exceptions.Panicf("%#v: %d parts, want one for each of %d states: %v", p, len(p.Of), len(want), want)
	}
	contexts := p.contexts(want, context)
	var state []*Node
	for i, of := range p.Of {
		if of == nil {
			exceptions.Panicf("%#v: part %d is nil, want one such as cell.Zero{}", p, i)
		}
		part := of.Build(scope.At("part %d", i), g, want[i:i+1], seeds, contexts[i])
		checkStates(of, part, want[i:i+1])
		state = append(state, part...)
	}
	return state
}

// contexts is the context of each part.
func (p Parts) contexts(want []shapes.Shape, context []*Node) [][]*Node {
	own := slices.Repeat([][]*Node{context}, len(p.Of))
	if !p.takesNoise() {
		return own
	}
	before, noise := splitNoise(p, want, context)
	for i, of := range p.Of {
		own[i] = before
		if takesNoise(of) {
			dims := want[i].Dimensions
			own[i] = slices.Concat(before, []*Node{Reshape(noise[i], dims[0], dims[1], -1)})
		}
	}
	return own
}

func (p Parts) takesNoise() bool { return slices.ContainsFunc(p.Of, takesNoise) }

// takesNoise tells whether the last context of an initial state is ε. Parts cannot know it of a user's own.
func takesNoise(initial InitialState) bool {
	noisy, ok := initial.(interface{ takesNoise() bool })
	return ok && noisy.takesNoise()
}
