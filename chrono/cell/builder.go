package cell

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/internal/require"
	"github.com/warptime/warptime/chrono/scan"
)

// Builder runs a cell over a sequence, in one layer or several. Make one with [New], end it with Last, Outputs or Done.
type Builder struct {
	layout
	root       *model.Scope
	cell       Cell
	inputs     []*Node // in the layout of trials, as all nodes below
	seeds      []uint64
	gateInit   []chrono.GateInit // nil if not set
	weightInit WeightInit
	initial    InitialState
	context    []*Node
	from       []*Node // the states to begin with; none if the initial ones
	lengths    *Node   // nil if all sequences have T steps
	continues  *Node   // nil if states are not carried from batch to batch
	layers     int
	directions []bool // whether they are reversed
	dropout    float64
	recurrent  float64 // dropout on the recurrence
	unroll     int
	recompute  bool

	runs []*run // from Done
}

// New starts the run of a cell over xs. The first is the input, float32 or float64: [B, T, I], or [T, R, B, I] for R
// trials. What further ones are is defined by the cell ([BNLSTM] and [RHN] take one). The cell's weights become
// variables under scope.
//
// As in GoMLX's layers, a hyperparameter "l2_regularization" of the scope adds that number times the sum of the squares
// of the weights to the trainer's loss. The weights are the matrices of cells, of [Dense], [Convolution] and
// [Contextual]; biases, learned initial states and tables of [Embedding] do not count.
func New(scope *model.Scope, cell Cell, xs ...*Node) *Builder {
	require.That(cell != nil, "cell: the cell is nil, want one such as cell.LSTM{Hidden: 128}")
	defer require.Errors(cell)
	require.That(scope != nil, "%#v: the scope is nil, want one for its variables", cell)
	require.That(len(xs) > 0, "%#v: no inputs, want at least one", cell)
	require.NoNil(fmt.Sprintf("%#v: input", cell), xs)
	checkInputs(fmt.Sprintf("%#v", cell), xs[0], "[B, T, I] (batch, time steps, features), or [T, R, B, I] for R "+
		"trials", 3, 4)
	l := layout{xs[0].Rank() == 3}
	b := &Builder{layout: l, root: scope, cell: cell, inputs: []*Node{l.sequence(xs[0])}, weightInit: Orthogonal{},
		initial: Zero{}, layers: 1, directions: []bool{false}, unroll: scan.DefaultUnroll}
	b.inputs = append(b.inputs, xslices.Map(xs[1:], l.further)...)
	require.That(len(layerFor(cell, xs[0].Shape().Dim(-1)).StateDims) > 0,
		"%#v: it has no states, want one or more, the first of which is its output h", cell)
	return b
}

// layerFor is the cell's layer for inputs of that many features. It panics with the cell's error.
func layerFor(cell Cell, inputs int) Layer {
	layer, err := cell.Layer(inputs)
	if err != nil {
		panic(err)
	}
	return layer
}

// Seeds gives each trial the seed of its weights. By default, they are the seeds that an earlier layer of the
// graph was given first; without one, s … s+R−1, where s is the store's model.ParamInitialSeed, or 1 if it is not set.
// For R above 1 there is a default only if the graph has asked for trials before. A trial's initial weights depend
// on its seed, its scope and its own settings alone, not on the other trials nor on the backend.
func (b *Builder) Seeds(seeds ...uint64) *Builder {
	require.That(len(seeds) == b.trials(), "%#v: %d seeds, want one for each of %d trials", b.cell, len(seeds),
		b.trials())
	b.seeds = slices.Clone(seeds)
	return b
}

// GateInit sets the initialization of the gates' biases: one for all trials, or one for each; the default is
// chrono.Standard{Forget: 1}. Trials with equal seeds and different biases share all other initial weights bit for bit.
//
// chrono.Standard sets the bias of a forget gate, which only [LSTM], [BNLSTM] and [RHN] have. It leaves the units of
// other cells at 2 steps, so Done rejects any Forget but 0 and the default there; chrono.Range{Min: t, Max: t} gives
// all units the same time scale of t steps.
func (b *Builder) GateInit(inits ...chrono.GateInit) *Builder {
	require.That(len(inits) == 1 || len(inits) == b.trials(),
		"%#v: %d initializations of its gates, want one, or one for each of %d trials", b.cell, len(inits), b.trials())
	defer require.Errors(b.cell)
	for i, init := range inits {
		require.That(init != nil, "%#v: initialization %d of its gates is nil, want a chrono.GateInit", b.cell, i)
		err := init.Validate()
		require.That(err == nil, "%#v: initialization %d of its gates: %v", b.cell, i, err)
	}
	b.gateInit = slices.Clone(inits)
	return b
}

// WeightInit sets the initialization of the weight matrices; the default is [Orthogonal]. GoMLX's Scope.WithInitializer
// has no effect on a cell.
func (b *Builder) WeightInit(init WeightInit) *Builder {
	require.That(init != nil, "%#v: the weight initialization is nil, want one such as cell.Orthogonal{}", b.cell)
	b.weightInit = init
	return b
}

// InitialState sets how the states before the first step are computed; the default is [Zero]. Context is what initial
// states such as [Contextual] and [NormalState] are computed from, [B, F] or [R, B, F]; Done panics if the initial
// state does not use all of it. Each layer and direction has an initial state of its own.
func (b *Builder) InitialState(initial InitialState, context ...*Node) *Builder {
	require.That(initial != nil, "%#v: the initial state is nil, want one such as cell.Zero{}", b.cell)
	require.NoNil(fmt.Sprintf("%#v: context", b.cell), context)
	b.initial, b.context = initial, xslices.Map(context, b.state)
	return b
}

// From sets the states before the first step: those that Done of an earlier run returned, [B, …] or [R, B, …] each.
// Without states, the run begins in its InitialState. So a model that passes its further inputs on to From runs over a
// whole sequence, and also one step at a time: see the example of streaming. Done panics with states and Bidirectional.
func (b *Builder) From(states ...*Node) *Builder {
	require.NoNil(fmt.Sprintf("%#v: state", b.cell), states)
	b.from = xslices.Map(states, b.state)
	return b
}

// Unroll sets how many steps one iteration of the loop holds, as scan.Builder's does; it changes no result beyond
// rounding.
func (b *Builder) Unroll(steps int) *Builder {
	require.That(steps >= 1, "%#v: Unroll(%d): at least one step per iteration is needed", b.cell, steps)
	b.unroll = steps
	return b
}

// Reverse runs the cell from the last step to the first. Outputs stay in the order of the inputs: that of step t
// belongs to the input of step t. It excludes Bidirectional.
func (b *Builder) Reverse() *Builder {
	require.That(len(b.directions) == 1, "%#v: Reverse and Bidirectional, want one of them", b.cell)
	b.directions = []bool{true}
	return b
}

// Bidirectional runs the cell in both directions, each with weights of its own, under the scopes "forwards" and
// "backwards". Outputs stand side by side, [B, T, 2H]. The final states are those of the forward run, then those of the
// backward one. It excludes Reverse, Carry and From with states.
func (b *Builder) Bidirectional() *Builder {
	require.That(!b.directions[0], "%#v: Reverse and Bidirectional, want one of them", b.cell)
	b.directions = []bool{false, true}
	return b
}

// Layers sets the number of layers; the default is 1. Each reads the outputs of the one below; their weights are under
// the scopes "layer 0", "layer 1" and so on. Outputs are those of the last. The final states are those of layer 0, then
// those of layer 1, and so on.
func (b *Builder) Layers(n int) *Builder {
	require.That(n >= 1, "%#v: %d layers, want 1 or more", b.cell, n)
	b.layers = n
	return b
}

// Recompute saves memory for time, as scan.Builder's does: the backward loop computes products and activations again
// instead of keeping them for all steps. It changes no bit of a result.
func (b *Builder) Recompute() *Builder {
	b.recompute = true
	return b
}

// Last builds the run, and returns the last layer's output after the last step of each sequence: h [B, H] or [R, B, H],
// or [B, 2H] in both directions. It panics as Done does, and if the cell's output is no state.
func (b *Builder) Last() *Node {
	ys, final := b.Done()
	states := len(final) / len(b.runs)
	var last []*Node
	for i := range b.directions {
		last = append(last, final[len(final)-(len(b.directions)-i)*states])
	}
	joined := Concatenate(last, -1)
	require.That(ys[0].Shape().Dim(-1) == joined.Shape().Dim(-1) && joined.Rank() == ys[0].Rank()-1,
		"%#v: its output is no state, so it has no Last, want the last step of Outputs", b.cell)
	return joined
}

// Outputs builds the run, and returns the last layer's output at every step: h [B, T, H] or [T, R, B, H]. It panics as
// Done does.
func (b *Builder) Outputs() *Node {
	ys, _ := b.Done()
	return ys[0]
}

// Done builds the run. It returns the cell's outputs at every step, the first being h, as Outputs does, and the states
// after the last step, [B, …] or [R, B, …] each: an LSTM's h and c. It panics if the graph has another number of
// trials or has used the scope, or if the scope holds the weights of another cell, or of other layers or directions.
func (b *Builder) Done() (ys, final []*Node) {
	defer require.Errors(b.cell)
	b.check()
	xs, from := b.inputs, b.from
	for k, scopes := range (stack{b.layers, len(b.directions)}).scopes(b.root) {
		if k > 0 {
			xs = []*Node{b.dropped(ys[0])}
		}
		var sides [][]*Node
		for i, scope := range scopes {
			layer := layerFor(b.cell, xs[0].Shape().Dim(-1))
			r := &run{Builder: b, scope: scope, layer: layer, xs: xs, reverse: b.directions[i]}
			if len(from) > 0 {
				r.begin, from = from[:len(r.layer.StateDims)], from[len(r.layer.StateDims):]
			}
			outputs, states := r.build()
			sides, final, b.runs = append(sides, outputs), append(final, states...), append(b.runs, r)
		}
		ys = sides[0]
		for i := range ys {
			if len(sides) > 1 {
				ys[i] = Concatenate([]*Node{sides[0][i], sides[1][i]}, -1)
			}
		}
	}
	return xslices.Map(ys, b.sequenceOut), xslices.Map(final, b.stateOut)
}

// check rejects settings that exclude each other.
func (b *Builder) check() {
	require.That(b.runs == nil, "%#v: it is built already, want only one call of Last, Outputs or Done", b.cell)
	want, layer := stack{b.layers, len(b.directions)}, layerFor(b.cell, b.inputs[0].Shape().Dim(-1))
	several := want.layers * want.directions
	if len(layer.Weights) > 0 {
		found := stackUnder(b.root, layer.Weights[0].Name)
		require.That(found.layers == 0 || found == want, "%#v: scope %s holds the weights of %s, want those of %s",
			b.cell, b.root.Scope(), found, want)
		if several > 1 { // else the run notes it; the scopes below, which are new, cannot
			use(b.root, b.inputs[0].Graph(), layer.Weights[0].Name)
		}
	}
	require.That(b.continues == nil || !b.directions[len(b.directions)-1], "%#v: Carry with Reverse or Bidirectional, "+
		"want one of them: a run from the last step ends at the first, where the next batch does not continue it",
		b.cell)
	require.That(len(b.from) == 0 || want.directions == 1, "%#v: From with Bidirectional, want one of them: the "+
		"backward run of a part of a sequence begins where that of the next part ends", b.cell)
	states := several * len(layer.StateDims)
	require.That(len(b.from) == 0 || len(b.from) == states, "%#v: From %d states, want %d", b.cell, len(b.from), states)
	require.That(several == 1 || len(b.inputs) == 1 && !takesNoise(b.initial), "%#v: %d inputs and the initial state "+
		"%#v, want one input and no noise where there are several layers or directions", b.cell, len(b.inputs),
		b.initial)
	require.That(b.dropout == 0 || b.layers > 1, "%#v: Dropout between the layers of one, want Layers(2) or more",
		b.cell)
}

func (b *Builder) trials() int { return b.inputs[0].Shape().Dimensions[1] }

// A run is that of one layer in one direction.
type run struct {
	*Builder
	scope   *model.Scope
	layer   Layer
	xs      []*Node
	reverse bool
	seeds   []uint64
	weights map[string]*Node
	begin   []*Node // the states before the first step
	h       *Node   // the first output
}

func (b *run) build() (ys, final []*Node) {
	b.weights = b.variables()
	b.begin = b.initialStates()
	var carried []*model.Variable
	if b.continues != nil {
		b.begin, carried = b.carried(b.begin)
	}
	if b.lengths != nil {
		b.xs = append([]*Node{b.repeated(b.xs[0])}, b.xs[1:]...)
	}
	b.xs = b.withMask(b.xs)
	step := b.layer.Step
	stepXs, stepWeights := b.layer.Prepare(slices.Clone(b.xs), b.weights)
	if i := unused(b.xs, slices.Concat(stepXs, stepWeights)); i >= 0 {
		exceptions.Panicf("%#v: input %d, %s, would be ignored, want only inputs that the cell uses", b.cell, i,
			b.xs[i].Shape())
	}
	if b.lengths != nil {
		step, stepXs, stepWeights = b.held(step, stepXs, stepWeights)
	}
	loop := scan.New(step).Unroll(b.unroll)
	if b.reverse {
		loop.Reverse()
	}
	if b.recompute {
		loop.Recompute()
	}
	ys, final = loop.Done(b.begin, stepXs, stepWeights)
	for i, variable := range carried {
		variable.SetNodeValue(StopGradient(b.stateOut(final[i])))
	}
	if b.lengths != nil {
		b.clearOutputs(ys)
	}
	b.h = ys[0]
	return ys, final
}

// variables makes the cell's weights, or finds them where they are already.
func (b *run) variables() map[string]*Node {
	inits, list := b.gateInit, b.layer.Weights
	if inits == nil {
		inits = []chrono.GateInit{chrono.Standard{Forget: 1}}
	}
	drawn, gates := isNew(b.scope, list), false
	b.seeds = b.seedsFor(fmt.Sprintf("%#v", b.cell), b.scope, list, b.xs[0], b.Builder.seeds, b.trials())
	draws := make([]Draws, b.trials())
	for trial, seed := range b.seeds {
		init := watched{inits[trial%len(inits)], &gates}
		draws[trial] = Draws{Seed: seed, WeightInit: b.weightInit, GateInit: init}
	}
	other := b.layer.foreign(b.scope)
	require.That(other == "", "%#v: scope %s holds %q, too, want the cell and the settings that its weights belong to",
		b.cell, b.scope.Scope(), other)
	weights := variables(b.scope, b.xs[0].Graph(), list, b.xs[0].DType(), draws)
	regularize(b.scope, b.xs[0].Graph(), list, weights)
	require.That(b.gateInit == nil || !drawn || gates,
		"%#v: it has no gates, so GateInit(%#v) would be ignored, want none", b.cell, inits[0])
	for _, init := range inits {
		s, standard := init.(chrono.Standard)
		if pointer, ok := init.(*chrono.Standard); ok {
			s, standard = *pointer, true
		}
		require.That(!standard || !drawn || s.Forget == 0 || s.Forget == 1 || b.forgets(s), "%#v: it has no forget "+
			"gate, so %#v would be ignored, want chrono.Range{Min: t, Max: t} with t = chrono.TimeScale(%g)", b.cell, s,
			s.Forget)
	}
	return weights
}

// forgets tells whether the forget bias changes any initial weight.
func (b *run) forgets(init chrono.Standard) bool {
	return slices.ContainsFunc(b.layer.Weights, func(w Weight) bool {
		d := Draws{WeightInit: b.weightInit, GateInit: chrono.Standard{}}
		zero := w.draw(d)
		d.GateInit = init
		return !slices.Equal(zero, w.draw(d))
	})
}

// initialStates are the states before the first step, [R, B, …] each.
func (b *run) initialStates() []*Node {
	x := b.xs[0]
	var want []shapes.Shape
	for _, dims := range b.layer.StateDims {
		want = append(want, shapes.Make(x.DType(), append([]int{b.trials(), x.Shape().Dimensions[2]}, dims...)...))
	}
	state := b.begin
	if len(state) == 0 {
		state = b.initial.Build(b.scope, x.Graph(), want, b.seeds, b.context)
		if i := unused(b.context, state); i >= 0 {
			exceptions.Panicf("%#v: context %d, %s, would be ignored by the initial state %#v", b.cell, i,
				b.context[i].Shape(), b.initial)
		}
	}
	checkStates(b.cell, state, want)
	return state
}
