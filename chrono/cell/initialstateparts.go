package cell

import (
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/internal/require"
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

func (p Parts) Build(scope *model.Scope, g *Graph, want []shapes.Shape, seeds []uint64, context []*Node) []*Node {
	require.That(len(p.Of) == len(want), "%#v: %d parts, want one for each of %d states: %v", p, len(p.Of), len(want),
		want)
	var noise, state []*Node
	if p.takesNoise() {
		context, noise = splitNoise(p, want, context)
	}
	for i, of := range p.Of {
		require.That(of != nil, "%#v: part %d is nil, want one such as cell.Zero{}", p, i)
		own := context
		if takesNoise(of) {
			dims := want[i].Dimensions
			own = slices.Concat(context, []*Node{Reshape(noise[i], dims[0], dims[1], -1)})
		}
		part := of.Build(scope.At("part %d", i), g, want[i:i+1], seeds, own)
		checkStates(of, part, want[i:i+1])
		state = append(state, part...)
	}
	return state
}

func (p Parts) takesNoise() bool { return slices.ContainsFunc(p.Of, takesNoise) }

// takesNoise tells whether the last context of an initial state is ε. Parts cannot know it of a user's own.
func takesNoise(initial InitialState) bool {
	noisy, ok := initial.(interface{ takesNoise() bool })
	return ok && noisy.takesNoise()
}
