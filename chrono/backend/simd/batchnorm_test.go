package simd_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/internal/check"
)

// Batch normalization, in training and in inference, and its gradient are those of its definition.
func TestBatchNorm(t *testing.T) {
	const axis, features, epsilon = 1, 3, 1. / 1024 // which float32 has
	rng := rand.New(rand.NewPCG(1, 2))
	var args []any
	for _, dims := range [][]int{{4, features, 5}, {features}, {features}, {4, features, 5}} {
		flat := make([]float64, shapes.Make(dtypes.Float64, dims...).Size())
		for i := range flat {
			flat[i] = rng.NormFloat64()
		}
		args = append(args, tensors.FromFlatDataAndDimensions(flat, dims...))
	}
	out := MustExecOnceN(newBackend(t, "simd:threads=2"), func(in []*Node) []*Node {
		x, scale, offset, slope := in[0], in[1], in[2], in[3]
		y, mean, variance := InternalBatchNormForTraining(x, scale, offset, epsilon, axis)
		again := InternalBatchNormForInference(x, scale, offset, mean, variance, epsilon, axis)
		dx, dScale, dOffset := InternalBatchNormGradient(x, scale, mean, variance, slope, epsilon, axis)

		each := func(v *Node) *Node { return ExpandAxes(v, 0, 2) }
		m := ReduceMean(x, 0, 2)
		v := ReduceMean(Square(Sub(x, each(m))), 0, 2)
		normal := Div(Sub(x, each(m)), Sqrt(AddScalar(each(v), epsilon)))
		want := Add(Mul(normal, each(scale)), each(offset))
		gradients := Gradient(ReduceAllSum(Mul(want, slope)), x, scale, offset)
		return append([]*Node{y, again, mean, variance, dx, dScale, dOffset, want, want, m, v}, gradients...)
	}, args...)
	var values [][]float64
	for _, tensor := range out {
		values = append(values, tensors.MustCopyFlatData[float64](tensor))
	}
	check.Close(t, values[:7], values[7:], 1e-12, "batch normalization")
}
