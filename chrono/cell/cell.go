// Package cell holds recurrent cells: one file for each, one step of recurrence in each.
//
// Every tensor has a leading axis of R trials: models of the same shape that are trained side by side in one graph,
// each with weights, seed and data of its own. Weights are [R, I, H], states [R, B, H], sequences [T, R, B, I]. With
// R = 1 it is an ordinary layer.
package cell

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/scan"
)

// Cell is a recurrence: what it learns, what it remembers, and how a step of time goes.
//
// Run it over a sequence with [New].
type Cell interface {
	// Weights lists what one trial learns, for inputs of the given number of features.
	Weights(inputs int) []Weight

	// Init draws the start values of one trial's weights, in the order of Weights, each row-major. The gates' biases
	// come from gates.
	Init(rng *rand.Rand, inputs int, gates chrono.Init) [][]float64

	// State lists the shapes of the states of one sequence of one trial, without [R, B]; the first is the output h.
	State() [][]int

	// Prepare does, for all steps at once, what does not need the past. It turns the inputs [T, R, B, I] into those of
	// Step, each [T, …], and the weights [R, …] into those of Step. Inputs beyond the first are the cell's own, such
	// as dropout masks.
	Prepare(xs, weights []*Node) (stepXs, stepWeights []*Node)

	// Step is one step of time, in the form that scan takes. The first output is h [R, B, H].
	Step(c *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node)
}

// Weight names one learned tensor of a cell; Dims is its shape without the axis of trials.
type Weight struct {
	Name string
	Dims []int
}

// Builder runs a cell over a sequence. Make one with [New], end it with Done.
type Builder struct {
	scope   *model.Scope
	cell    Cell
	xs      []*Node
	seeds   []uint64
	inits   []chrono.Init
	state   []*Node
	unroll  int
	reverse bool
}

// New starts the run of a cell over xs [T, R, B, I]; further inputs are the cell's own. Its weights become variables
// under scope, [R, …]; a second run under the same scope shares them.
func New(scope *model.Scope, cell Cell, xs ...*Node) *Builder {
	if len(xs) == 0 || xs[0].Rank() != 4 || !xs[0].DType().IsFloat() {
		exceptions.Panicf("cell: inputs must be floats [T, R, B, I] (steps, trials, batch, features)")
	}
	return &Builder{scope: scope, cell: cell, xs: xs, unroll: scan.DefaultUnroll}
}

// Seeds gives each trial the seed of its weights; the default is 1 … R. A trial's start values depend on its seed
// alone, not on the other trials nor on the backend.
func (b *Builder) Seeds(seeds ...uint64) *Builder {
	b.seeds = seeds
	return b
}

// Init sets how the gates' biases are drawn: one for all trials, or one for each. The default is chrono.Standard(1).
func (b *Builder) Init(inits ...chrono.Init) *Builder {
	b.inits = inits
	return b
}

// State sets the states before the first step, [R, B, …] each; the default is zero. They may be learned, or computed
// from a context.
func (b *Builder) State(state ...*Node) *Builder {
	b.state = state
	return b
}

// Unroll sets how many steps one iteration of the loop holds, as scan.Builder's does; it changes no result beyond rounding.
func (b *Builder) Unroll(steps int) *Builder {
	b.unroll = steps
	return b
}

// Reverse runs the cell from the last step to the first.
func (b *Builder) Reverse() *Builder {
	b.reverse = true
	return b
}

// Done builds the run. It returns the cell's outputs at every step, the first being h [T, R, B, H], and the states
// after the last. It panics, as graph-building functions do, if shapes or numbers of trials do not agree.
func (b *Builder) Done() (ys, final []*Node) {
	dims := b.xs[0].Shape().Dimensions
	trials, batch, inputs := dims[1], dims[2], dims[3]
	stepXs, stepWeights := b.cell.Prepare(b.xs, b.variables(trials, inputs))
	state := b.state
	if state == nil {
		for _, shape := range b.cell.State() {
			dims := append([]int{trials, batch}, shape...)
			state = append(state, Zeros(b.xs[0].Graph(), shapes.Make(b.xs[0].DType(), dims...)))
		}
	}
	loop := scan.New(b.cell.Step).Unroll(b.unroll)
	if b.reverse {
		loop.Reverse()
	}
	final, ys = loop.Done(state, stepXs, stepWeights)
	return ys, final
}

// variables makes the cell's weights, or finds them where they are already.
func (b *Builder) variables(trials, inputs int) []*Node {
	seeds, inits := b.seeds, b.inits
	if seeds == nil {
		seeds = DefaultSeeds(trials)
	}
	if inits == nil {
		inits = []chrono.Init{chrono.Standard(1)}
	}
	if len(seeds) != trials || (len(inits) != 1 && len(inits) != trials) {
		exceptions.Panicf("cell: %d trials, but %d seeds and %d initializations", trials, len(seeds), len(inits))
	}
	return Variables(b.scope, b.xs[0].Graph(), b.cell.Weights(inputs), b.xs[0].DType(), func(trial int) [][]float64 {
		return b.cell.Init(chrono.RNG(seeds[trial], b.scope.Scope()), inputs, inits[trial%len(inits)])
	}, trials)
}

// DefaultSeeds are 1 … trials.
func DefaultSeeds(trials int) []uint64 {
	seeds := make([]uint64, trials)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	return seeds
}

// Variables makes trainable variables [R, …] for the given weights under scope, and returns their nodes. Where they do
// not exist yet, init gives one trial's start values, row-major and in the order of weights.
//
// Start values are drawn on the host and not by GoMLX's initializers: these draw a whole [R, …] on the device, so that a
// trial's values would depend on R and on the backend, and they take R for a part of the fan-in.
func Variables(scope *model.Scope, g *Graph, weights []Weight, dtype dtypes.DType, init func(trial int) [][]float64,
	trials int) []*Node {
	var drawn [][][]float64
	nodes := make([]*Node, len(weights))
	for i, w := range weights {
		variable := scope.GetVariable(w.Name)
		if variable == nil {
			if drawn == nil {
				for trial := range trials {
					drawn = append(drawn, init(trial))
				}
			}
			var flat []float64
			for trial := range trials {
				flat = append(flat, drawn[trial][i]...)
			}
			value := tensors.FromFlatDataAndDimensions(flat, append([]int{trials}, w.Dims...)...)
			if dtype == dtypes.Float32 {
				value = tensors.FromFlatDataAndDimensions(narrow(flat), append([]int{trials}, w.Dims...)...)
			}
			variable = scope.VariableWithValue(w.Name, value)
		}
		nodes[i] = variable.NodeValue(g)
	}
	return nodes
}

func narrow(values []float64) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}
