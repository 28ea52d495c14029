package trial

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/metric"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/internal/axis"
	"github.com/warptime/warptime/chrono/internal/given"
	"github.com/warptime/warptime/chrono/internal/numeric"
	"github.com/warptime/warptime/chrono/internal/require"
)

// Optimizer trains R trials, each with a learning rate and a gradient norm of its own. It is an
// [optimizer.Interface]. One update of a trial's weights θ with the gradient g of its loss is
//
//	g ← g + Decay·θ
//	g ← g·min(1, Clip/‖g‖)
//	θ ← θ − rate·Method(g)
//
// where ‖g‖ is the norm over all the weights of the trial. Decay counts as part of the loss, ½·Decay·Σθ², as in Zilly
// et al. 2017; so its gradient is clipped with the rest, and goes through the method.
//
// For weights of float16 and bfloat16, all of it is computed in float32, and the weights are rounded.
//
// In a graph of trials, all weights must have them as their first axis, [R, …], and be of package cell, or given to
// [Weight]. GoMLX's own optimizers do not fit them: they have one learning rate for all weights, clip each element
// separately, and with "clip_nan" a trial that diverges stops the others. In any other graph, there is one model,
// R = 1, whose weights have any shapes, such as those of GoMLX's layers: then this one clips by the norm over all of
// them.
//
// A store has one optimizer, and a graph one update: learning rates, the number of updates and the moments are kept in
// the store, so that training can be resumed from a checkpoint. A store rejects another method or other Rates, and a
// graph a second update. Rates are where the learning rates begin; in a process that resumes, those of the checkpoint
// count. For another phase of training with other rates, call Multiply; or Clear, after which all of these start over,
// with a new Trainer (an old one has graphs that read what is gone).
//
// GoMLX's checkpoints do not keep whether a weight is frozen: after loading one, call SetTrainable(false) again.
//
// GoMLX's hyperparameter "learning_rate" and its schedules have no effect on it. Trainer.AccumulateGradients of GoMLX
// does not work with it, because it needs an optimizer that takes gradients.
type Optimizer struct {
	Method Method
	Rates  []float64 // initial learning rates, above 0: [R], or one for all
	Clip   float64   // the largest norm of a trial's gradient; 0 for no clipping
	Decay  float64   // L2 weight decay; 0 for none
}

var _ optimizer.Interface = Optimizer{}

// A Method computes how far a weight moves, given its gradient. It works element by element, so that weights and trials
// do not affect each other.
type Method interface {
	// Moments returns the names of what the method stores for a weight from update to update, or a one-line error if
	// the settings are invalid. Each moment has the shape of the weight, and is zero before the first update.
	Moments() ([]string, error)

	// Step returns the step, which is then multiplied by the learning rate, and the next moments, all with the shape of
	// the gradient. n is the number of this update, as a scalar of the gradient's type: it counts those that had the
	// weight, from 1 on.
	Step(gradient *graph.Node, moments []*graph.Node, n *graph.Node) (step *graph.Node, next []*graph.Node)
}

// optimizerScope holds an optimizer's variables: the learning rates, the norms of the last gradients, and each weight's
// number of updates and moments, under their names and the weight's path.
const optimizerScope = "/trial_optimizer"

// errNoStore rejects a nil store, or a scope or graph of one.
var errNoStore = errors.New("trial: the store, scope or graph is nil, want that of a model")

func (o Optimizer) Validate(trials int) error {
	if o.Method == nil {
		return errors.New("trial: an optimizer without a method")
	}
	_, err := o.Method.Moments()
	err = cmp.Or(err, given.Check(len(o.Rates) == 1 || len(o.Rates) == trials,
		"trial: %d learning rates for %d trials, want one, or one per trial", len(o.Rates), trials))
	for r, rate := range o.Rates {
		err = cmp.Or(err, given.Check(rate > 0 && given.Finite(rate),
			"trial: learning rate %d is %g, want a finite number above 0", r, rate))
	}
	return cmp.Or(err,
		given.Check(o.Clip >= 0 && given.Finite(o.Clip),
			"trial: gradients clipped to norm %g, want a finite number, or 0 for no limit", o.Clip),
		given.Check(o.Decay >= 0 && given.Finite(o.Decay),
			"trial: weight decay is %g, want a finite number, 0 or more", o.Decay))
}

// UpdateGraph adds an update on a scalar loss to the graph. It panics, with one line, in the cases that the comment on
// [Optimizer] rejects.
func (o Optimizer) UpdateGraph(scope *model.Scope, g *graph.Graph, loss *graph.Node) {
	if scope == nil || g == nil {
		panic(errNoStore)
	}
	require.That(loss.Shape().IsScalar(), "trial: the loss is %s, want a scalar: trial.Total(losses)", loss.Shape())
	updated, _ := model.GetGraphParam(g, optimizerScope)
	require.That(updated == nil, "trial: a second update in one graph, want one, on the sum of the losses")
	var weights []*model.Variable
	var values []*graph.Node
	for v := range scope.IterVariables() {
		if isWeight(v) && v.InUseByGraph(g) {
			weights, values = append(weights, v), append(values, v.NodeValue(g))
		}
	}
	require.That(len(weights) > 0, "trial: the loss depends on no weights")
	gradients := graph.Gradient(loss, values...)
	trials := o.trials(g, weights)
	if err := o.Validate(trials); err != nil {
		panic(err)
	}
	store := scope.Store()
	o.register(store, trials)
	model.SetGraphParam(g, optimizerScope, true)
	for i := range gradients {
		gradients[i] = widened(gradients[i])
		if o.Decay > 0 {
			gradients[i] = graph.Add(gradients[i], graph.MulScalar(widened(values[i]), o.Decay))
		}
	}
	norm := norms(gradients, trials)
	if o.Clip > 0 {
		gradients = clip(gradients, norm, o.Clip)
	}
	optimizer.IncrementGlobalStep(g, loss.DType()) // GoMLX's loop counts by it
	o.keep(store, norm)
	// Rates are of float64, so that a schedule can change them hundreds of times without adding up rounding errors.
	initial := tensors.FromValue(o.initialRates(trials))
	rates := store.Scope(optimizerScope).VariableWithValue("learning_rates", initial).SetTrainable(false).NodeValue(g)
	for i, weight := range weights {
		o.move(store, weight, gradients[i], rates)
	}
}

// isWeight tells whether a variable is trained. From a checkpoint, all variables come as such: also an optimizer's,
// those of metrics, and GoMLX's state of random numbers for dropout, which is not of floats.
func isWeight(v *model.Variable) bool {
	in := func(scope string) bool { return strings.HasPrefix(v.Path(), scope+"/") }
	return v.Trainable && v.DType().IsFloat() &&
		!slices.ContainsFunc([]string{optimizerScope, "/" + optimizer.Scope, "/" + metric.Scope}, in)
}

// settings describe the optimizer that a store has. They are a parameter of the store and not a variable, and have no
// exported fields, so that they are in no checkpoint: GoMLX's have parameters as JSON. A new process takes the settings
// of the first optimizer that comes.
type settings struct{ text string }

// register makes this the optimizer of the store. It panics if the store has another one.
func (o Optimizer) register(store *model.Store, trials int) {
	if kept := o.LearningRates(store); kept != nil && kept.Shape().Size() != trials {
		exceptions.Panicf("trial: the store has an optimizer of %d trials, and the weights are of %d: it can have one "+
			"only (Clear deletes it)", kept.Shape().Size(), trials)
	}
	rates := o.initialRates(trials)
	if different := slices.Compact(slices.Clone(rates)); len(different) == 1 {
		rates = different // one for all
	}
	own := settings{fmt.Sprintf("%#v with Rates %v", o.Method, rates)}
	value, _ := store.GetParam(optimizerScope)
	there, ok := value.(settings)
	require.That(!ok || there == own, "trial: the store has the optimizer %s, now %s, want one only: Multiply changes "+
		"its rates, Clear deletes it, and another model needs a store of its own", there.text, own.text)
	store.SetParam(optimizerScope, own)
}

// trials returns R, the first axis of all weights, or 1. It panics if they do not agree about it.
func (o Optimizer) trials(g *graph.Graph, weights []*model.Variable) int {
	ofSeveral := func(weight *model.Variable) bool {
		return axis.Declared(g, weight) && weight.Shape().Rank() > 0 && weight.Shape().Dim(0) > 1
	}
	if trials, found := axis.Known(g); trials <= 1 &&
		(found || len(o.Rates) <= 1 && !slices.ContainsFunc(weights, ofSeveral)) {
		return 1
	}
	trials, err := commonTrials(weights)
	if err != nil {
		panic(err)
	}
	axis.Agree(g, trials, "trial: the optimizer's weights")
	for _, weight := range weights {
		require.That(axis.Declared(g, weight), "trial: %d trials may share weight %s, %s, want those of package cell, "+
			"or trial.Weight if each trial uses its own part alone", trials, weight.Path(), weight.Shape())
	}
	return trials
}

// commonTrials returns the first axis of the weights, R, or a one-line error that names two that disagree.
func commonTrials(weights []*model.Variable) (int, error) {
	first := weights[0]
	for _, weight := range weights {
		if weight.Shape().Rank() == 0 {
			return 0, fmt.Errorf("trial: weight %s has shape %s, want the trials as its first axis", weight.Path(),
				weight.Shape())
		}
		if weight.Shape().Dim(0) != first.Shape().Dim(0) {
			return 0, fmt.Errorf("trial: weights %s, %s, and %s, %s, differ in their first axis, want the trials in "+
				"both", first.Path(), first.Shape(), weight.Path(), weight.Shape())
		}
	}
	return first.Shape().Dim(0), nil
}

// keep puts each trial's norm, [R], after that of the update before.
func (o Optimizer) keep(store *model.Store, norm *graph.Node) {
	g, trials := norm.Graph(), norm.Shape().Dim(0)
	none := tensors.FromFlatDataAndDimensions(slices.Repeat([]float64{math.NaN()}, 2*trials), 2, trials)
	norms := store.Scope(optimizerScope).VariableWithValue("gradient_norms", none).SetTrainable(false)
	before := graph.Slice(norms.NodeValue(g), graph.AxisRange(1, 2))
	norms.SetNodeValue(graph.Concatenate([]*graph.Node{before, graph.InsertAxes(norm, 0)}, 0))
}

// initialRates are Rates, one for each trial.
func (o Optimizer) initialRates(trials int) []float64 {
	rates := make([]float64, trials)
	for r := range rates {
		rates[r] = o.Rates[min(r, len(o.Rates)-1)]
	}
	return rates
}

// move updates one weight. Its updates are counted for itself: another graph of the store may have other weights. It is
// not GoMLX's global step, which Clear does not set back.
func (o Optimizer) move(store *model.Store, weight *model.Variable, gradient, rates *graph.Node) {
	g, shape := gradient.Graph(), gradient.Shape()
	names, _ := o.Method.Moments() // its error is Validate's
	names = append([]string{fmt.Sprintf("updates by %T", o.Method)}, names...)
	var scopes []*model.Scope
	for _, name := range names {
		scopes = append(scopes, store.Scope(path.Join(optimizerScope, name, weight.Scope())))
	}
	has := func(s *model.Scope) bool { return s.GetVariable(weight.Name()) != nil }
	require.That(has(scopes[0]) || !slices.ContainsFunc(scopes, has), "trial: the store has moments of weight %s that "+
		"%T has not counted, want those of one method and version (Clear deletes them)", weight.Path(), o.Method)
	updates := scopes[0].VariableWithValue(weight.Name(), int64(0)).SetTrainable(false)
	n := graph.OnePlus(updates.NodeValue(g))
	updates.SetNodeValue(n)
	var variables []*model.Variable
	var moments []*graph.Node
	for _, scope := range scopes[1:] {
		v := scope.WithInitializer(initializer.Zero).VariableWithShape(weight.Name(), shape).SetTrainable(false)
		variables, moments = append(variables, v), append(moments, v.NodeValue(g))
	}
	step, next := o.Method.Step(gradient, moments, graph.ConvertDType(n, shape.DType))
	for _, node := range slices.Concat([]*graph.Node{step}, next) {
		require.That(node.Shape().Equal(shape) && len(next) == len(variables),
			"trial: of weight %s, %T returns %s and %d moments, want %s and %d", weight.Path(), o.Method, node.Shape(),
			len(next), shape, len(variables))
	}
	for i, v := range variables {
		v.SetNodeValue(next[i])
	}
	value := weight.NodeValue(g)
	moved := graph.Sub(widened(value), graph.Mul(perTrial(rates, gradient), step))
	weight.SetNodeValue(graph.ConvertDType(moved, value.DType()))
}

// perTrial gives one value per trial, [R], the type and rank of a weight [R, …], to calculate with both; one value
// alone those of any weight.
func perTrial(values, like *graph.Node) *graph.Node {
	dims := slices.Repeat([]int{1}, like.Rank())
	if len(dims) > 0 {
		dims[0] = values.Shape().Dim(0)
	}
	return graph.Reshape(graph.ConvertDType(values, like.DType()), dims...)
}

// LearningRates returns the variable with the present learning rate of each trial, [R] of float64. There is no other
// place where they are kept. It is nil before the first update, unless it was loaded from a checkpoint.
func (o Optimizer) LearningRates(store *model.Store) *model.Variable {
	return kept(store, "learning_rates")
}

// kept returns the variable of that name; nil if there is none.
func kept(store *model.Store, name string) *model.Variable {
	if store == nil {
		panic(errNoStore)
	}
	return store.GetVariable(path.Join(optimizerScope, name))
}

// GradientNorms returns the variable with the norms of each trial's gradients, including the decay and before clipping:
// [2, R] of float64, row 0 for the update before the last, row 1 for the last. They show how a trial diverged.
// Norms of an update that did not take place are NaN. The variable is nil before the first update, unless it was loaded
// from a checkpoint.
func (o Optimizer) GradientNorms(store *model.Store) *model.Variable {
	return kept(store, "gradient_norms")
}

// Multiply multiplies the learning rates by factors such as those of [ReduceOnPlateau]: [R], or one for all, finite and
// not negative. The error is one line, and leaves the rates as they are.
func (o Optimizer) Multiply(store *model.Store, factors []float64) error {
	if store == nil {
		return errNoStore
	}
	variable := o.LearningRates(store)
	if variable == nil {
		return errors.New("trial: there are no learning rates before the first update")
	}
	value, err := variable.Value()
	if err != nil {
		return err
	}
	rates := numeric.Of(value)
	err = given.Check(len(factors) == 1 || len(factors) == len(rates),
		"trial: %d factors for %d learning rates, want one, or one per trial", len(factors), len(rates))
	for _, factor := range factors {
		err = cmp.Or(err, given.Check(factor >= 0 && given.Finite(factor),
			"trial: a learning rate multiplied by %g, want a finite number, 0 or more", factor))
	}
	if err != nil {
		return err
	}
	for r := range rates {
		rates[r] *= factors[min(r, len(factors)-1)]
	}
	return variable.SetValue(tensors.FromValue(rates))
}

// Clear deletes all of the optimizer's variables, also those of a checkpoint.
func (o Optimizer) Clear(scope *model.Scope) error {
	if scope == nil {
		return errNoStore
	}
	store := scope.Store()
	store.SetParam(optimizerScope, nil)
	if loader := store.Loader(); loader != nil {
		store.SetLoader(cleared{loader})
	}
	return store.DeleteVariablesInScope(optimizerScope)
}

// cleared is a loader without the optimizer's variables, which DeleteVariablesInScope leaves in it until they are asked
// for.
type cleared struct{ model.Loader }

func (c cleared) LoadVariable(store *model.Store, path string) (value *tensors.Tensor, found bool) {
	if !strings.HasPrefix(path, optimizerScope+"/") {
		return c.Loader.LoadVariable(store, path)
	}
	if err := c.DeleteVariable(store, path); err != nil {
		panic(err)
	}
	return nil, false
}
