package cell

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/internal/require"
)

// Dense is an affine read-out: x [B, T, H] or [B, H], float32 or float64 → [B, T, units] or [B, units]. For trials,
// which have one each, x is [T, R, B, H] or [R, B, H]. (For one model, GoMLX's layers.Dense does the same.) Its
// variables under scope are "weights" [H, units], drawn from each trial's seed as init says, and "bias" [units], zero
// at first. The default seeds are those of [Builder.Seeds].
//
// As the first layer of a graph, Dense takes x for one model's, unless it has four axes, or seeds are given.
func Dense(scope *model.Scope, x *Node, units int, init WeightInit, seeds ...uint64) *Node {
	require.That(scope != nil && x != nil && init != nil, "cell.Dense: scope, x or init is nil, want all three")
	require.That(units >= 1, "cell.Dense: %d units, want 1 or more", units)
	l, dims := layoutOf(x, seeds, 4), slices.Clone(x.Shape().Dimensions)
	last, trials := len(dims)-1, 1
	if l.one {
		checkInputs("cell.Dense", x, "[B, T, H] or [B, H]", 2, 3) // as if the steps were a batch
	} else {
		checkInputs("cell.Dense", x, "[T, R, B, H] or [R, B, H], for R trials", 3, 4)
		trials = dims[last-2]
	}
	batch, features := dims[last-1], dims[last]
	draw := func(d Draws) []float64 { return init.Draw(d.RNG(), Output, features, units) }
	list := []Weight{{"weights", []int{features, units}, draw}, vector("bias", units, 0)}
	seeds = l.seedsFor("cell.Dense", scope, list, x, seeds, trials)
	weights := Variables(scope, x.Graph(), list, x.DType(), seeds)
	regularize(scope, x.Graph(), list, weights)
	out := project(Reshape(x, -1, trials, batch, features), weights["weights"])
	dims[last] = units
	return Reshape(Add(out, Reshape(weights["bias"], 1, trials, 1, units)), dims...)
}
