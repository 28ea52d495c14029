package replication

import (
	"path"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/support/exceptions"
)

// RMSprop is the optimizer of Tieleman & Hinton 2012 in the form that the papers' frameworks compute it, with one
// learning rate per trial. For every weight θ with gradient g:
//
//	v ← α·v + (1−α)·g²
//	θ ← θ − rate·g/(√v + ε)
//
// It is an [optimizer.Interface]. All weights must have the trials as their first axis, [R, …]; trial r moves by its own
// rate, and if the loss is a sum over trials, by its own loss alone.
//
// GoMLX's optimizer.RMSProp differs: it corrects v for its start at 0, dividing it by 1−αⁿ at step n, so that its first steps
// are up to 1/√(1−α) = 3.2 times shorter at α = 0.9; its α is 0.999 by default, which it reads from Adam's parameter beta2; it has one rate for
// all weights; and it can be told to drop NaNs silently. This one lets a NaN through: it stays in its trial, and
// the record shows it.
type RMSprop struct {
	Rates   []float64 // initial learning rates, [R]
	Alpha   float64   // decay α of the running mean of g²; W uses 0.9
	Epsilon float64   // ε; 1e-8 where the paper is silent
}

// rmspropScope holds the running means, each under its weight's path, and the learning rates.
const rmspropScope = "/rmsprop"

// LearningRates returns the variable with the learning rate of each trial, [R], which a schedule may change between
// steps. It is created with the value of Rates on first use.
func (o RMSprop) LearningRates(store *model.Store) *model.Variable {
	rates := make([]float32, len(o.Rates))
	for r, rate := range o.Rates {
		rates[r] = float32(rate)
	}
	return store.Scope(rmspropScope).VariableWithValue("learning_rates", tensors.FromValue(rates)).SetTrainable(false)
}

// UpdateGraph adds one step of training on a scalar loss to the graph. It panics on errors, as graph-building functions do.
func (o RMSprop) UpdateGraph(scope *model.Scope, g *graph.Graph, loss *graph.Node) {
	gradients := scope.BuildTrainableVariablesGradientsGraph(loss)
	optimizer.IncrementGlobalStep(g, loss.DType())
	rates := o.LearningRates(scope.Store()).NodeValue(g)

	var weights []*model.Variable
	for v := range scope.IterVariables() { // in the order of the gradients
		if v.Trainable && v.InUseByGraph(g) {
			weights = append(weights, v)
		}
	}
	for i, weight := range weights {
		o.update(scope.Store(), weight, gradients[i], rates)
	}
}

func (o RMSprop) update(store *model.Store, weight *model.Variable, gradient, rates *graph.Node) {
	g, shape := gradient.Graph(), gradient.Shape()
	if shape.Rank() == 0 || shape.Dimensions[0] != len(o.Rates) {
		exceptions.Panicf("RMSprop: weight %s has shape %s, want the %d trials as its first axis", weight.Path(), shape, len(o.Rates))
	}
	mean := store.Scope(path.Join(rmspropScope, weight.Scope())).
		WithInitializer(initializer.Zero).
		VariableWithShape(weight.Name(), shape).
		SetTrainable(false)

	v := graph.Add(
		graph.MulScalar(mean.NodeValue(g), o.Alpha),
		graph.MulScalar(graph.Square(gradient), 1-o.Alpha))
	mean.SetNodeValue(v)

	ones := make([]int, shape.Rank())
	for axis := range ones {
		ones[axis] = 1
	}
	ones[0] = len(o.Rates)
	rate := graph.Reshape(graph.ConvertDType(rates, shape.DType), ones...) // [R, 1, …]
	step := graph.Div(graph.Mul(rate, gradient), graph.AddScalar(graph.Sqrt(v), o.Epsilon))
	weight.SetNodeValue(graph.Sub(weight.NodeValue(g), step))
}

// Clear deletes the running means and the learning rates.
func (o RMSprop) Clear(scope *model.Scope) error {
	return scope.Store().DeleteVariablesInScope(rmspropScope)
}
