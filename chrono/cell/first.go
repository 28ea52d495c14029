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

// FirstState says what the states are before the first step: [Zero], [Constant] or [Free].
type FirstState interface {
	// Build returns the states, one for each of the wanted shapes [R, B, …]. What it learns stands under scope, and
	// starts from one seed for each trial. Context is what [Builder.First] was given.
	Build(scope *model.Scope, g *Graph, want []shapes.Shape, seeds []uint64, context []*Node) []*Node
}

// Zero is a first state of zeros, C(2a).
type Zero struct{}

// Build implements FirstState.
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

// Build implements FirstState. It panics unless there is one finite value, or one for each trial.
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
// cell's scope, "first state 0" for h and so on, zero at the start. All sequences of a batch begin with the same.
type Free struct{}

// Build implements FirstState.
func (Free) Build(scope *model.Scope, g *Graph, want []shapes.Shape, _ []uint64, _ []*Node) []*Node {
	var state []*Node
	for i, shape := range want {
		dims := shape.Dimensions[2:]
		list := []Weight{{fmt.Sprintf("first state %d", i), dims}}
		learned := Variables(scope, g, list, shape.DType, shape.Dimensions[0], func(int) [][]float64 {
			return [][]float64{make([]float64, shapes.Make(shape.DType, dims...).Size())}
		})
		state = append(state, BroadcastToShape(InsertAxes(learned[0], 1), shape))
	}
	return state
}

// nodes is a first state that is there already.
type nodes []*Node

func (n nodes) Build(*model.Scope, *Graph, []shapes.Shape, []uint64, []*Node) []*Node { return n }
