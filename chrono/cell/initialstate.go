package cell

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// InitialState says what the states are before the first step: [Zero] or [Constant], C(2a), [Learned], C(2b),
// [Contextual], C(2c), [Normal], C(4), or [Parts] of these.
type InitialState interface {
	// Build returns the states, one for each of the wanted shapes [R, B, …]. What it learns stands under scope, and
	// starts from one seed for each trial. Context is what [Builder.InitialState] was given.
	Build(scope *model.Scope, g *Graph, want []shapes.Shape, seeds []uint64, context []*Node) []*Node
}

// StateSize is how many numbers all states of one sequence hold: so many random numbers ε for each sequence do [Normal]
// and a noisy [Learned] want, those of the first state before those of the second.
func StateSize(cell Cell) int {
	size := 0
	for _, dims := range cell.StateDims() {
		size += elements(dims)
	}
	return size
}

func elements(dims []int) int {
	size := 1
	for _, d := range dims {
		size *= d
	}
	return size
}

// Zero is a first state of zeros, C(2a).
type Zero struct{}

// Build implements InitialState.
func (Zero) Build(_ *model.Scope, g *Graph, want []shapes.Shape, _ []uint64, _ []*Node) []*Node {
	var state []*Node
	for _, shape := range want {
		state = append(state, Zeros(g, shape))
	}
	return state
}

// Constant is a first state that is the same in every element of every state, C(2a).
type Constant struct {
	Values []float64 // one, or one for each trial; finite
}

// Build implements InitialState. It panics unless there is one finite value, or one for each trial.
func (c Constant) Build(_ *model.Scope, g *Graph, want []shapes.Shape, _ []uint64, _ []*Node) []*Node {
	trials := want[0].Dimensions[0]
	if len(c.Values) != 1 && len(c.Values) != trials {
		exceptions.Panicf("%#v: %d values, want one, or one for each of %d trials", c, len(c.Values), trials)
	}
	for _, v := range c.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			exceptions.Panicf("%#v: want finite values", c)
		}
	}
	var state []*Node
	for _, shape := range want {
		dims := slices.Repeat([]int{1}, shape.Rank())
		dims[0] = len(c.Values)
		values := Reshape(ConstAsDType(g, shape.DType, c.Values), dims...)
		state = append(state, BroadcastToShape(values, shape))
	}
	return state
}

// Free is a first state that is learned like a weight, C(2b): for each trial and state a variable [R, …] under the
// cell's scope, "first state 0" for h and so on, zero at the start. All sequences of a batch begin with copies of it.
//
// With noise, each copy is the variable + Noise·ε, where ε [R, B, StateSize] is the last context: standard normal
// numbers while training, zeros for the variable itself. The data draw it, as trial.Noise does.
type Learned struct {
	Noise float64 // its standard deviation; finite and not negative
}

// Validate returns an error of one line unless the noise is finite and not negative.
func (f Learned) Validate() error {
	if !(f.Noise >= 0) || math.IsInf(f.Noise, 0) {
		return fmt.Errorf("%#v: want noise of a finite standard deviation, not negative", f)
	}
	return nil
}

// Build implements InitialState. It panics if Validate returns an error, or if there is to be noise and the last
// context is not ε.
func (f Learned) Build(scope *model.Scope, g *Graph, want []shapes.Shape, _ []uint64, context []*Node) []*Node {
	if err := f.Validate(); err != nil {
		exceptions.Panicf("%v", err)
	}
	state := perUnit(scope, g, "first state", want, 0)
	if f.Noise == 0 {
		return state
	}
	_, noise := splitNoise(f, want, context)
	for i := range state {
		state[i] = Add(state[i], MulScalar(noise[i], f.Noise))
	}
	return state
}

// perUnit makes a variable [R, …] under scope for each state, "name 0" and so on, that starts at the given value, and
// returns copies of it for all sequences, [R, B, …].
func perUnit(scope *model.Scope, g *Graph, name string, want []shapes.Shape, start float64) []*Node {
	var copies []*Node
	for i, shape := range want {
		dims := shape.Dimensions[2:]
		list := []Weight{{fmt.Sprintf("%s %d", name, i), dims}}
		learned := Variables(scope, g, list, shape.DType, shape.Dimensions[0], func(int) [][]float64 {
			return [][]float64{slices.Repeat([]float64{start}, elements(dims))}
		})
		copies = append(copies, BroadcastToShape(InsertAxes(learned[0], 1), shape))
	}
	return copies
}

// splitNoise takes ε [R, B, StateSize], the last of the context, and cuts it into one part for each of the wanted
// shapes. It returns the context before it, too.
func splitNoise(first InitialState, want []shapes.Shape, context []*Node) (before, noise []*Node) {
	size := 0
	for _, shape := range want {
		size += elements(shape.Dimensions[2:])
	}
	whole := shapes.Make(want[0].DType, want[0].Dimensions[0], want[0].Dimensions[1], size)
	if len(context) == 0 {
		exceptions.Panicf("%#v: no context, want noise of shape %s as the last", first, whole)
	}
	last := len(context) - 1
	if !context[last].Shape().Equal(whole) {
		exceptions.Panicf("%#v: the last context is %s, want noise of shape %s", first, context[last].Shape(), whole)
	}
	begin := 0
	for _, shape := range want {
		end := begin + elements(shape.Dimensions[2:])
		part := SliceAxis(context[last], -1, AxisRange(begin, end))
		noise = append(noise, Reshape(part, shape.Dimensions...))
		begin = end
	}
	return context[:last], noise
}

// checkStates refuses states that are not of the wanted shapes; name is what they are for.
func checkStates(name any, state []*Node, want []shapes.Shape) {
	if len(state) != len(want) {
		exceptions.Panicf("%#v: %d first states, want %d: %v", name, len(state), len(want), want)
	}
	for i, node := range state {
		if node == nil {
			exceptions.Panicf("%#v: first state %d is nil, want a node", name, i)
		}
		if !node.Shape().Equal(want[i]) {
			exceptions.Panicf("%#v: first state %d is %s, want %s", name, i, node.Shape(), want[i])
		}
	}
}

// nodes is a first state that is there already.
type nodes []*Node

func (n nodes) Build(*model.Scope, *Graph, []shapes.Shape, []uint64, []*Node) []*Node { return n }
