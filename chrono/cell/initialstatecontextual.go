package cell

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/internal/require"
)

// Contextual is an initial state that a network computes from context, C(2c): h0 = g(context). With Hidden = (n₁, …),
//
//	v₁ = a(context·V₁ + b₁)       [R, B, n₁]
//	v₂ = a(v₁·V₂ + b₂)            [R, B, n₂], and so on
//	state i = o(v·Wᵢ + cᵢ)        for every state of the cell, each with a layer of its own
//
// Without hidden layers each state is one layer of the context. The decoder's initial state of C 1.1.2,
// tanh(W·h_T), is that with Output = TanH{} and an encoder's last state as context.
//
// Context is one node or several, [R, B, F] each, of the type of the states; they are joined along their last axis.
// Gradients reach both the context and g's weights: "weights" [R, F, n], drawn by WeightInit, and "bias" [R, n], zero
// at first, under the scopes "first state/layer 0", … and, of the last layers, "first state/state 0", ….
type Contextual struct {
	Hidden     []int      // units of the hidden layers; none for a single layer
	Activation Activation // a, of the hidden layers; nil where there are none
	Output     Activation // o, of the last layer
	WeightInit WeightInit // of the matrices; they are drawn as read-outs
}

func (c Contextual) check() {
	require.That((len(c.Hidden) > 0) == (c.Activation != nil),
		"%#v: want an activation if there are hidden layers, and only then", c)
	require.That(c.Output != nil && c.WeightInit != nil,
		"%#v: want Output and WeightInit, such as cell.Linear{} and cell.He{}", c)
}

func (c Contextual) Build(scope *model.Scope, _ *Graph, want []shapes.Shape, seeds []uint64, context []*Node) []*Node {
	c.check()
	dtype, trials, batch := want[0].DType, want[0].Dimensions[0], want[0].Dimensions[1]
	require.That(len(context) > 0, "%#v: no context, want one or more of %s [%d, %d, F]", c, dtype, trials, batch)
	for i, node := range context {
		s := node.Shape()
		require.That(s.Check(dtype, trials, batch, -1) == nil && s.Dimensions[2] >= 1,
			"%#v: context %d is %s, want %s [%d, %d, F], F of 1 or more", c, i, s, dtype, trials, batch)
	}
	// At, so that a second run under the same scope finds the same weights.
	scope = scope.At("first state")
	v := Concatenate(context, -1)
	for i, units := range c.Hidden {
		v = c.Activation.Of(Dense(scope.At("layer %d", i), v, units, c.WeightInit, seeds...))
	}
	var state []*Node
	for i, shape := range want {
		flat := Dense(scope.At("state %d", i), v, elements(shape.Dimensions[2:]), c.WeightInit, seeds...)
		state = append(state, Reshape(c.Output.Of(flat), shape.Dimensions...)) // C(2c)
	}
	return state
}
