package scan_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/loss"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/chrono/trial"
)

// A sum that forgets, h ← a·h + x, over 100,000 ones, and its derivative with respect to a: the graph has the same size
// as for ten. In the end h = 1/(1−a), and its derivative is 1/(1−a)².
func Example() {
	engine := must(backend.New(""))
	forget := func(_ *scan.Ctx, carry, x, weights []*Node) (next, y []*Node) {
		h := Add(Mul(weights[0], carry[0]), x[0])
		return []*Node{h}, nil // no outputs: only the last state is wanted
	}
	results := MustExecOnceN(engine, func(a *Node) []*Node {
		ones := StopGradient(Ones(a.Graph(), shapes.Make(dtypes.Float64, 100_000)))
		_, final := scan.New(forget).Done([]*Node{ScalarZero(a.Graph(), a.DType())}, []*Node{ones}, []*Node{a})
		return append(final, Gradient(final[0], a)...)
	}, 0.75)
	fmt.Printf("h = %.1f, dh/da = %.1f\n", results[0].Value(), results[1].Value())
	// Output: h = 4.0, dh/da = 16.0
}

// A plain recurrent network, h ← tanh(h·W + x), with 2 trials of 3 sequences and 4 units. Products with a weight go
// through Dot, so that the backward loop repeats none of them.
func ExampleCtx_Dot() {
	engine := must(backend.New(""))
	step := func(c *scan.Ctx, carry, x, weights []*Node) (next, y []*Node) {
		h := Tanh(Add(c.Dot(carry[0], weights[0], 1)[0], x[0]))
		return []*Node{h}, []*Node{h}
	}
	const steps, trials, batch, hidden = 50, 2, 3, 4
	results := MustExecOnceN(engine, func(x, w *Node) []*Node {
		zero := Zeros(x.Graph(), shapes.Make(dtypes.Float64, trials, batch, hidden))
		ys, final := scan.New(step).Done([]*Node{zero}, []*Node{x}, []*Node{w})
		return append(Gradient(ReduceAllSum(final[0]), w), ys...)
	}, tensors.FromShape(shapes.Make(dtypes.Float64, steps, trials, batch, hidden)),
		tensors.FromShape(shapes.Make(dtypes.Float64, trials, hidden, hidden)))
	fmt.Println("gradient of w", results[0].Shape())
	fmt.Println("all h        ", results[1].Shape())
	// Output:
	// gradient of w (Float64)[2, 4, 4]
	// all h         (Float64)[50, 2, 3, 4]
}

// Attention inside a step: the keys and values are weights of the step, since the arguments of Dot may have any leading
// axes in place of R. The queries, the scores and the result of the attention are stored for the backward loop, and the
// gradients of keys and values are one product per chunk. The decoder learns to reverse a sequence of six symbols; it
// has no inputs, so Length sets the number of its steps.
func ExampleCtx_Dot_attention() {
	const batch, steps, symbols, heads, d = 32, 6, 8, 2, 8
	const hidden = heads * d
	decode := func(c *scan.Ctx, carry, _, w []*Node) (next, y []*Node) {
		h, keys, values := carry[0], w[2], w[3] // [1, B, H], [1, B, n, d, S], [1, B, n, S, d]
		q := Reshape(c.Dot(h, w[0], 1)[0], 1, batch, heads, 1, d)
		alpha := Softmax(MulScalar(c.Dot(q, keys, 1)[0], 1/math.Sqrt(d))) // [1, B, n, 1, S]
		seen := Reshape(c.Dot(alpha, values, 1)[0], 1, batch, hidden)
		h = c.Tanh(c.Dot(Concatenate([]*Node{h, seen}, -1), w[1], 1)[0])
		return []*Node{h}, []*Node{h}
	}
	weight := func(s *model.Scope, x *Node, name string, dims ...int) *Node {
		return s.VariableWithShape(name, shapes.Make(dtypes.Float32, dims...)).NodeValue(x)
	}
	adam := trial.Optimizer{Method: trial.Adam{}, Rates: []float64{1e-2}, Clip: 1}
	update := func(s *model.Scope, said *Node) *Node { // [B, S]
		place := weight(s, said, "places", 1, steps, hidden)
		memory := Add(layers.Embedding(s, said, dtypes.Float32, symbols, hidden), place) // [B, S, H]
		byHeads := Reshape(layers.Dense(s.In("memory"), memory, true, 2*hidden), batch, steps, 2, heads, d)
		keys := TransposeAllAxes(SliceAxis(byHeads, 2, AxisRange(0, 1)), 2, 0, 3, 4, 1)
		values := TransposeAllAxes(SliceAxis(byHeads, 2, AxisRange(1, 2)), 2, 0, 3, 1, 4)
		weights := []*Node{weight(s, said, "query", 1, hidden, hidden), weight(s, said, "next", 1, 2*hidden, hidden),
			keys, values}
		begin := BroadcastToDims(weight(s, said, "begin", 1, 1, hidden), 1, batch, hidden)
		ys, _ := scan.New(decode).Length(steps).Done([]*Node{begin}, nil, weights)
		logits := layers.Dense(s.In("read-out"), Squeeze(ys[0], 1), true, symbols) // [T, B, symbols]
		labels := InsertAxes(Transpose(Reverse(said, 1), 0, 1), -1)
		mean := ReduceAllMean(loss.SparseCategoricalCrossEntropyLogits([]*Node{labels}, []*Node{logits}))
		adam.UpdateGraph(s, said.Graph(), mean)
		return mean
	}

	engine := must(backend.New(""))
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	exec, rng := model.MustNewExec(engine, store, update), rand.New(rand.NewPCG(1, 2))
	var first, last float32
	for n := range 300 {
		said := make([][]int32, batch)
		for b := range said {
			for range steps {
				said[b] = append(said[b], rng.Int32N(symbols))
			}
		}
		last = exec.MustCall(said)[0].Value().(float32)
		if n == 0 {
			first = last
		}
	}
	fmt.Println("at first no better than chance:", first > 2)
	fmt.Println("at last without mistakes:      ", last < 0.1)
	// Output:
	// at first no better than chance: true
	// at last without mistakes:       true
}

// Dropout in a step. The state of the random numbers is part of the carry; a variable takes it to the next call.
func Example_randomNumbers() {
	engine := must(backend.New(""))
	step := func(c *scan.Ctx, carry, x, weights []*Node) (next, y []*Node) {
		rng, u := RandomUniform(carry[1], carry[0].Shape())
		kept := Where(LessThan(u, Scalar(u.Graph(), u.DType(), 0.5)), MulScalar(carry[0], 2), ZerosLike(carry[0]))
		h := c.Tanh(Add(c.Dot(kept, weights[0], 1)[0], x[0]))
		return []*Node{h, rng}, []*Node{h}
	}
	seed := must(RNGStateFromSeed(1))
	run := model.MustNewExec(engine, model.NewStore(), func(s *model.Scope, x, w *Node) *Node {
		rng := s.VariableWithValue("random numbers", seed).SetTrainable(false)
		zero := ZerosLike(Squeeze(SliceAxis(x, 0, AxisRange(0, 1)), 0))
		ys, final := scan.New(step).Done([]*Node{zero, rng.NodeValue(x)}, []*Node{x}, []*Node{w})
		rng.SetNodeValue(final[1])
		return ys[0]
	})
	const steps, hidden = 3, 16
	x := tensors.FromFlatDataAndDimensions(slices.Repeat([]float32{1}, steps*hidden), steps, 1, 1, hidden)
	w := tensors.FromFlatDataAndDimensions(slices.Repeat([]float32{0.1}, hidden*hidden), 1, hidden, hidden)
	h := run.MustCall(x, w)[0].Value().([][][][]float32)
	again := run.MustCall(x, w)[0].Value().([][][][]float32)
	fmt.Println("the first step has nothing to drop:", h[0][0][0][0] == h[0][0][0][hidden-1])
	fmt.Println("the next call drops other units:   ", !reflect.DeepEqual(h, again))
	// Output:
	// the first step has nothing to drop: true
	// the next call drops other units:    true
}

// The sum of this and all later inputs at each step, computed from the end. As always, ys[t] belongs to xs[t].
func ExampleBuilder_Reverse() {
	engine := must(backend.New(""))
	add := func(_ *scan.Ctx, carry, x, _ []*Node) (next, y []*Node) {
		sum := Add(carry[0], x[0])
		return []*Node{sum}, []*Node{sum}
	}
	left := MustExecOnce(engine, func(x *Node) *Node {
		zero := ScalarZero(x.Graph(), x.DType())
		ys, _ := scan.New(add).Reverse().Done([]*Node{zero}, []*Node{x}, nil)
		return ys[0]
	}, []float64{1, 2, 3, 4})
	fmt.Println(left.Value())
	// Output: [10 9 7 4]
}

// A recurrence that is linear in h needs no loop. The results and gradients are those of the loop, here over 1 to 7
// steps.
func ExampleAssociative() {
	engine := must(backend.New(""))
	leak := func(_ *scan.Ctx, carry, x, _ []*Node) (next, y []*Node) {
		h := Add(Mul(x[0], carry[0]), x[1])
		return []*Node{h}, []*Node{h}
	}
	a, u, equal := []float64{0.5, 0.9, 0.1, 0.7, 0.2, 0.8, 0.6}, []float64{1, 2, 3, 4, 5, 6, 7}, true
	for steps := 1; steps <= len(a); steps++ {
		results := MustExecOnceN(engine, func(a, u *Node) []*Node {
			with := func(h *Node) []*Node { return append(Gradient(ReduceAllSum(Square(h)), a, u), h) }
			ys, _ := scan.New(leak).Done([]*Node{ScalarZero(a.Graph(), a.DType())}, []*Node{a, u}, nil)
			return append(with(ys[0]), with(scan.Associative(scan.Affine, a, u)[1])...)
		}, a[:steps], u[:steps])
		for i := range 3 {
			equal = equal && results[i].InDelta(results[3+i], 1e-12)
		}
	}
	fmt.Println(equal)
	// Output: true
}
