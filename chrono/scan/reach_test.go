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

// What no gradient reaches sends none, not even a zero; however many steps there are, and are taken at once.
func TestReach(t *testing.T) {
	one := func(int) [2]float64 { return [2]float64{1, 0} }
	// h ← h + 3p·q where p is stopped: a call of Gradient that asks for p alone does not spoil the next one.
	weighing := func(_ *scan.Ctx, carry, x, weights []*Node) ([]*Node, []*Node) {
		h := Add(carry[0], Mul(ConvertDType(x[0], carry[0].DType()), weights[0]))
		return []*Node{h}, []*Node{h}
	}
	threes := func(steps int) [2]float64 { return [2]float64{0, 3 * float64(steps)} }
	stopped := func(in func(x *Node) *Node) func(loop *scan.Builder, steps int, p, q *Node) *Node {
		return func(loop *scan.Builder, steps int, p, q *Node) *Node {
			xs := BroadcastToDims(in(MulScalar(p, 3)), steps, 1, 1)
			ys, final := loop.Done([]*Node{ZerosLike(p)}, []*Node{xs}, []*Node{q})
			Gradient(ReduceAllSum(ys[0]), p)
			return final[0]
		}
	}
	for name, c := range map[string]struct {
		step scan.Step
		want func(steps int) [2]float64                            // the gradient with respect to p and q, which are 1
		loss func(loop *scan.Builder, steps int, p, q *Node) *Node // nil: the first of the states, p and q at first
	}{
		"a sum of logarithms": {func(_ *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
			return []*Node{carry[0], Add(carry[1], lost(carry[0]))}, nil
		}, one, nil},
		"a state of NaN": {func(_ *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
			return []*Node{carry[0], MulScalar(carry[0], math.NaN())}, nil
		}, one, nil},
		"an output": {func(s *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
			return carry, []*Node{s.Tanh(lost(carry[0]))}
		}, one, nil},
		"an activation": {func(s *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
			s.Tanh(lost(carry[0]))
			return carry, nil
		}, one, nil},
		"a product": {func(s *scan.Ctx, carry, _, weights []*Node) ([]*Node, []*Node) {
			s.Dot(lost(carry[0]), weights[0], 1)
			return carry, nil
		}, one, nil},
		// Where states wait for their turn, a gradient reaches each of them only at some steps.
		"one after the other": {func(_ *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
			return []*Node{Add(carry[0], carry[1]), MulScalar(carry[1], infinity)}, nil
		}, func(steps int) [2]float64 {
			if steps == 1 {
				return [2]float64{1, 1}
			}
			return [2]float64{1, infinity}
		}, nil},
		"in places that they swap": {func(_ *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
			return []*Node{carry[1], MulScalar(carry[0], infinity)}, nil
		}, func(steps int) [2]float64 {
			switch {
			case steps == 1:
				return [2]float64{0, 1}
			case steps%2 == 1:
				return [2]float64{0, infinity}
			}
			return [2]float64{infinity, 0}
		}, nil},
		// A gradient passes through states that are constants before the first step, however many stand in a row.
		"through constants": {func(_ *scan.Ctx, carry, _, weights []*Node) ([]*Node, []*Node) {
			return []*Node{carry[0], Mul(carry[0], weights[0]), carry[1], carry[2]}, nil
		}, func(steps int) [2]float64 {
			if steps < 3 {
				return [2]float64{}
			}
			return [2]float64{3, 3}
		}, func(loop *scan.Builder, steps int, p, q *Node) *Node {
			zero := ZerosLike(p)
			_, final := loop.Length(steps).Done([]*Node{p, zero, zero, zero}, nil, []*Node{MulScalar(q, 3)})
			return final[3]
		}},
		// An argument at which no gradient arrives sends none to what it is computed from.
		"before the loop": {func(_ *scan.Ctx, carry, x, weights []*Node) ([]*Node, []*Node) {
			return []*Node{MulScalar(carry[0], 2), Add(carry[1], Mul(x[0], weights[0]))}, []*Node{x[0]}
		}, func(steps int) [2]float64 { return [2]float64{math.Pow(2, float64(steps)), 0} },
			func(loop *scan.Builder, steps int, p, q *Node) *Node {
				state := lost(q)
				xs := BroadcastToDims(state, steps, 1, 1)
				_, final := loop.Done([]*Node{p, state}, []*Node{xs}, []*Node{state})
				return final[0]
			}},
		"StopGradient before the loop": {weighing, threes, stopped(StopGradient)},
		"integers before the loop": {weighing, threes, stopped(func(x *Node) *Node {
			return ConvertDType(x, dtypes.Int32)
		})},
		// No gradient passes through integers. GoMLX's own passes, rounded.
		"integers": {func(_ *scan.Ctx, carry, x, _ []*Node) ([]*Node, []*Node) {
			h, n := carry[0], ConvertDType(Add(carry[1], x[0]), carry[0].DType())
			next := ConvertDType(MulScalar(h, 3), dtypes.Int32)
			return []*Node{Add(h, MulScalar(n, 1.5)), next}, []*Node{next}
		}, one, func(loop *scan.Builder, steps int, p, q *Node) *Node {
			n := ConvertDType(q, dtypes.Int32)
			ys, final := loop.Done([]*Node{p, n}, []*Node{BroadcastToDims(n, steps, 1, 1)}, nil)
			return Add(final[0], ConvertDType(Add(final[1], ReduceAllSum(ys[0])), p.DType()))
		}},
	} {
		for _, backend := range backends {
			for _, steps := range []int{1, 2, 5, 20, 25} {
				for _, unroll := range []int{1, 2, 10} {
					loss := c.loss
					if loss == nil {
						loss = func(loop *scan.Builder, steps int, p, q *Node) *Node {
							_, final := loop.Length(steps).Done([]*Node{p, q}, nil, []*Node{OnesLike(p)})
							return final[0]
						}
					}
					out := MustExecOnceN(backend, func(p, q *Node) []*Node {
						return Gradient(ReduceAllSum(loss(scan.New(c.step).Unroll(unroll), steps, p, q)), p, q)
					}, [][]float64{{1}}, [][]float64{{1}})
					got := [2]float64{out[0].Value().([][]float64)[0][0], out[1].Value().([][]float64)[0][0]}
					check.Equal(t, got, c.want(steps), "%s: %d steps, Unroll(%d) on %s", name, steps, unroll, backend)
				}
			}
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
			return size(backends[0], func(g *Graph) {
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
			})
		}
		if outputs, all := nodes(false), nodes(true); outputs > all+10 { // 10 are zeros; a step takes 20 or more
			t.Errorf("%s: %d nodes with a loss of the outputs, %d with one of the last states, too", name, outputs, all)
		}
	}
}

// Where an iteration has room for all steps, the graph is the same however much more room it has.
func TestUnrollBeyondTheSteps(t *testing.T) {
	nodes := func(unroll int) int {
		return size(backends[0], func(g *Graph) {
			h := Parameter(g, "h", shapes.Make(dtypes.Float32, 3))
			_, final := scan.New(func(s *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
				return []*Node{s.Tanh(carry[0])}, nil
			}).Unroll(unroll).Length(3).Done([]*Node{h}, nil, nil)
			Gradient(ReduceAllSum(final[0]), h)
		})
	}
	check.Equal(t, nodes(100), nodes(3), "nodes")
}
