package scan_test

import (
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

// GoMLX's Go backend has no dynamic slices, simd has them: between them the tests take both ways to read and write
// rows.
var backends = []compute.Backend{
	must(backend.New("go")),
	must(backend.New("simd")),
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// plain is h ← tanh(h·U + x).
func plain(c *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	next := Tanh(Add(c.Dot(carry[0], weights[0], 1)[0], x[0]))
	return []*Node{next}, []*Node{next}
}

// lstm has two states, one product cut in four, and inputs that enter through the product. Some of its activations are
// kept; a product and an activation are kept that nothing depends on.
func lstm(c *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	both := Concatenate([]*Node{x[0], carry[0]}, -1)
	c.Tanh(c.Dot(both, weights[0], 1)[0])
	z := c.Dot(both, weights[0], 4)
	cell := Add(Mul(c.Sigmoid(z[0]), carry[1]), Mul(Sigmoid(z[1]), c.Tanh(z[2])))
	next := Mul(Sigmoid(z[3]), Tanh(cell))
	return []*Node{next, cell}, []*Node{next}
}

func parameter(g *Graph, name string, dims ...int) *Node {
	return Parameter(g, name, shapes.Make(dtypes.Float64, dims...))
}

// The graph does not grow with T. A loss of the outputs takes no iteration out of the backward loop, though no gradient
// arrives at the last states: they are parts of the last output, also where they are held because sequences end. Inputs
// that are data, as those under StopGradient, also through arithmetic, get no gradient. Where an iteration has room for
// all steps, the graph is the same however much more room it has.
func TestGraphSize(t *testing.T) {
	for i := range 2 * len(backends) {
		backend, held, unroll := backends[i/2], i%2 == 1, scan.DefaultUnroll
		nodes := func(steps int, input func(x *Node) *Node, loss func(ys, final []*Node) *Node) int {
			g, step := NewGraph(backend, "size"), lstm
			defer g.Finalize()
			if held {
				step = func(c *scan.Ctx, carry, x, weights []*Node) ([]*Node, []*Node) {
					next, ys := lstm(c, carry, x, weights)
					goesOn := GreaterThan(x[0], ZerosLike(x[0]))
					return []*Node{Where(goesOn, next[0], carry[0]), Where(goesOn, next[1], carry[1])}, ys
				}
			}
			x, w := input(parameter(g, "x", steps, 1, 2, 3)), parameter(g, "w", 1, 6, 12)
			init := []*Node{parameter(g, "h", 1, 2, 3), parameter(g, "c", 1, 2, 3)}
			Gradient(loss(scan.New(step).Unroll(unroll).Done(init, []*Node{x}, []*Node{w})), w)
			return len(g.Nodes())
		}
		learned := func(x *Node) *Node { return AddScalar(Identity(x), 1) }
		data := func(x *Node) *Node { return AddScalar(StopGradient(x), 1) }
		ofOutputs := func(ys, _ []*Node) *Node { return ReduceAllSum(ys[0]) }
		for _, c := range [][2]int{{20, 1000}, {29, 1009}} { // without steps left over, and with as many as can be
			short, long := nodes(c[0], learned, ofOutputs), nodes(c[1], learned, ofOutputs)
			check.Equal(t, long, short, "%s: nodes at T=%d, as at T=%d", backend, c[1], c[0])
		}
		ofStates := func(_, final []*Node) *Node { return Add(ReduceAllSum(final[0]), ReduceAllSum(final[1])) }
		outputs, states := nodes(20, learned, ofOutputs), nodes(20, learned, ofStates)
		leftOver := nodes(29, learned, ofOutputs)
		if outputs > states+(leftOver-outputs)/4 { // an iteration would be about half of what is left over
			t.Errorf("%s: graph has %d nodes with a loss of outputs, %d with one of states", backend, outputs, states)
		}
		less := nodes(20, data, ofOutputs)
		check.That(t, less < outputs, "%s: graph has %d nodes if inputs are data, %d if not", backend, less, outputs)
		unroll = 3
		room := nodes(3, learned, ofOutputs)
		unroll = 100
		check.Equal(t, nodes(3, learned, ofOutputs), room, "%s: nodes of an iteration with more room than steps",
			backend)
	}
}

// What cannot be built is rejected with one line that has what is given and what is wanted: steps from the state h
// [1, 2, 3] over x [4, 1, 2, 3] with the weight w [1, 3, 3], and calls.
func TestRefused(t *testing.T) {
	type misuse = func(h, x, w *Node)
	identity := func(_ *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) { return carry, carry }
	one := func(next func(c *scan.Ctx, carry, x, w *Node) *Node) scan.Step {
		return func(c *scan.Ctx, carry, x, weights []*Node) ([]*Node, []*Node) {
			return []*Node{next(c, carry[0], x[0], weights[0])}, nil
		}
	}
	of := func(step scan.Step) misuse {
		return func(h, x, w *Node) { scan.New(step).Done([]*Node{h}, []*Node{x}, []*Node{w}) }
	}
	done := func(init, xs, weights func(h, x, w *Node) []*Node) misuse {
		return func(h, x, w *Node) { scan.New(identity).Done(init(h, x, w), xs(h, x, w), weights(h, x, w)) }
	}
	state := func(h, _, _ *Node) []*Node { return []*Node{h} }
	input := func(_, x, _ *Node) []*Node { return []*Node{x} }
	none := func(_, _, _ *Node) []*Node { return nil }
	complex := func(node *Node) *Node { return ConvertDType(node, dtypes.Complex64) }
	// within is a step that uses a scope with a variable, and the state of random numbers, of the graph around it.
	within := func(next func(s *model.Scope, state, h *Node) *Node) misuse {
		return func(h, x, w *Node) {
			s := model.NewStore().RootScope()
			state, _ := RNGStateSplit(RNGStateFromSeedForGraph(h.Graph(), 2))
			of(one(func(_ *scan.Ctx, carry, x, _ *Node) *Node { return next(s, state, Add(carry, x)) }))(h, x, w)
		}
	}
	for i, c := range []struct {
		words string
		build misuse
	}{
		{"captures", func(h, x, w *Node) {
			of(one(func(_ *scan.Ctx, carry, x, _ *Node) *Node { return Mul(Add(carry, x), h) }))(h, x, w)
		}},
		{"captures", func(h, x, w *Node) {
			of(one(func(*scan.Ctx, *Node, *Node, *Node) *Node { return ConvertDType(complex(h), h.DType()) }))(h, x, w)
		}},
		{"captures", within(func(s *model.Scope, _, h *Node) *Node { return layers.Dense(s, h, true, 3) })},
		{"part of the carry", within(func(_ *model.Scope, state, h *Node) *Node {
			_, u := RandomUniform(state, h.Shape())
			return Add(h, u)
		})},
		{"part of the carry", within(func(_ *model.Scope, _, h *Node) *Node {
			_, u := RandomUniform(RNGStateFromSeedForGraph(h.Graph(), 1), h.Shape())
			return Add(h, u)
		})},
		{"0 states…1", of(func(*scan.Ctx, []*Node, []*Node, []*Node) ([]*Node, []*Node) { return nil, nil })},
		{"output 0 is complex", of(func(_ *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
			return carry, []*Node{complex(carry[0])}
		})},
		{"state 0 is complex", done(func(h, _, _ *Node) []*Node { return []*Node{complex(h)} }, input, none)},
		{"own words", of(func(*scan.Ctx, []*Node, []*Node, []*Node) ([]*Node, []*Node) { panic("own words") })},
		{"nil", func(h, x, w *Node) { scan.New(nil) }},
		{"Length(T)", done(state, none, none)},
		{"0…one step", func(h, x, w *Node) { scan.New(identity).Length(0) }},
		{"0…one step", func(h, x, w *Node) { scan.New(identity).Unroll(0) }},
		{"4…5", func(h, x, w *Node) { scan.New(identity).Length(5).Done([]*Node{h}, []*Node{x}, nil) }},
		{"[0, 2]…1 or more", func(h, _, _ *Node) {
			none := parameter(h.Graph(), "none", 0, 2)
			scan.Associative(scan.Affine, none, none)
		}},
		{"1…4", done(state, func(h, x, _ *Node) []*Node { return []*Node{x, h} }, none)},
		{"weights", func(h, x, w *Node) {
			of(one(func(c *scan.Ctx, carry, _, _ *Node) *Node { return c.Dot(carry, w, 1)[0] }))(h, x, w)
		}},
		{"no float parameter", func(h, x, w *Node) {
			zero := ZerosLike(h)
			_, final := scan.New(plain).Done([]*Node{zero}, []*Node{x}, []*Node{w})
			Gradient(ReduceAllSum(final[0]), zero)
		}},
		{"inside the step", of(func(_ *scan.Ctx, carry, x, weights []*Node) ([]*Node, []*Node) {
			_, final := scan.New(plain).Done(carry, []*Node{InsertAxes(x[0], 0)}, weights)
			return final, nil
		})},
		{"Ctx.Tanh", of(descends(func(c *scan.Ctx, h, _ *Node) *Node { return c.Tanh(Sin(h)) }))},
		{"Ctx.Sigmoid", of(descends(func(c *scan.Ctx, h, _ *Node) *Node { return Sin(c.Sigmoid(h)) }))},
		{"Ctx.Dot", of(descends(func(c *scan.Ctx, h, w *Node) *Node { return c.Dot(h, w, 3)[1] }))},
		{"second derivatives", func(h, x, w *Node) {
			_, final := scan.New(plain).Done([]*Node{h}, []*Node{x}, []*Node{w})
			Gradient(ReduceAllSum(Gradient(ReduceAllSum(final[0]), w)[0]), w)
		}},
	} {
		g := NewGraph(backends[0], "refused")
		h, x, w := parameter(g, "h", 1, 2, 3), parameter(g, "x", 4, 1, 2, 3), parameter(g, "w", 1, 3, 3)
		check.Rejected(t, i, exceptions.TryCatch[error](func() { c.build(h, x, w) }), c.words)
		g.Finalize()
	}
}

// descends is a step that moves the state down the gradient of an energy, the sum of f, and adds the input.
func descends(f func(c *scan.Ctx, h, w *Node) *Node) scan.Step {
	return func(c *scan.Ctx, carry, x, weights []*Node) ([]*Node, []*Node) {
		h := carry[0]
		slope := Gradient(ReduceAllSum(f(c, h, weights[0])), h)[0]
		next := Add(Sub(h, MulScalar(slope, 0.1)), c.Tanh(x[0]))
		return []*Node{next}, []*Node{next}
	}
}

// What a step puts under StopGradient is taken as it is. To ask for its gradient, zero, leaves no trace in the next.
func TestStopGradientInAStep(t *testing.T) {
	out := MustExecOnceN(backends[1], func(x, w, one *Node) []*Node {
		step := func(_ *scan.Ctx, carry, x, weights []*Node) ([]*Node, []*Node) {
			constant := Mul(StopGradient(Mul(w, one)), StopGradient(weights[0])) // captured, and given
			h := Add(Mul(carry[0], weights[0]), Mul(constant, x[0]))
			return []*Node{h}, []*Node{h}
		}
		zero := ScalarZero(x.Graph(), x.DType())
		ys, final := scan.New(step).Unroll(2).Done([]*Node{zero}, []*Node{StopGradient(x)}, []*Node{w})
		return slices.Concat(final, Gradient(ReduceAllSum(ys[0]), one), Gradient(final[0], w))
	}, []float64{1, 1, 1}, 3., 1.)
	// h = w²·9 + w·9 + 9 with the nines held still: 117, and its derivative 63.
	for i, want := range []float64{117, 0, 63} {
		check.Equal(t, tensors.ToScalar[float64](out[i]), want, "result %d", i)
	}
}

// A step's own gradient with respect to a weight is that of this step alone, however many steps are taken at once, also
// under StopGradient: h ← h + ∂(w²·h/2)/∂w, which is (1 + w)·h. So is that with respect to the state, also if the step
// before has put it under StopGradient: h ← h + ∂(h²/2)/∂h.
func TestGradientOfAWeightInAStep(t *testing.T) {
	step := func(_ *scan.Ctx, carry, _, weights []*Node) ([]*Node, []*Node) {
		energy := MulScalar(Mul(Square(weights[0]), carry[0]), 0.5)
		return []*Node{Add(carry[0], Gradient(energy, weights[0])[0])}, nil
	}
	doubles := func(_ *scan.Ctx, carry, _, _ []*Node) (nextCarry, y []*Node) {
		energy := MulScalar(Square(carry[0]), 0.5)
		return []*Node{StopGradient(Add(carry[0], Gradient(energy, carry[0])[0]))}, nil
	}
	for _, backend := range backends {
		for _, unroll := range []int{1, 2, 10} {
			out := MustExecOnceN(backend, func(h, w *Node) []*Node {
				_, free := scan.New(step).Unroll(unroll).Length(5).Done([]*Node{h}, nil, []*Node{w})
				_, held := scan.New(step).Unroll(unroll).Length(5).Done([]*Node{h}, nil, []*Node{StopGradient(w)})
				_, doubled := scan.New(doubles).Unroll(unroll).Length(5).Done([]*Node{h}, nil, nil)
				return slices.Concat(free, Gradient(free[0], h, w), held, Gradient(held[0], h), doubled)
			}, 1., 1.)
			for i, want := range []float64{32, 32, 80, 32, 32, 32} {
				got := tensors.ToScalar[float64](out[i])
				check.Equal(t, got, want, "result %d, Unroll(%d) on %s", i, unroll, backend)
			}
		}
	}
}

// No gradient passes through integers, however many steps there are, and are taken at once: h ← h + 1.5·(n + x), and n
// ← 3h. (GoMLX's own passes, rounded. What no gradient reaches sends none, not even a zero, which would become NaN
// where a derivative is infinite: of that TestRandomSteps in package conformance has many kinds, states that swap their
// places or wait for their turn too.)
func TestIntegersPassNoGradient(t *testing.T) {
	step := func(_ *scan.Ctx, carry, x, _ []*Node) ([]*Node, []*Node) {
		h, n := carry[0], ConvertDType(Add(carry[1], x[0]), carry[0].DType())
		next := ConvertDType(MulScalar(h, 3), dtypes.Int32)
		return []*Node{Add(h, MulScalar(n, 1.5)), next}, []*Node{next}
	}
	for _, backend := range backends {
		for _, steps := range []int{1, 2, 5, 20, 25} {
			for _, unroll := range []int{1, 2, 10} {
				out := MustExecOnceN(backend, func(h, q *Node) []*Node {
					n := ConvertDType(q, dtypes.Int32)
					xs := []*Node{BroadcastToDims(n, steps)}
					ys, final := scan.New(step).Unroll(unroll).Done([]*Node{h, n}, xs, nil)
					return Gradient(Add(final[0], ConvertDType(Add(final[1], ReduceAllSum(ys[0])), h.DType())), h, q)
				}, 1., 1.)
				got := [2]float64{tensors.ToScalar[float64](out[0]), tensors.ToScalar[float64](out[1])}
				check.Equal(t, got, [2]float64{1, 0}, "%d steps, Unroll(%d) on %s", steps, unroll, backend)
			}
		}
	}
}
