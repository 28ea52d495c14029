package cell

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/internal/axis"
	"github.com/warptime/warptime/chrono/internal/numeric"
	"github.com/warptime/warptime/chrono/internal/require"
)

// Weight is one learned tensor: what its variable is called, its shape and its initial values.
type Weight struct {
	Name string                  // unique in its scope; the weight's random stream has this name, too
	Dims []int                   // the shape without the axis of trials
	Init func(d Draws) []float64 // draws the initial values of one trial, row-major; nil for zeros
}

// draw returns the initial values of one trial, row-major. It panics, as graph-building functions do, if Init returns
// another number of values than Dims has room for.
func (w Weight) draw(d Draws) []float64 {
	if w.Init == nil {
		return make([]float64, elements(w.Dims))
	}
	d.Name = w.Name
	values := w.Init(d)
	require.That(len(values) == elements(w.Dims), "cell: scope %s, weight %q: Init returned %d values, want %d for %v",
		d.Scope, w.Name, len(values), elements(w.Dims), w.Dims)
	return values
}

// Draws contains what the initial values of one trial are drawn from. Each weight has its own random stream, and the
// biases of the gates share another: drawing one of them differently leaves all others bit-identical.
type Draws struct {
	Seed       uint64          // the trial's
	Scope      string          // the path of the scope that holds the variables
	Name       string          // the weight's
	WeightInit WeightInit      // how matrices are drawn; nil outside of a cell
	GateInit   chrono.GateInit // how the gates' biases are drawn; nil outside of a cell
}

// RNG returns the weight's random stream, from its beginning: after two calls, both streams have the same numbers. To
// draw several parts of a weight, call it once.
func (d Draws) RNG() *rand.Rand { return chrono.RNG(d.Seed, d.Scope, d.Name) }

// GateBiases draws the biases of the gates of that many units. Every call returns the same values. It panics with an
// error if GateInit is nil.
func (d Draws) GateBiases(units int) chrono.Biases {
	require.That(d.GateInit != nil, "cell: scope %s, weight %q: GateInit is nil, want one to draw from", d.Scope,
		d.Name)
	return d.GateInit.Draw(chrono.RNG(d.Seed, d.Scope, "gates", "biases"), units)
}

// Variables creates trainable variables [R, …] for the weights under scope, float32 or float64, and returns their nodes
// by name. There is one trial for each seed. In a graph of one model, variables lack the axis of trials, and their
// nodes have it; variables of one trial are found with and without it. Those that exist already keep their values. It
// panics if a name is empty or used twice, if only some of the variables exist, if one has another shape, if the graph
// has another number of trials, or if a graph uses one scope twice. To share variables on purpose, ask GoMLX for
// another scope of the same path: by scope.Shared from the scope above, or by ResetVisited.
//
// Initial values are drawn on the host and not by GoMLX's initializers. These draw a whole [R, …] on the device, so a
// trial's values would depend on R and on the backend, and they count R as part of the fan-in.
func Variables(scope *model.Scope, g *Graph, weights []Weight, dtype dtypes.DType, seeds []uint64) map[string]*Node {
	require.That(scope != nil && g != nil, "cell.Variables: scope or graph is nil, want both")
	if !axis.IsOne(g) || len(seeds) != 1 {
		axis.Agree(g, len(seeds), "cell.Variables under "+scope.Scope())
	}
	draws := xslices.Map(seeds, func(seed uint64) Draws { return Draws{Seed: seed} })
	return variables(scope, g, weights, dtype, draws)
}

// variables is Variables with the draws of each trial.
func variables(scope *model.Scope, g *Graph, weights []Weight, dtype dtypes.DType, draws []Draws) map[string]*Node {
	existing := make(map[string]bool) // by name, whether there is a variable already
	found, missing := "", ""
	for i, w := range weights {
		_, twice := existing[w.Name]
		require.That(!twice && w.Name != "", "cell: scope %s: weight %d is called %q, want a name of its own",
			scope.Scope(), i, w.Name)
		existing[w.Name] = scope.GetVariable(w.Name) != nil
		if existing[w.Name] {
			found = w.Name
		} else {
			missing = w.Name
		}
	}
	require.That(found == "" || missing == "",
		"cell: scope %s holds %q but not %q, want both or neither: it belongs to another cell", scope.Scope(), found,
		missing)
	nodes := make(map[string]*Node)
	for _, w := range weights {
		use(scope, g, w.Name)
		want, one := shapes.Make(dtype, append([]int{len(draws)}, w.Dims...)...), shapes.Make(dtype, w.Dims...)
		if missing != "" {
			shape := want
			if axis.IsOne(g) {
				shape = one
			}
			scope.VariableWithValue(w.Name, initial(scope, w, shape, draws))
		}
		variable := scope.GetVariable(w.Name)
		axis.Declare(g, variable)
		nodes[w.Name] = variable.NodeValue(g)
		switch shape := variable.Shape(); {
		case len(draws) == 1 && shape.Equal(one):
			nodes[w.Name] = InsertAxes(nodes[w.Name], 0)
		case !shape.Equal(want):
			exceptions.Panicf("cell: variable %s is %s, want %s (trials first)", variable.Path(), shape, want)
		}
	}
	return nodes
}

// use notes that a graph uses a variable of a scope, and panics if it did before. Scopes that GoMLX makes to share
// variables have not been used.
func use(scope *model.Scope, g *Graph, name string) {
	twice := exceptions.TryCatch[error](func() { scope.In("%s of graph %d", name, g.GraphId()) })
	require.That(twice == nil, "cell: scope %s is used twice and would share %q, want a scope for each layer, or one "+
		"of scope.Shared or ResetVisited to share weights", scope.Scope(), name)
}

// initial draws the initial values of a weight for all trials.
func initial(scope *model.Scope, w Weight, shape shapes.Shape, draws []Draws) *tensors.Tensor {
	defer require.Errors(w.Name)
	var all []float64
	for _, d := range draws {
		d.Scope = scope.Scope()
		all = append(all, w.draw(d)...)
	}
	return numeric.Tensor(shape.DType, all, shape.Dimensions)
}

// seedsOf is the parameter of a graph that holds the seeds that its first layer with seeds was given.
const seedsOf = "/chrono seeds"

// seedsFor returns the seeds of a layer's trials, which are the default of [Builder.Seeds] if none are given. It panics
// if there is not one seed for each trial, or if the graph has another number of trials or another layout.
//
// It also panics if the layer is new and nobody has asked for more than one trial: then it is more likely that x has
// four axes for another reason, and would get weights for each of its sequences or steps.
func (l layout) seedsFor(layer string, scope *model.Scope, list []Weight, x *Node, seeds []uint64,
	trials int) []uint64 {
	layer += " under " + scope.Scope()
	_, known := axis.Known(x.Graph())
	first, found := model.GetGraphParam(x.Graph(), seedsOf)
	switch {
	case len(seeds) == 0 && trials > 1 && isNew(scope, list) && !known:
		exceptions.Panicf("%s: input %s would be of R = %d trials, but nothing asked for trials, want R = 1, %d "+
			"seeds, or [B, T, …] for one model", layer, x.Shape(), trials, trials)
	case len(seeds) == 0 && found:
		seeds = first.([]uint64)
	case len(seeds) == 0:
		from := model.GetRootParamOr(scope.Store(), model.ParamInitialSeed, int64(1))
		seeds = xslices.Iota(uint64(from), trials)
	case len(seeds) != trials:
		exceptions.Panicf("%s: %d seeds, want one for each of %d trials", layer, len(seeds), trials)
	case !found:
		model.SetGraphParam(x.Graph(), seedsOf, seeds)
	}
	if l.one {
		trials = axis.None
	}
	axis.Agree(x.Graph(), trials, layer)
	return seeds
}

// isNew tells whether there are to be weights under scope, and are none yet.
func isNew(scope *model.Scope, list []Weight) bool {
	return len(list) > 0 && scope.GetVariable(list[0].Name) == nil
}
