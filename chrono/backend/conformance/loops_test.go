package conformance

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

const trials, batch, hidden = 2, 3, 4

// A recurrence is a loop over time as a function of its arguments alone.
type recurrence struct {
	name      string
	arguments [][]int // their shapes
	loop      func(run loop, arguments []*Node) (ys, final []*Node)
}

// loop is scan's loop, or the same steps unrolled.
type loop = func(step scan.Step, init, xs, weights []*Node) (ys, final []*Node)

// cells is every cell of chrono/cell, with inputs narrower than the state and as wide as it, where a cell may work
// another way.
var cells = []struct {
	cell   cell.Cell
	inputs int
}{
	{cell.RNN{Hidden: hidden}, 2},
	{cell.Leaky{Hidden: hidden}, 2},
	{cell.Gated{Hidden: hidden}, hidden + 1},
	{cell.GlobalGated{Hidden: hidden}, 2},
	{cell.NetworkGated{Hidden: hidden, Network: 5}, 2},
	{cell.LSTM{Hidden: hidden}, 2},
	{cell.LSTM{Hidden: hidden}, hidden + 1},
	{cell.TiedLSTM{Hidden: hidden}, hidden + 1},
	{cell.GRU{Hidden: hidden}, hidden + 1},
	{cell.GRU{Hidden: hidden, ResetAfter: true}, 2},
	{fastWeights, 2},
	{cell.FastWeights{Hidden: hidden, Decay: 0.9, Rate: 0.5, Inner: 2, Preliminary: true, Activation: cell.TanH{},
		Norm: cell.Normalization{Epsilon: 0.1}}, hidden + 1},
	{cell.RHN{Hidden: hidden, Depth: 3}, 2},
	{cell.RHN{Hidden: hidden, Depth: 2}, hidden + 1},
	{batchNormalized, 2},
	{cell.MinGRU{Hidden: hidden}, 2},
	{cell.RGLRU{Hidden: hidden}, hidden + 1},
	{cell.Selective{Hidden: hidden, States: 2}, 2},
	{cell.LRU{Hidden: hidden}, 2},
}

var batchNormalized = cell.BNLSTM{Hidden: hidden, Gain: 0.1, Epsilon: 1e-2}

var fastWeights = cell.FastWeights{Hidden: hidden, Decay: 0.9, Rate: 0.5, Inner: 1, Activation: cell.ReLU{},
	Norm: cell.Normalization{Epsilon: 1e-2, Learned: true}}

// recurrences are what the suite tries: every cell, and two loops that need more of an engine than they do.
func recurrences() []recurrence {
	all := []recurrence{
		{"scan, reductions", [][]int{{5, trials, batch, hidden}, {trials, batch, hidden}, {trials, hidden, hidden},
			{trials, batch, hidden}}, func(run loop, in []*Node) (ys, final []*Node) {
			never := Const(in[0].Graph(), make([]bool, 1))
			ys, final = run(reducing, []*Node{in[1], never}, in[:1], in[2:])
			return ys[:2], final[:1]
		}},
		{"scan, attention", [][]int{{5, trials, batch, hidden}, {trials, batch, hidden}, {trials, hidden, hidden},
			{trials, batch, 2, hidden / 2, 3}, {trials, batch, 2, 3, hidden / 2}},
			func(run loop, in []*Node) (ys, final []*Node) { return run(attending, in[1:2], in[:1], in[2:]) }},
	}
	for _, c := range cells {
		layer := must(c.cell.Layer(c.inputs))
		states := len(layer.StateDims)
		shapes := [][]int{{5, trials, batch, c.inputs}}
		for _, dims := range layer.StateDims {
			shapes = append(shapes, append([]int{trials, batch}, dims...))
		}
		for _, w := range layer.Weights {
			shapes = append(shapes, append([]int{trials}, w.Dims...))
		}
		name := fmt.Sprintf("%s, %d inputs", reflect.TypeOf(c.cell).Name(), c.inputs)
		all = append(all, recurrence{name, shapes, func(run loop, in []*Node) (ys, final []*Node) {
			xs, weights := layer.Prepare(in[:1], cell.ByName(layer.Weights, in[1+states:]))
			return run(layer.Step, in[1:1+states], xs, weights)
		}})
	}
	return all
}

// reducing has every kind of reduction: a softmax, a maximum that the gradient goes through, a product, normalization,
// a sum over the sequences, a row that is looked up where another is largest, and booleans as a state and an output.
func reducing(c *scan.Ctx, carry, x, weights []*Node) (nextCarry, ys []*Node) {
	z := Add(c.Dot(carry[0], weights[0], 1)[0], x[0]) // [R, B, H]
	attention := Softmax(z)
	largest := ReduceAndKeep(z, ReduceMax, -1)
	norm := Sqrt(AddScalar(ReduceAndKeep(Square(Sub(z, ReduceAndKeep(z, ReduceMean, -1))), ReduceMean, -1), 1))
	all := InsertAxes(AddScalar(StopGradient(ReduceMultiply(Sigmoid(z), -1)), 1), -1)
	row := InsertAxes(ArgMax(Reshape(z, -1, hidden), 0), -1) // [H, 1] of the R·B
	looked := Gather(Reshape(weights[1], -1, hidden), row)   // [H, H]
	spread := ReduceSum(Mul(looked, Sigmoid(looked)), 0)     // [H]
	next := Tanh(Add(Add(Div(z, norm), Mul(attention, largest)), Mul(all, ExpandLeftToRank(spread, 3))))
	positive := LogicalOr(carry[1], Reshape(ReduceLogicalAnd(GreaterThan(next, x[0])), 1))
	return []*Node{next, positive}, []*Node{ReduceSum(next, 1), ReduceMin(next, 0, 1), positive}
}

// attending has a memory of three positions, which it reads with two heads.
func attending(c *scan.Ctx, carry, x, weights []*Node) (nextCarry, ys []*Node) {
	query := Reshape(c.Dot(carry[0], weights[0], 1)[0], trials, batch, 2, 1, hidden/2)
	seen := c.Dot(Softmax(c.Dot(query, weights[1], 1)[0]), weights[2], 1)[0]
	h := c.Tanh(Add(Reshape(seen, trials, batch, hidden), x[0]))
	return []*Node{h}, []*Node{h}
}

// evaluate returns the loop's last states, its outputs, and the gradients of a loss of all of them with respect to
// every argument; all drawn from the same numbers.
func (r recurrence) evaluate(b compute.Backend, dtype dtypes.DType, run loop) [][]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	arguments := xslices.Map(r.arguments, func(dims []int) any { return Random[float32](rng, dims...) })
	return xslices.Map(MustExecOnceN(b, func(in []*Node) []*Node {
		for i := range in {
			in[i] = ConvertDType(in[i], dtype)
		}
		ys, final := r.loop(run, in)
		results := slices.Concat(final, ys)
		return append(results, Gradient(Weighted(results), in...)...)
	}, arguments...), Numbers)
}

// Loops over time, forward and backward, are what the same steps are in an unrolled graph: in both directions, and with
// steps that are left over after the last whole iteration.
func TestLoops(t *testing.T) {
	all := recurrences()
	reference := Start(t, "go")
	want := make([][][]float64, len(all))
	for i, r := range all {
		want[i] = r.evaluate(reference, dtypes.Float64, scan.Unrolled)
	}
	looped := func(step scan.Step, init, xs, weights []*Node) (ys, final []*Node) {
		return scan.New(step).Unroll(2).Done(init, xs, weights)
	}
	OnEach(t, func(t *testing.T, _ string, b compute.Backend) {
		for _, dtype := range floats(b) {
			for i, r := range all {
				t.Run(fmt.Sprintf("%s/%s", r.name, dtype), func(t *testing.T) {
					check.Close(t, r.evaluate(b, dtype, looped), want[i], tolerance[dtype], "%s", r.name)
				})
			}
		}
	})
}

// classify is an LSTM that is to tell a class at every step, always the same, and says nearly the same at each, as at
// the start of training: sums of gradients over steps and sequences have nearly equal terms, whose roundings do not
// cancel.
func classify(steps, sequences int) recurrence {
	const inputs = 2
	c := must(cell.LSTM{Hidden: hidden}.Layer(inputs))
	dims := [][]int{{steps, 1, sequences, inputs}, {1, sequences, hidden}, {1, sequences, hidden}, {1, hidden, classes},
		{1, 1, 1, classes}}
	for _, w := range c.Weights {
		dims = append(dims, append([]int{1}, w.Dims...))
	}
	return recurrence{fmt.Sprintf("T = %d, B = %d", steps, sequences), dims,
		func(run loop, in []*Node) (ys, final []*Node) {
			xs, weights := c.Prepare(in[:1], cell.ByName(c.Weights, in[5:]))
			ys, final = run(c.Step, in[1:3], xs, weights)
			logits := Add(Einsum("trbh,rho->trbo", ys[0], MulScalar(in[3], 1e-3)), in[4])
			labels := Zeros(in[0].Graph(), shapes.Make(dtypes.Int32, steps, 1, sequences))
			return []*Node{trial.CrossEntropy{}.Losses(labels, logits)}, final
		}}
}

// Bounds on losses and gradients over as many steps and sequences as package backend names.
func TestLongLoops(t *testing.T) {
	looped := func(step scan.Step, init, xs, weights []*Node) (ys, final []*Node) {
		return scan.New(step).Done(init, xs, weights)
	}
	reference := Start(t, "go")
	for _, steps := range []int{784, 2000} {
		r := classify(steps, 128)
		want := r.evaluate(reference, dtypes.Float64, looped)
		OnEach(t, func(t *testing.T, name string, b compute.Backend) {
			for _, dtype := range floats(b) {
				allowed := tolerance[dtype]
				if name == "go" {
					if dtype == dtypes.Float64 {
						continue // the reference
					}
					allowed = 5e-3 // it adds one number after the other
				}
				check.Close(t, r.evaluate(b, dtype, looped), want, allowed, "%s, %s", r.name, dtype)
			}
		})
	}
}

// exact are the engines that promise bits on any number of threads.
var exact = []string{"simd", "go"}

// tolerance is how far an engine may be off, as a part of the largest element: sums are taken in another order.
var tolerance = map[dtypes.DType]float64{dtypes.Float32: 2e-5, dtypes.Float64: 1e-11}

// floats are the types that an engine computes in.
func floats(b compute.Backend) (types []dtypes.DType) {
	for _, d := range []dtypes.DType{dtypes.Float32, dtypes.Float64} {
		if b.Capabilities().DTypes[d] {
			types = append(types, d)
		}
	}
	return types
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
