package cell

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Carry makes every sequence continue that of the same place in the batch before: its states before the first step are
// that one's last. No gradient passes from batch to batch: it is backpropagation through time, truncated at T steps.
// Where continues is 0 or false, a sequence starts over, from the [InitialState]; it is of any type, one value for
// all sequences, such as the second input of trial.Streams, or one for each, [R, B].
//
// The states are variables under scope that are not trained, so that checkpoints hold them: "carried/training 0" for h
// and so on, and "carried/evaluation 0" while GoMLX does not train. A scope carries the states of one run, and all
// batches must be of one size; to run with another, as to sample, leave Carry out, and give the states to From.
func (b *Builder) Carry(continues *Node) *Builder {
	rejectNil(b.cell, "continues", []*Node{continues})
	shape := continues.Shape()
	if want := b.xs[0].Shape().Dimensions[1:3]; !shape.IsScalar() && !slices.Equal(shape.Dimensions, want) {
		exceptions.Panicf("%#v: Carry is given %s, want a scalar, or %v, a number for each sequence", b.cell, shape,
			want)
	}
	b.continues = continues
	return b
}

// carried returns the states to begin with, those of the batch before or the given ones, and their variables.
func (b *Builder) carried(initial []*Node) (states []*Node, variables []*model.Variable) {
	g, scope, name := b.continues.Graph(), b.scope.In("carried"), "evaluation"
	if scope.IsTraining(g) {
		name = "training"
	}
	goesOn := b.continues
	if goesOn.DType() != dtypes.Bool {
		goesOn = NotEqual(goesOn, ScalarZero(g, goesOn.DType()))
	}
	for i, state := range initial {
		name := fmt.Sprintf("%s %d", name, i)
		if v := scope.GetVariable(name); v != nil && !v.Shape().Equal(state.Shape()) {
			exceptions.Panicf("%#v: the carried state %s is %s, now %s: want batches of one size, or no Carry", b.cell,
				v.Path(), v.Shape(), state.Shape())
		}
		v := scope.VariableWithValue(name, tensors.FromShape(state.Shape())).SetTrainable(false)
		states = append(states, Where(goesOn, StopGradient(v.NodeValue(g)), state))
		variables = append(variables, v)
	}
	return states, variables
}
