package scan_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

var infinity = math.Inf(1)

// lost is log max(−h, 0): of h = 1 its derivative is infinite, so that a gradient of zero becomes NaN in it.
func lost(h *Node) *Node { return Log(MaxScalar(Neg(h), 0)) }

// What no gradient reaches sends none, not even a zero.
func TestNoGradientIsNotZero(t *testing.T) {
	for name, step := range map[string]scan.Step{
		"a sum of logarithms": func(_ *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
			return []*Node{carry[0], Add(carry[1], lost(carry[0]))}, nil
		},
		"a state of NaN": func(_ *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
			return []*Node{carry[0], MulScalar(carry[0], math.NaN())}, nil
		},
		"an output": func(s *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
			return carry, []*Node{s.Tanh(lost(carry[0]))}
		},
		"an activation": func(s *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
			s.Tanh(lost(carry[0]))
			return carry, nil
		},
		"a product": func(s *scan.Ctx, carry, _, weights []*Node) ([]*Node, []*Node) {
			s.Dot(lost(carry[0]), weights[0], 1)
			return carry, nil
		},
	} {
		wants(t, name, step, func(int) [2]float64 { return [2]float64{1, 0} })
	}
}

// Where states wait for their turn, a gradient reaches each of them only at some steps.
func TestGradientReachesStatesInTurn(t *testing.T) {
	wants(t, "one after the other", func(_ *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
		return []*Node{Add(carry[0], carry[1]), MulScalar(carry[1], infinity)}, nil
	}, func(steps int) [2]float64 {
		if steps == 1 {
			return [2]float64{1, 1}
		}
		return [2]float64{1, infinity}
	})
	wants(t, "in places that they swap", func(_ *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
		return []*Node{carry[1], MulScalar(carry[0], infinity)}, nil
	}, func(steps int) [2]float64 {
		switch {
		case steps == 1:
			return [2]float64{0, 1}
		case steps%2 == 1:
			return [2]float64{0, infinity}
		}
		return [2]float64{infinity, 0}
	})
}

// wants compares the gradient of the first state after some steps with respect to both states before them, which are 1.
func wants(t *testing.T, name string, step scan.Step, want func(steps int) [2]float64) {
	t.Helper()
	for _, backend := range backends {
		for _, steps := range []int{1, 2, 5, 20, 25} {
			for _, unroll := range []int{1, 2, 10} {
				out := MustExecOnceN(backend, func(a, b *Node) []*Node {
					one := OnesLike(a)
					_, final := scan.New(step).Unroll(unroll).Length(steps).Done([]*Node{a, b}, nil, []*Node{one})
					return Gradient(ReduceAllSum(final[0]), a, b)
				}, [][]float64{{1}}, [][]float64{{1}})
				got := [2]float64{out[0].Value().([][]float64)[0][0], out[1].Value().([][]float64)[0][0]}
				check.Equal(t, got, want(steps), "%s: %d steps, Unroll(%d) on %s", name, steps, unroll, backend)
			}
		}
	}
}

// An argument at which no gradient arrives sends none to what it is computed from.
func TestNoGradientBeforeTheLoop(t *testing.T) {
	apart := func(_ *scan.Ctx, carry, x, weights []*Node) ([]*Node, []*Node) {
		return []*Node{MulScalar(carry[0], 2), Add(carry[1], Mul(x[0], weights[0]))}, []*Node{x[0]}
	}
	for _, backend := range backends {
		for _, steps := range []int{1, 5, 25} {
			out := MustExecOnceN(backend, func(h, p *Node) []*Node {
				state := lost(p)
				xs := BroadcastToDims(state, steps)
				_, final := scan.New(apart).Done([]*Node{h, state}, []*Node{xs}, []*Node{state})
				return Gradient(final[0], h, p)
			}, 1., 1.)
			check.Equal(t, []any{out[0].Value(), out[1].Value()}, []any{math.Pow(2, float64(steps)), 0.},
				"%d steps on %s", steps, backend)
		}
	}
}

// No gradient passes through integers, however many steps are taken at once. GoMLX's own passes, rounded.
func TestIntegersHaveNoGradient(t *testing.T) {
	counting := func(_ *scan.Ctx, carry, x, _ []*Node) ([]*Node, []*Node) {
		h, n := carry[0], ConvertDType(Add(carry[1], x[0]), carry[0].DType())
		next := ConvertDType(MulScalar(h, 3), dtypes.Int32)
		return []*Node{Add(h, MulScalar(n, 1.5)), next}, []*Node{next}
	}
	for _, backend := range backends {
		for name, build := range map[string]loopFn{
			"Unrolled": func(init, xs, weights []*Node) (ys, final []*Node) {
				return scan.Unrolled(counting, init, xs, weights)
			},
			"Unroll(1)": scan.New(counting).Unroll(1).Done,
			"Unroll(2)": scan.New(counting).Unroll(2).Done,
			"Unroll(9)": scan.New(counting).Unroll(9).Done,
		} {
			out := MustExecOnceN(backend, func(h, p *Node) []*Node {
				n := ConvertDType(p, dtypes.Int32)
				xs := BroadcastToShape(n, shapes.Make(dtypes.Int32, 5))
				ys, final := build([]*Node{h, n}, []*Node{xs}, nil)
				loss := Add(final[0], ConvertDType(Add(final[1], ReduceAllSum(ys[0])), h.DType()))
				return Gradient(loss, h, p)
			}, 1., 2.)
			check.Equal(t, []any{out[0].Value(), out[1].Value()}, []any{1., 0.}, "%s on %s", name, backend)
		}
	}
}

// Where a zero behind the last step makes no difference, the backward loop takes the last steps, too: the graph is no
// larger than if gradients arrived there. That is so of an LSTM's states, also if they are held where sequences end.
func TestBackwardLoopTakesTheLastSteps(t *testing.T) {
	plain := func(s *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
		c := Mul(s.Sigmoid(carry[0]), carry[1])
		h := Mul(Tanh(c), carry[0])
		return []*Node{h, c}, []*Node{h}
	}
	held := func(s *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
		next, y := plain(s, carry, nil, nil)
		goesOn := LessThan(carry[2], AddScalar(ZerosLike(carry[2]), 7))
		for i := range next {
			next[i] = Where(goesOn, next[i], carry[i])
		}
		return append(next, OnePlus(carry[2])), y
	}
	for name, step := range map[string]scan.Step{"plain": plain, "held": held} {
		nodes := func(final bool) int {
			g := NewGraph(backends[0], name)
			defer g.Finalize()
			shape := shapes.Make(dtypes.Float32, 3)
			states := []*Node{Parameter(g, "h", shape), Parameter(g, "c", shape)}
			init := slices.Clone(states)
			if name == "held" {
				init = append(init, Zeros(g, shape)) // the number of the step
			}
			ys, last := scan.New(step).Unroll(5).Length(20).Done(init, nil, nil)
			loss := ReduceAllSum(ys[0])
			if final {
				loss = Add(loss, Add(ReduceAllSum(last[0]), ReduceAllSum(last[1])))
			}
			Gradient(loss, states...)
			return len(g.Nodes())
		}
		if outputs, all := nodes(false), nodes(true); outputs > all+10 { // 10 are zeros; a step takes 20 or more
			t.Errorf("%s: %d nodes with a loss of the outputs, %d with one of the last states, too", name, outputs, all)
		}
	}
}

// A gradient passes through states that are constants before the first step, however many stand in a row.
func TestGradientThroughConstants(t *testing.T) {
	shifted := func(_ *scan.Ctx, carry, _, weights []*Node) ([]*Node, []*Node) {
		return []*Node{carry[0], Mul(carry[0], weights[0]), carry[1], carry[2]}, nil
	}
	for _, backend := range backends {
		for _, unroll := range []int{1, 2, 10} {
			out := MustExecOnceN(backend, func(h, w *Node) []*Node {
				zero := ScalarZero(h.Graph(), h.DType())
				loop := scan.New(shifted).Unroll(unroll).Length(25)
				_, final := loop.Done([]*Node{h, zero, zero, zero}, nil, []*Node{w})
				return Gradient(final[3], h, w)
			}, 2., 3.)
			check.Equal(t, []any{out[0].Value(), out[1].Value()}, []any{3., 2.}, "Unroll(%d) on %s", unroll, backend)
		}
	}
}

// Where an iteration has room for all steps, the graph is the same however much more room it has.
func TestUnrollBeyondTheSteps(t *testing.T) {
	nodes := func(unroll int) int {
		g := NewGraph(backends[0], "unrolled")
		defer g.Finalize()
		h := Parameter(g, "h", shapes.Make(dtypes.Float32, 3))
		_, final := scan.New(func(s *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
			return []*Node{s.Tanh(carry[0])}, nil
		}).Unroll(unroll).Length(3).Done([]*Node{h}, nil, nil)
		Gradient(ReduceAllSum(final[0]), h)
		return len(g.Nodes())
	}
	check.Equal(t, nodes(100), nodes(3), "nodes")
}
