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
)

// Draws is what one trial's start values are drawn from. Each variable has a stream of its own, and so have the gates'
// biases: models that draw one of them otherwise share all others bit for bit.
type Draws struct {
	Seed       uint64          // the trial's
	Scope      string          // the path of the scope under which the variables stand
	WeightInit WeightInit      // how matrices begin
	GateInit   chrono.GateInit // how the gates' biases begin
}

// RNG returns the stream of random numbers of the variable of that name.
func (d Draws) RNG(variable string) *rand.Rand { return chrono.RNG(d.Seed, d.Scope, variable) }

// Biases draws the biases of the gates of that many units. Asked again, it draws the same.
func (d Draws) GateBiases(units int) chrono.Biases {
	return d.GateInit.Draw(chrono.RNG(d.Seed, d.Scope, "gates", "biases"), units)
}

// Variables makes trainable variables [R, …] for the given weights under scope, float32 or float64, and returns their
// nodes. Where they do not exist yet, draw gives one trial's start values, row-major and in the order of weights. It
// panics if one has no name, if some exist and others do not, or if one that exists has another shape.
//
// Start values are drawn on the host and not by GoMLX's initializers: these draw a whole [R, …] on the device, so that
// a trial's values would depend on R and on the backend, and they take R for a part of the fan-in.
func Variables(scope *model.Scope, g *Graph, weights []Weight, dtype dtypes.DType, trials int,
	draw func(trial int) [][]float64) []*Node {
	found, missing := "", ""
	for i, w := range weights {
		if w.Name == "" {
			exceptions.Panicf("cell: scope %s: weight %d has no name", scope.Scope(), i)
		}
		if scope.GetVariable(w.Name) == nil {
			missing = w.Name
		} else {
			found = w.Name
		}
	}
	if found != "" && missing != "" {
		exceptions.Panicf("cell: scope %s holds %q but not %q, want both or neither: it belongs to another cell",
			scope.Scope(), found, missing)
	}
	if missing != "" {
		create(scope, weights, dtype, trials, draw)
	}
	nodes := make([]*Node, len(weights))
	for i, w := range weights {
		variable, want := scope.GetVariable(w.Name), shapes.Make(dtype, append([]int{trials}, w.Dims...)...)
		if !variable.Shape().Equal(want) {
			exceptions.Panicf("cell: variable %s is %s, want %s (trials first)", variable.Path(), variable.Shape(),
				want)
		}
		nodes[i] = variable.NodeValue(g)
	}
	return nodes
}

// create makes the variables of all trials.
func create(scope *model.Scope, weights []Weight, dtype dtypes.DType, trials int, draw func(trial int) [][]float64) {
	all := make([][]float64, len(weights)) // [R, …] each
	for trial := range trials {
		drawn := draw(trial)
		if len(drawn) != len(weights) {
			exceptions.Panicf("cell: scope %s: start values for %d variables are drawn, want %d", scope.Scope(),
				len(drawn), len(weights))
		}
		for i, w := range weights {
			if size := shapes.Make(dtype, w.Dims...).Size(); len(drawn[i]) != size {
				exceptions.Panicf("cell: scope %s, variable %q: %d start values are drawn, want %d for %v",
					scope.Scope(), w.Name, len(drawn[i]), size, w.Dims)
			}
			all[i] = append(all[i], drawn[i]...)
		}
	}
	for i, w := range weights {
		dims := append([]int{trials}, w.Dims...)
		value := tensors.FromFlatDataAndDimensions(all[i], dims...)
		if dtype == dtypes.Float32 {
			value = tensors.FromFlatDataAndDimensions(narrow(all[i]), dims...)
		}
		scope.VariableWithValue(w.Name, value)
	}
}

func narrow(values []float64) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}

// defaultSeeds are 1 … trials.
func defaultSeeds(trials int) []uint64 {
	seeds := make([]uint64, trials)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	return seeds
}
