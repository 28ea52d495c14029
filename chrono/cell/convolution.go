package cell

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/internal/require"
)

// Convolution is a causal convolution over the last steps, for each feature apart, as it stands before the recurrence
// in Mamba and Griffin, with a width of 4:
//
//	y[t] = Σ_k w[k]·x[t−k] + b,  k = 0 … width−1,  x = 0 before the first step
//
// x is [B, T, F] or, for R trials, [T, R, B, F], float32 or float64, and so is y. The variables under scope are
// "weights" [width, F], from U(−1/√width, 1/√width) as PyTorch's, and "bias" [F], zero at first. The default seeds are
// those of [Builder.Seeds]. It has no state: with [Builder.Carry] or From, x is 0 again before the first step of each
// batch. It has no Lengths: padding must be finite, or the gradient of its weights is NaN.
func Convolution(scope *model.Scope, x *Node, width int, seeds ...uint64) *Node {
	require.That(scope != nil && x != nil && width >= 1,
		"cell.Convolution: the scope or x is nil, or width is %d, want both, and 1 or more", width)
	checkInputs("cell.Convolution", x, "[B, T, F], or [T, R, B, F] for R trials", 3, 4)
	l := layout{x.Rank() == 3}
	x = l.sequence(x)
	dims := x.Shape().Dimensions
	trials, features := dims[1], dims[3]
	list := []Weight{{"weights", []int{width, features}, func(d Draws) []float64 {
		return uniform(d.RNG(), width*features, 1/math.Sqrt(float64(width)))
	}}, vector("bias", features, 0)}
	seeds = l.seedsFor("cell.Convolution", scope, list, x, seeds, trials)
	weights := Variables(scope, x.Graph(), list, x.DType(), seeds)
	regularize(scope, x.Graph(), list, weights)
	out := Reshape(weights["bias"], 1, trials, 1, features)
	for k := range min(width, dims[0]) {
		tap := Reshape(SliceAxis(weights["weights"], 1, AxisElem(k)), 1, trials, 1, features)
		late := Mul(SliceAxis(x, 0, AxisRange(0, dims[0]-k)), tap)
		if k > 0 {
			late = GrowLeft(late, 0, k, 0)
		}
		out = Add(late, out)
	}
	return l.sequenceOut(out)
}
