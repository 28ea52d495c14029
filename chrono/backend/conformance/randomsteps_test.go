package conformance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/internal/numeric"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

// loop is scan's loop, or the same steps unrolled.
type loop = func(step scan.Step, init, xs, weights []*Node) (ys, final []*Node)

// operations are what random steps are made of: of values a and b, and of a weight w, of one shape. The first ones are
// bounded. Many of the others have an infinite derivative where a is not positive, so that sending on a gradient of
// zero is not the same as sending none.
var operations = []func(s *scan.Ctx, a, b, w *Node) *Node{
	func(_ *scan.Ctx, a, b, _ *Node) *Node { return Sin(Add(a, b)) },
	func(_ *scan.Ctx, a, b, _ *Node) *Node { return Sin(Mul(a, b)) },
	func(_ *scan.Ctx, a, _, w *Node) *Node { return Sin(Mul(a, w)) },
	func(s *scan.Ctx, a, _, w *Node) *Node { return s.Tanh(s.Dot(a, w, 1)[0]) },
	func(s *scan.Ctx, a, _, w *Node) *Node {
		return Sin(Concatenate(slices.Repeat(s.Dot(a, w, 2)[1:], 2), -1))
	},
	func(s *scan.Ctx, a, b, _ *Node) *Node { return Mul(s.Sigmoid(a), s.Tanh(b)) },
	func(_ *scan.Ctx, a, b, w *Node) *Node { return Where(GreaterThan(a, b), a, w) },
	func(_ *scan.Ctx, a, _, _ *Node) *Node { return StopGradient(a) },
	func(_ *scan.Ctx, a, _, w *Node) *Node { // a step may call Gradient, through GoMLX's own functions
		return Sin(Gradient(ReduceAllSum(Tanh(MatMul(a, w))), a)[0])
	},
	func(_ *scan.Ctx, a, b, w *Node) *Node { // two steps in one
		ys, _ := scan.Unrolled(func(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
			h := Tanh(Add(s.Dot(carry[0], weights[0], 1)[0], x[0]))
			return []*Node{h}, []*Node{h}
		}, []*Node{a}, []*Node{Stack([]*Node{a, b}, 0)}, []*Node{w})
		return ReduceSum(ys[0], 0)
	},
	// The gradient of a maximum goes to what equals it, so not of a value that XLA may compute twice and round
	// otherwise.
	func(_ *scan.Ctx, a, _, w *Node) *Node { return Mul(Softmax(a), Sin(ReduceAndKeep(w, ReduceMax, -1))) },
	func(_ *scan.Ctx, a, b, _ *Node) *Node { // normalization, a product, and booleans
		variance := ReduceAndKeep(Square(Sub(a, ReduceAndKeep(a, ReduceMean, -1))), ReduceMean, -1)
		all := StopGradient(ReduceAndKeep(Sin(b), ReduceMultiply, -1))
		some := LogicalOr(GreaterThan(a, b), BroadcastToShape(ReduceLogicalAnd(LessThan(a, b)), a.Shape()))
		return Where(some, Sin(Mul(a, all)), Sin(Div(a, Sqrt(AddScalar(variance, 1)))))
	},
	func(_ *scan.Ctx, a, _, w *Node) *Node { // a sum over the rows of w where a is largest in a column
		rows := InsertAxes(ArgMax(Reshape(a, -1, 2), 0), -1)
		sum := ReduceSum(Gather(Reshape(w, -1, 2), rows), 0)
		return Sin(Mul(a, ExpandLeftToRank(sum, a.Rank())))
	},

	func(_ *scan.Ctx, a, _, _ *Node) *Node { return Log(MaxScalar(a, 0)) },
	func(_ *scan.Ctx, a, _, _ *Node) *Node { return Sqrt(MaxScalar(a, 0)) },
	func(_ *scan.Ctx, a, b, _ *Node) *Node { return Div(b, MaxScalar(a, 0)) },
	func(s *scan.Ctx, a, _, _ *Node) *Node { return s.Tanh(Log(MaxScalar(a, 0))) },
	func(s *scan.Ctx, a, _, w *Node) *Node { return s.Dot(Log(MaxScalar(a, 0)), w, 1)[0] },
	func(_ *scan.Ctx, a, _, _ *Node) *Node { return MulScalar(a, math.NaN()) },
	func(_ *scan.Ctx, a, _, _ *Node) *Node { return MulScalar(a, math.Inf(1)) },
	func(_ *scan.Ctx, a, _, _ *Node) *Node { return Floor(a) }, // GoMLX has no gradient for it, and panics
}

const boundedOperations = 13

// before is what a loop's arguments are computed with from the parameters of the graph.
var before = []func(p *Node) *Node{
	func(p *Node) *Node { return p },
	func(p *Node) *Node { return Sqrt(MaxScalar(p, 0)) },
	StopGradient,
	ZerosLike,
}

// randomLoop is a loop drawn from a seed: arguments, a step, options, and the results that a loss is computed from.
type randomLoop struct {
	seed                  uint64
	dims                  []int // of every value
	steps, states, inputs int
	arguments             []argument // states, inputs, weights
	values                []value    // what a step computes, after its states and inputs
	next, outputs         []int      // which of all values
	lost                  []bool     // for each of the last states and then for each output
	unroll                int
	reverse, recompute    bool
}

type argument struct {
	dtype  dtypes.DType
	before int
}

type value struct{ operation, a, b, w int }

func drawLoop(seed uint64, steps int) *randomLoop {
	rng := rand.New(rand.NewPCG(seed, 0))
	pick := func(from []int) int { return from[rng.IntN(len(from))] }
	l := &randomLoop{seed: seed, steps: steps, dims: [][]int{{1, 2, 2}, {2, 2, 2}, {1, 2, 2, 2}}[rng.IntN(3)],
		states: 2 + rng.IntN(4), inputs: 1 + rng.IntN(2),
		unroll: pick([]int{1, 2, 3, 4, scan.DefaultUnroll}), reverse: rng.IntN(4) == 0, recompute: rng.IntN(4) == 0}

	// All values of a step, and those that are bounded. The first state is, and most losses are of bounded results:
	// else hardly any gradient would be finite.
	var all, bounded []int
	add := func(isBounded bool) {
		if isBounded {
			bounded = append(bounded, len(all))
		}
		all = append(all, len(all))
	}
	for i := range l.states + l.inputs + 2 {
		a := argument{dtypes.Float64, pick([]int{0, 0, 0, 0, 0, 1, 2, 3})}
		if i < l.states+l.inputs {
			if i > 0 && rng.IntN(6) == 0 {
				a.dtype = []dtypes.DType{dtypes.Int32, dtypes.Bool}[rng.IntN(2)]
			}
			add(i == 0 || i >= l.states || !a.dtype.IsFloat() || rng.IntN(2) == 0)
		}
		l.arguments = append(l.arguments, a)
	}
	boundedArguments := slices.Clone(bounded)
	for range 3 + rng.IntN(8) {
		v := value{operation: rng.IntN(len(operations)), a: pick(all), b: pick(all), w: rng.IntN(2)}
		isBounded := v.operation < boundedOperations && rng.IntN(4) > 0
		if isBounded {
			v.a, v.b = pick(bounded), pick(bounded)
		}
		l.values = append(l.values, v)
		add(isBounded)
	}
	anyLost := rng.IntN(8) == 0
	result := func(from []int) int {
		i := pick(from)
		l.lost = append(l.lost, rng.IntN(2) == 0 && (anyLost || slices.Contains(bounded, i)))
		return i
	}
	for i := range l.states {
		from := all
		if slices.Contains(bounded, i) {
			from = bounded
			if rng.IntN(3) == 0 {
				from = boundedArguments // stays, swaps places with another, or queues
			}
		}
		l.next = append(l.next, result(from))
	}
	for range rng.IntN(3) {
		l.outputs = append(l.outputs, result(all))
	}
	l.lost[0] = l.lost[0] || !slices.Contains(l.lost, true)
	return l
}

// step computes the values one after the other.
func (l *randomLoop) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, ys []*Node) {
	float := func(node *Node) *Node { return ConvertDType(node, dtypes.Float64) }
	all := xslices.Map(slices.Concat(carry, x), float)
	for _, v := range l.values {
		all = append(all, operations[v.operation](s, all[v.a], all[v.b], weights[v.w]))
	}
	for i, v := range l.next {
		nextCarry = append(nextCarry, ConvertDType(all[v], carry[i].DType()))
	}
	return nextCarry, xslices.Map(l.outputs, func(v int) *Node { return all[v] })
}

// run returns the results, and the gradients of two losses of some of them with respect to what the arguments are
// computed from. Whoever calls the loop may assign to the slices that it was given.
func (l *randomLoop) run(b compute.Backend, build loop) (values [][]float64, err error) {
	rng := rand.New(rand.NewPCG(l.seed, 1))
	var parameters []any
	for i := range l.arguments {
		dims := slices.Clone(l.dims)
		if i >= l.states && i < l.states+l.inputs {
			dims = append([]int{l.steps}, dims...)
		}
		tensor := tensors.FromShape(shapes.Make(dtypes.Float64, dims...))
		tensors.MustMutableFlatData(tensor, func(flat []float64) {
			for j := range flat {
				flat[j] = max(-0.5, 0.7*rng.NormFloat64())
			}
		})
		parameters = append(parameters, tensor)
	}
	out, err := ExecOnceN(b, func(parameters []*Node) []*Node {
		var nodes []*Node
		for i, p := range parameters {
			node := before[l.arguments[i].before](p)
			switch d := l.arguments[i].dtype; d {
			case dtypes.Bool:
				node = GreaterThan(node, ZerosLike(node))
			case dtypes.Int32:
				node = ConvertDType(MulScalar(node, 4), d)
			}
			nodes = append(nodes, node)
		}
		ys, final := build(l.step, nodes[:l.states], nodes[l.states:l.states+l.inputs], nodes[l.states+l.inputs:])
		clear(nodes)
		var results, lost []*Node
		for i, node := range slices.Concat(final, ys) {
			results = append(results, ConvertDType(node, dtypes.Float64))
			if l.lost[i] {
				lost = append(lost, results[i])
			}
		}
		return slices.Concat(results, Gradient(Weighted(lost), parameters...),
			Gradient(Weighted(lost[len(lost)-1:]), parameters[l.states:]...))
	}, parameters...)
	return xslices.Map(out, numeric.Of), err
}

// A loop over a random step is the same as the steps unrolled: its results and its gradients, be they finite, infinite,
// NaN or missing.
func TestRandomSteps(t *testing.T) {
	type compared struct {
		*randomLoop
		want [][]float64
	}
	var loops []compared
	finite, reference := 0, Start(t, "go")
	for _, steps := range []int{1, 2, 5, 25} {
		for seed := range uint64(100) {
			l := drawLoop(seed, steps)
			want, err := l.run(reference, l.unrolled)
			if err != nil {
				continue // It has no gradient.
			}
			loops = append(loops, compared{l, want})
			if !slices.ContainsFunc(slices.Concat(want...), isNotFinite) {
				finite++
			}
		}
	}
	check.That(t, finite >= 150 && len(loops) >= finite+100,
		"of %d loops %d are finite, want 150 or more, and 100 others", len(loops), finite)
	OnEach(t, func(t *testing.T, name string, b compute.Backend) {
		for _, l := range loops {
			if l.seed >= 5 && !slices.Contains(exact, name) {
				continue // XLA takes seconds to compile one.
			}
			got, err := l.run(b, l.looped)
			if err != nil {
				t.Errorf("seed %d, %d steps: error %v", l.seed, l.steps, err)
				continue
			}
			check.Close(t, got, l.want, 1e-9, "seed %d, %d steps: %+v", l.seed, l.steps, *l.randomLoop)
			if l.recompute && slices.Contains(exact, name) {
				l.recompute = false
				kept, err := l.run(b, l.looped)
				check.OK(t, err)
				check.Close(t, got, kept, 0, "seed %d, %d steps: recomputed", l.seed, l.steps)
				l.recompute = true
			}
		}
	})
}

func (l *randomLoop) unrolled(step scan.Step, init, xs, weights []*Node) (ys, final []*Node) {
	if !l.reverse {
		return scan.Unrolled(step, init, xs, weights)
	}
	ys, final = scan.Unrolled(step, init, backwards(xs), weights)
	return backwards(ys), final
}

func (l *randomLoop) looped(step scan.Step, init, xs, weights []*Node) (ys, final []*Node) {
	b := scan.New(step).Unroll(l.unroll)
	if l.reverse {
		b.Reverse()
	}
	if l.recompute {
		b.Recompute()
	}
	return b.Done(init, xs, weights)
}

func backwards(nodes []*Node) []*Node {
	return xslices.Map(nodes, func(node *Node) *Node { return Reverse(node, 0) })
}

func isNotFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
