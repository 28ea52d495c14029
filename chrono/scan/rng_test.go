package scan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/scan"
)

// Random numbers of a state that the step was not given are refused when the graph is built, in the same words on every
// engine.
func TestRandomNumbersAreRefused(t *testing.T) {
	for name, draw := range map[string]func(s *model.Scope, captured, h *Node) *Node{
		"GoMLX's state, through a layer": func(s *model.Scope, _, h *Node) *Node { return layers.DropoutStatic(s, h, 0.5) },
		"GoMLX's state": func(s *model.Scope, _, h *Node) *Node {
			return Add(h, s.RandomBernoulli(Scalar(h.Graph(), h.DType(), 0.5), h.Shape()))
		},
		"a captured state": func(_ *model.Scope, captured, h *Node) *Node {
			_, u := RandomUniform(captured, h.Shape())
			return Add(h, u)
		},
		"a constant state": func(_ *model.Scope, _, h *Node) *Node {
			_, u := RandomUniform(RNGStateFromSeedForGraph(h.Graph(), 1), h.Shape())
			return Add(h, u)
		},
	} {
		for _, backend := range backends {
			_, err := model.CallOnce(backend, model.NewStore(), func(s *model.Scope, x *Node) *Node {
				s.Store().SetTraining(x.Graph(), true)
				captured := RNGStateFromSeedForGraph(x.Graph(), 2)
				captured, _ = RNGStateSplit(captured)
				step := func(_ *scan.Ctx, carry, x, _ []*Node) ([]*Node, []*Node) {
					return []*Node{draw(s, captured, Add(carry[0], x[0]))}, nil
				}
				h := Zeros(x.Graph(), shapes.Make(x.DType(), 3))
				_, final := scan.New(step).Done([]*Node{h}, []*Node{x}, nil)
				return final[0]
			}, [][]float64{{1, 2, 3}, {4, 5, 6}})
			if err == nil || !strings.Contains(err.Error(), "make the state part of the carry") {
				t.Errorf("%s on %s: got %v, want that it is refused", name, backend, err)
			}
		}
	}
}

// With its state in the carry, the backward loop sees the random numbers of the forward loop, which differ at each step:
// the gradient of Σ u·w with respect to w is Σ u.
func TestRandomNumbersInTheCarry(t *testing.T) {
	const steps = 7
	for _, backend := range backends {
		for _, recompute := range []bool{false, true} {
			out := MustExecOnceN(backend, func(rng, w *Node) []*Node {
				step := func(_ *scan.Ctx, carry, _, weights []*Node) ([]*Node, []*Node) {
					rng, u := RandomUniform(carry[1], shapes.Make(dtypes.Float64, 3))
					return []*Node{Add(carry[0], Mul(u, weights[0])), rng}, []*Node{u}
				}
				loop := scan.New(step).Length(steps).Unroll(2)
				if recompute {
					loop.Recompute()
				}
				ys, final := loop.Done([]*Node{ZerosLike(w), rng}, nil, []*Node{w})
				return append(ys, Gradient(ReduceAllSum(final[0]), w)[0])
			}, must(RNGStateFromSeed(5)), []float64{1, 2, 3})
			u, gradient := out[0].Value().([][]float64), tensors.MustCopyFlatData[float64](out[1])
			var sum [3]float64
			for t := range u {
				for i, v := range u[t] {
					sum[i] += v
				}
			}
			compare(t, "gradient", [][]float64{gradient}, [][]float64{sum[:]}, 1e-12)
			for n := range steps {
				for m := range n {
					if slices.Equal(u[n], u[m]) {
						t.Errorf("%s: steps %d and %d have the same random numbers", backend, m, n)
					}
				}
			}
		}
	}
}
