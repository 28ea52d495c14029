package cell

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/scan"
)

// Builder runs a cell over a sequence. Make one with [New], end it with Done.
//
// Its methods panic, as graph-building functions do, with one line that names the cell, what was given and what is
// wanted.
type Builder struct {
	scope      *model.Scope
	cell       Cell
	layer      Layer
	xs         []*Node
	seeds      []uint64
	gateInit   []chrono.GateInit // nil if not set
	weightInit WeightInit
	initial    InitialState // nil if not set
	context    []*Node
	lengths    *Node // nil if all sequences have T steps
	continues  *Node // nil if states are not carried from batch to batch
	unroll     int
	reverse    bool
	recompute  bool

	// From Done.
	weights map[string]*Node
	begin   []*Node // the states before the first step
}

// New starts the run of a cell over xs. The first is the input [T, R, B, I], float32 or float64; what further ones are
// is defined by the cell ([BNLSTM] and [RHN] take one). The cell's weights become variables under scope, [R, …].
func New(scope *model.Scope, cell Cell, xs ...*Node) *Builder {
	if cell == nil {
		exceptions.Panicf("cell: the cell is nil, want one such as cell.LSTM{Hidden: 128}")
	}
	defer errorsOnly(cell)
	if scope == nil {
		exceptions.Panicf("%#v: the scope is nil, want one for its variables", cell)
	}
	if len(xs) == 0 {
		exceptions.Panicf("%#v: no inputs, want at least one", cell)
	}
	rejectNil(cell, "input", xs)
	checkInputs(fmt.Sprintf("%#v", cell), xs[0], "[T, R, B, I] (steps, trials, batch, features; cell.Sequences makes "+
		"it of [B, T, I]: apply it before Embedding or Dense)", 4)
	layer, err := cell.Layer(xs[0].Shape().Dimensions[3])
	if err != nil {
		panic(err)
	}
	if len(layer.StateDims) == 0 {
		exceptions.Panicf("%#v: it has no states, want one or more, the first of which is its output h", cell)
	}
	return &Builder{scope: scope, cell: cell, layer: layer, xs: xs, weightInit: Orthogonal{},
		unroll: scan.DefaultUnroll}
}

// Seeds gives each trial the seed of its weights. The default is 1 … R, but for R above 1 only if the graph has asked
// for trials before. A trial's initial weights depend on its seed, its scope and its own settings alone, not on the
// other trials nor on the backend.
func (b *Builder) Seeds(seeds ...uint64) *Builder {
	if len(seeds) != b.trials() {
		exceptions.Panicf("%#v: %d seeds, want one for each of %d trials", b.cell, len(seeds), b.trials())
	}
	b.seeds = seeds
	return b
}

// GateInit sets the initialization of the gates' biases: one for all trials, or one for each; the default is
// chrono.Standard{Forget: 1}. Trials with equal seeds and different biases share all other initial weights bit for bit.
//
// chrono.Standard sets the bias of a forget gate, which only [LSTM], [BNLSTM] and [RHN] have: it changes nothing in
// other cells. There, chrono.Range{Min: t, Max: t} gives all units the same time scale of t steps.
func (b *Builder) GateInit(inits ...chrono.GateInit) *Builder {
	if len(inits) != 1 && len(inits) != b.trials() {
		exceptions.Panicf("%#v: %d initializations of its gates, want one, or one for each of %d trials", b.cell,
			len(inits), b.trials())
	}
	defer errorsOnly(b.cell)
	for i, init := range inits {
		if init == nil {
			exceptions.Panicf("%#v: initialization %d of its gates is nil, want a chrono.GateInit", b.cell, i)
		}
		if err := init.Validate(); err != nil {
			exceptions.Panicf("%#v: initialization %d of its gates: %v", b.cell, i, err)
		}
	}
	b.gateInit = inits
	return b
}

// WeightInit sets the initialization of the weight matrices; the default is [Orthogonal].
func (b *Builder) WeightInit(init WeightInit) *Builder {
	if init == nil {
		exceptions.Panicf("%#v: the weight initialization is nil, want one such as cell.Orthogonal{}", b.cell)
	}
	if err := validateInit(init); err != nil {
		exceptions.Panicf("%#v: weight initialization: %v", b.cell, err)
	}
	b.weightInit = init
	return b
}

// InitialState sets how the states before the first step are computed; the default is [Zero]. Context is what initial
// states such as [Contextual] and [NormalState] are computed from; Done panics if the initial state does not use all of
// it. InitialState and From panic if a state is set already.
func (b *Builder) InitialState(initial InitialState, context ...*Node) *Builder {
	if initial == nil {
		exceptions.Panicf("%#v: the initial state is nil, want one such as cell.Zero{}", b.cell)
	}
	if b.initial != nil {
		exceptions.Panicf("%#v: the initial state is set twice, want one InitialState or From", b.cell)
	}
	rejectNil(b.cell, "context", context)
	b.initial, b.context = initial, context
	return b
}

// From sets the states before the first step to the given nodes, [R, B, …] each: the last states of an earlier run, for
// instance. It replaces InitialState.
func (b *Builder) From(state ...*Node) *Builder { return b.InitialState(nodes(state)) }

// Unroll sets how many steps one iteration of the loop holds, as scan.Builder's does; it changes no result beyond
// rounding.
func (b *Builder) Unroll(steps int) *Builder {
	if steps < 1 {
		exceptions.Panicf("%#v: Unroll(%d): at least one step per iteration is needed", b.cell, steps)
	}
	b.unroll = steps
	return b
}

// Reverse runs the cell from the last step to the first. Outputs stay in the order of the inputs: ys[t] belongs to
// xs[t].
func (b *Builder) Reverse() *Builder {
	b.reverse = true
	return b
}

// Recompute saves memory for time, as scan.Builder's does: the backward loop computes products and activations again
// instead of keeping them for all steps. It changes no bit of a result.
func (b *Builder) Recompute() *Builder {
	b.recompute = true
	return b
}

// Done builds the run. It returns the cell's outputs at every step, the first being h [T, R, B, H], and the states
// after the last. It panics if the graph has another number of trials, or has used the scope.
func (b *Builder) Done() (ys, final []*Node) {
	defer errorsOnly(b.cell)
	if b.continues != nil && b.reverse {
		exceptions.Panicf("%#v: Carry and Reverse are both set, want one: a reversed run ends at the first step, "+
			"where the next batch does not continue it", b.cell)
	}
	b.weights = b.variables()
	b.begin = b.initialStates()
	var carried []*model.Variable
	if b.continues != nil {
		b.begin, carried = b.carried(b.begin)
	}
	if b.lengths != nil {
		b.xs = append([]*Node{b.cleared(b.xs[0])}, b.xs[1:]...)
	}
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
		variable.SetNodeValue(StopGradient(final[i]))
	}
	if b.lengths != nil {
		b.clearOutputs(ys)
	}
	return ys, final
}

func (b *Builder) trials() int { return b.xs[0].Shape().Dimensions[1] }

// variables makes the cell's weights, or finds them where they are already.
func (b *Builder) variables() map[string]*Node {
	inits, list := b.gateInit, b.layer.Weights
	if inits == nil {
		inits = []chrono.GateInit{chrono.Standard{Forget: 1}}
	}
	isNew, gates := len(list) > 0 && b.scope.GetVariable(list[0].Name) == nil, false
	b.seeds = seedsFor(layerIn(fmt.Sprintf("%#v", b.cell), b.scope), b.xs[0], b.seeds, b.trials(), isNew)
	draws := make([]Draws, b.trials())
	for trial, seed := range b.seeds {
		init := watched{inits[trial%len(inits)], &gates}
		draws[trial] = Draws{Seed: seed, WeightInit: b.weightInit, GateInit: init}
	}
	weights := variables(b.scope, b.xs[0].Graph(), list, b.xs[0].DType(), draws)
	regularize(b.scope, b.xs[0].Graph(), list, weights)
	if b.gateInit != nil && isNew && !gates {
		exceptions.Panicf("%#v: it has no gates, so GateInit(%#v) would be ignored, want none", b.cell, b.gateInit[0])
	}
	return weights
}

// initialStates are the states before the first step, [R, B, …] each.
func (b *Builder) initialStates() []*Node {
	x, initial := b.xs[0], b.initial
	if initial == nil {
		initial = Zero{}
	}
	var want []shapes.Shape
	for _, dims := range b.layer.StateDims {
		want = append(want, shapes.Make(x.DType(), append([]int{b.trials(), x.Shape().Dimensions[2]}, dims...)...))
	}
	state := initial.Build(b.scope, x.Graph(), want, b.seeds, b.context)
	if i := unused(b.context, state); i >= 0 {
		exceptions.Panicf("%#v: context %d, %s, would be ignored by the initial state %#v", b.cell, i,
			b.context[i].Shape(), initial)
	}
	checkStates(b.cell, state, want)
	return state
}
