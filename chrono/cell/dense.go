package cell

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
	"github.com/warptime/warptime/chrono"
)

// Dense is an affine read-out for each trial: x [T, R, B, H] or [R, B, H] → [T, R, B, units] or [R, B, units]. Its
// variables under scope are "weights" [R, H, units], Glorot-uniform from each trial's seed, and "bias" [R, units], zero at
// the start. Without seeds they are 1 … R. It panics if the rank is neither 3 nor 4 or the number of seeds not R.
func Dense(scope *model.Scope, x *Node, units int, seeds ...uint64) *Node {
	if x.Rank() != 3 && x.Rank() != 4 {
		exceptions.Panicf("cell: Dense needs [T, R, B, H] or [R, B, H], got %s", x.Shape())
	}
	dims := x.Shape().Dimensions
	trials, features := dims[len(dims)-3], dims[len(dims)-1]
	if len(seeds) == 0 {
		seeds = DefaultSeeds(trials)
	}
	if len(seeds) != trials {
		exceptions.Panicf("cell: Dense over %d trials got %d seeds", trials, len(seeds))
	}
	list := []Weight{{"weights", []int{features, units}}, {"bias", []int{units}}}
	weights := Variables(scope, x.Graph(), list, x.DType(), func(trial int) [][]float64 {
		return [][]float64{glorot(chrono.RNG(seeds[trial], scope.Scope()), features, units), make([]float64, units)}
	}, trials)
	out := x
	if x.Rank() == 3 {
		out = InsertAxes(x, 0)
	}
	out = Add(project(out, weights[0]), Reshape(weights[1], 1, trials, 1, units))
	if x.Rank() == 3 {
		out = Squeeze(out, 0)
	}
	return out
}
