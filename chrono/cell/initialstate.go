package cell

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/internal/given"
	"github.com/warptime/warptime/chrono/internal/require"
)

// InitialState computes the states before the first step: [Zero], C(2a), [Learned], C(2b), [Contextual], C(2c),
// [NormalState], C(4), or [Parts] of these. For states that you have already, take [Builder.From].
type InitialState interface {
	// Build returns the states, one for each of the wanted shapes [R, B, …]. Its variables are under scope, and their
	// initial values are drawn from one seed per trial. context is the one given to [Builder.InitialState].
	Build(scope *model.Scope, g *Graph, want []shapes.Shape, seeds []uint64, context []*Node) []*Node
}

// StateSize is how many numbers all states of one sequence hold. [NormalState] and a noisy [Learned] take as many
// random numbers ε for each sequence, those of h first. It panics with the cell's error if its settings are invalid, or
// with another if it is nil.
func StateSize(cell Cell) int {
	require.That(cell != nil, "cell.StateSize: the cell is nil, want one such as cell.LSTM{Hidden: 128}")
	size := 0
	for _, dims := range layerFor(cell, 1).StateDims {
		size += elements(dims)
	}
	return size
}

func elements(dims []int) int { return shapes.Make(dtypes.Float64, dims...).Size() }

// Zero is an initial state of zeros, C(2a).
type Zero struct{}

func (Zero) Build(_ *model.Scope, g *Graph, want []shapes.Shape, _ []uint64, _ []*Node) []*Node {
	return xslices.Map(want, func(shape shapes.Shape) *Node { return Zeros(g, shape) })
}

// Learned is an initial state that is learned like a weight, C(2b): for each trial and state a variable [R, …] under
// the cell's scope, "first state 0" for h and so on, zero before training. All sequences of a batch begin with copies
// of it.
//
// With Noise above 0, each copy is the variable plus Noise·ε. The last context must be ε, [R, B, StateSize]: standard
// normal numbers during training, or zeros to start from the variable itself. trial.Noise adds them to the inputs of a
// batch.
type Learned struct {
	Noise float64 // its standard deviation; finite and not negative
}

func (l Learned) Build(scope *model.Scope, g *Graph, want []shapes.Shape, _ []uint64, context []*Node) []*Node {
	require.That(l.Noise >= 0 && given.Finite(l.Noise), "%#v: want a finite standard deviation, not negative", l)
	state := perUnit(scope, g, "first state", want, 0)
	if l.Noise == 0 {
		return state
	}
	_, noise := splitNoise(l, want, context)
	for i := range state {
		state[i] = Add(state[i], MulScalar(noise[i], l.Noise))
	}
	return state
}

func (l Learned) takesNoise() bool { return l.Noise > 0 }

// perUnit makes a variable [R, …] under scope for each state, "name 0" and so on, with the given initial value, and
// returns copies of it for all sequences, [R, B, …].
func perUnit(scope *model.Scope, g *Graph, name string, want []shapes.Shape, value float64) []*Node {
	var copies []*Node
	for i, shape := range want {
		dims := shape.Dimensions[2:]
		w := Weight{fmt.Sprintf("%s %d", name, i), dims, func(Draws) []float64 {
			return slices.Repeat([]float64{value}, elements(dims))
		}}
		trials := make([]uint64, shape.Dimensions[0]) // whatever their seeds: nothing is drawn
		learned := Variables(scope, g, []Weight{w}, shape.DType, trials)
		copies = append(copies, BroadcastToShape(InsertAxes(learned[w.Name], 1), shape))
	}
	return copies
}

// splitNoise takes ε [R, B, StateSize], the last of the context, and cuts it into one part for each of the wanted
// shapes. It returns the context before it, too.
func splitNoise(of InitialState, want []shapes.Shape, context []*Node) (before, noise []*Node) {
	size := 0
	for _, shape := range want {
		size += elements(shape.Dimensions[2:])
	}
	whole := shapes.Make(want[0].DType, want[0].Dimensions[0], want[0].Dimensions[1], size)
	require.That(len(context) > 0, "%#v: no context, want noise of shape %s as the last", of, whole)
	last := len(context) - 1
	require.That(context[last].Shape().Equal(whole), "%#v: the last context is %s, want noise of shape %s", of,
		context[last].Shape(), whole)
	begin := 0
	for _, shape := range want {
		end := begin + elements(shape.Dimensions[2:])
		part := SliceAxis(context[last], -1, AxisRange(begin, end))
		noise = append(noise, Reshape(part, shape.Dimensions...))
		begin = end
	}
	return context[:last], noise
}

// checkStates rejects states that are not of the wanted shapes; name is what they are for.
func checkStates(name any, state []*Node, want []shapes.Shape) {
	require.That(len(state) == len(want), "%#v: %d initial states, want %d: %v", name, len(state), len(want), want)
	for i, node := range state {
		require.That(node != nil, "%#v: initial state %d is nil, want a node", name, i)
		require.That(node.Shape().Equal(want[i]), "%#v: initial state %d is %s, want %s", name, i, node.Shape(),
			want[i])
	}
}
