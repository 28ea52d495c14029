package cell

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Dense is an affine read-out for each trial: x [T, R, B, H] or [R, B, H], float32 or float64 → [T, R, B, units] or
// [R, B, units]. Its variables under scope are "weights" [R, H, units], drawn from each trial's seed as init says, and
// "bias" [R, units], zero at first. The default seeds are those of [Builder.Seeds].
//
// It panics, as graph-building functions do, with one line if x has another shape or type, units is not positive, init
// is nil or invalid, the number of seeds is not R, R is not the graph's, or the graph has used the scope.
func Dense(scope *model.Scope, x *Node, units int, init WeightInit, seeds ...uint64) *Node {
	if scope == nil || x == nil || init == nil {
		exceptions.Panicf("cell.Dense: scope, x or init is nil, want all three")
	}
	if err := validateInit(init); err != nil {
		exceptions.Panicf("cell.Dense: %v", err)
	}
	if units < 1 {
		exceptions.Panicf("cell.Dense: %d units, want 1 or more", units)
	}
	checkInputs("cell.Dense", x, "[T, R, B, H] or [R, B, H]", 3, 4)
	dims := x.Shape().Dimensions
	trials, features := dims[len(dims)-3], dims[len(dims)-1]
	isNew := scope.GetVariable("weights") == nil
	seeds = seedsFor(layerIn("cell.Dense", scope), x, seeds, trials, isNew)
	draw := func(d Draws) []float64 { return init.Draw(d.RNG(), Output, features, units) }
	list := []Weight{{"weights", []int{features, units}, draw}, vector("bias", units, 0)}
	weights := Variables(scope, x.Graph(), list, x.DType(), seeds)
	regularize(scope, x.Graph(), list, weights)
	out := x
	if x.Rank() == 3 {
		out = InsertAxes(x, 0)
	}
	out = Add(project(out, weights["weights"]), Reshape(weights["bias"], 1, trials, 1, units))
	if x.Rank() == 3 {
		out = Squeeze(out, 0)
	}
	return out
}
