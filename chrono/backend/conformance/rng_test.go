package conformance

import (
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

// With their state in the carry, the backward loop sees the random numbers of the forward loop, which differ at each
// step: the gradient of Σ u·w with respect to w is Σ u.
func TestRandomNumbers(t *testing.T) {
	const steps = 7
	OnEach(t, func(t *testing.T, _ string, b compute.Backend) {
		state, err := RNGStateFromSeed(5)
		check.OK(t, err)
		for _, recompute := range []bool{false, true} {
			out := MustExecOnceN(b, func(rng, w *Node) []*Node {
				step := func(_ *scan.Ctx, carry, _, weights []*Node) (nextCarry, y []*Node) {
					rng, u := RandomUniform(carry[1], shapes.Make(dtypes.Float32, 3))
					return []*Node{Add(carry[0], Mul(u, weights[0])), rng}, []*Node{u}
				}
				loop := scan.New(step).Length(steps).Unroll(2)
				if recompute {
					loop.Recompute()
				}
				ys, final := loop.Done([]*Node{ZerosLike(w), rng}, nil, []*Node{w})
				return append(ys, Gradient(ReduceAllSum(final[0]), w)...)
			}, state, []float32{1, 2, 3})
			u, sum := out[0].Value().([][]float32), make([]float64, 3)
			for _, numbers := range u {
				for i, number := range numbers {
					sum[i] += float64(number)
				}
			}
			check.Near(t, Numbers(out[1]), sum, 1e-5, "recompute %v: gradient", recompute)
			for n := range u {
				for m := range n {
					if slices.Equal(u[n], u[m]) {
						t.Errorf("steps %d and %d have the same random numbers", m, n)
					}
				}
			}
		}
	})
}
