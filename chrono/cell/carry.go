package cell

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/internal/require"
)

// Carry carries states from batch to batch: each sequence starts with the final states of the sequence at the same
// place in the previous batch. No gradient passes between batches, so this is backpropagation through time, truncated
// at T steps. A sequence for which continues is 0 or false starts over, from the [InitialState]. continues, of any
// type, is a scalar for all sequences, such as the second input of trial.Streams, or one value for each, [B] or [R, B].
// Before the first batch, it must be 0 or false: there is nothing to continue, and states of zero would take the place
// of the InitialState.
//
// The states are variables under scope that are not trained, so that checkpoints contain them: "carried/training 0" for
// h and so on, and "carried/evaluation 0" when GoMLX does not train. A scope carries the states of one run, and all
// batches must have the same size. For another batch size, for example to sample, do not use Carry, but pass the states
// to From. Done panics with Reverse or Bidirectional: a reversed run ends at the first step, where no batch continues
// it.
func (b *Builder) Carry(continues *Node) *Builder {
	require.That(continues != nil, "%#v: continues is nil, want a node", b.cell)
	if !continues.IsScalar() {
		continues = b.state(continues)
	}
	shape, want := continues.Shape(), b.inputs[0].Shape().Dimensions[1:3]
	require.That(shape.IsScalar() || slices.Equal(shape.Dimensions, want),
		"%#v: Carry is given %s, want a scalar, or %v, a number for each sequence", b.cell, shape, want)
	b.continues = continues
	return b
}

// carried returns the states to begin with, those of the batch before or the given ones, and their variables.
func (b *run) carried(initial []*Node) (states []*Node, variables []*model.Variable) {
	g, name, scope := b.continues.Graph(), "evaluation", b.scope.At("carried")
	if scope.IsTraining(g) {
		name = "training"
	}
	goesOn := b.continues
	if goesOn.DType() != dtypes.Bool {
		goesOn = NotEqual(goesOn, ScalarZero(g, goesOn.DType()))
	}
	for i, state := range xslices.Map(initial, b.stateOut) {
		name := fmt.Sprintf("%s %d", name, i)
		if v := scope.GetVariable(name); v != nil && v.ChangedInGraph(g) {
			exceptions.Panicf("%#v: scope %s has two runs with Carry, want one: put the other under a scope of its own",
				b.cell, b.scope.Scope())
		} else if v != nil && !v.Shape().Equal(state.Shape()) {
			exceptions.Panicf("%#v: the carried state %s is %s, now %s: want batches of one size, or no Carry", b.cell,
				v.Path(), v.Shape(), state.Shape())
		}
		v := scope.VariableWithValue(name, tensors.FromShape(state.Shape())).SetTrainable(false)
		states = append(states, Where(goesOn, b.state(StopGradient(v.NodeValue(g))), initial[i]))
		variables = append(variables, v)
	}
	return states, variables
}
