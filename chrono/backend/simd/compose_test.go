package simd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/internal/check"
)

type (
	built     func(f function, in values) values
	operation func(f function, in values) (value, error)
)

// computed runs a graph and returns its outputs as float64. Inputs of the given shapes have values of rng, whole
// numbers where ties and integers are wanted.
func computed(b compute.Backend, rng *rand.Rand, d dtypes.DType, whole bool, dims [][]int, build built) [][]float64 {
	builder := b.Builder("computed")
	f := builder.Main()
	var in values
	var buffers []compute.Buffer
	for _, dim := range dims {
		s := shapes.Make(dtypes.Float64, dim...)
		flat := make([]float64, s.Size())
		for i := range flat {
			flat[i] = rng.NormFloat64()
			if whole {
				flat[i] = float64(rng.IntN(7) - 3)
			}
		}
		x := must(f.Parameter("", s, nil))
		if d.IsInt() { // GoMLX's engine and ours make different unsigned integers of negative floats
			x = must(f.ConvertDType(x, dtypes.Int64))
		}
		in = append(in, must(f.ConvertDType(x, d)))
		buffers = append(buffers, must(b.BufferFromFlatData(0, flat, s)))
	}
	var out values
	for _, v := range build(f, in) {
		out = append(out, must(f.ConvertDType(v, dtypes.Float64)))
	}
	if err := f.Return(out, nil); err != nil {
		panic(err)
	}
	var results [][]float64
	for _, o := range must(must(builder.Compile()).Execute(buffers, nil, 0)) {
		results = append(results, slices.Clone(must(o.Data()).([]float64)))
	}
	return results
}

var numbers = map[dtypes.DType]float64{dtypes.Int8: 0, dtypes.Int16: 0, dtypes.Int32: 0, dtypes.Int64: 0,
	dtypes.Uint8: 0, dtypes.Uint16: 0, dtypes.Uint32: 0, dtypes.Uint64: 0, dtypes.Float16: 4e-3,
	dtypes.BFloat16: 3e-2, dtypes.Float32: 1e-5, dtypes.Float64: 1e-13}

// Operations that are made of others, with random arguments, against GoMLX's Go backend.
func TestComposed(t *testing.T) {
	reference, b := must(gobackend.New("ops_sequential")), must(simd.New("threads=2"))
	// list is n numbers from 1 to limit, or nothing, which means the default.
	list := func(rng *rand.Rand, n, limit int) []int {
		if rng.IntN(3) == 0 {
			return nil
		}
		l := make([]int, n)
		for i := range l {
			l[i] = 1 + rng.IntN(limit)
		}
		return l
	}
	// pads is padding on both sides of n axes, or nothing.
	pads := func(rng *rand.Rand, n, limit int) [][2]int {
		if rng.IntN(3) == 0 {
			return nil
		}
		l := make([][2]int, n)
		for i := range l {
			l[i] = [2]int{rng.IntN(limit), rng.IntN(limit)}
		}
		return l
	}
	for _, test := range []struct {
		name string
		// make draws the arguments of an operation: the shapes of its operands, and how it is built.
		make func(rng *rand.Rand) ([][]int, operation)
	}{
		{"CumSum", func(rng *rand.Rand) ([][]int, operation) {
			dims := [][]int{{3, 1 + rng.IntN(20), 2}}
			axis, how := rng.IntN(3), compute.CumSumOptions{Exclusive: rng.IntN(2) == 0, Reverse: rng.IntN(2) == 0}
			return dims, func(f function, in values) (value, error) {
				return f.CumSum(in[0], axis, how)
			}
		}},
		{"ReduceWindow", func(rng *rand.Rand) ([][]int, operation) {
			rank := 1 + rng.IntN(4)
			dims := make([]int, rank)
			for a := range dims {
				dims[a] = 5 + rng.IntN(4)
			}
			kind := compute.ReduceOpType(1 + rng.IntN(4))
			size, steps := list(rng, rank, 3), list(rng, rank, 3)
			if size == nil {
				size = slices.Repeat([]int{2}, rank)
			}
			holes, every, padding := list(rng, rank, 2), list(rng, rank, 2), pads(rng, rank, 3)
			return [][]int{dims}, func(f function, in values) (value, error) {
				return f.ReduceWindow(in[0], kind, size, steps, holes, every, padding)
			}
		}},
		{"SelectAndScatter", func(rng *rand.Rand) ([][]int, operation) {
			rank := 1 + rng.IntN(3)
			dims, out := make([]int, rank), make([]int, rank)
			size, steps, padding := make([]int, rank), make([]int, rank), make([][2]int, rank)
			apart := rng.IntN(2) == 0
			for a := range dims {
				dims[a], size[a], steps[a] = 4+rng.IntN(4), 1+rng.IntN(3), 1+rng.IntN(3)
				padding[a] = [2]int{rng.IntN(4), rng.IntN(4)}
				if apart { // windows lie side by side
					dims[a], steps[a], padding[a] = size[a]*(1+rng.IntN(3)), size[a], [2]int{}
				}
				out[a] = (dims[a]+padding[a][0]+padding[a][1]-size[a])/steps[a] + 1
			}
			least, lowest := rng.IntN(2) == 0, rng.IntN(3) == 0
			return [][]int{dims, out}, func(f function, in values) (value, error) {
				if lowest { // elements that are not larger than padding
					s := must(f.Shape(in[0]))
					if l, ok := s.DType.LowestValue().(float64); ok {
						c := must(f.Constant([]float64{l}))
						in[0] = must(f.BroadcastInDim(c, s, nil))
					}
				}
				if least {
					return f.SelectAndScatterMin(in[0], in[1], size, steps, padding)
				}
				return f.SelectAndScatterMax(in[0], in[1], size, steps, padding)
			}
		}},
		{"ConvGeneral", func(rng *rand.Rand) ([][]int, operation) {
			spatial := 1 + rng.IntN(3)
			groups := [2]int{1, 1}
			groups[rng.IntN(2)] = 1 + rng.IntN(2)
			inputs, outputs := 1+rng.IntN(3), groups[0]*groups[1]*(1+rng.IntN(3))
			place := func() (int, int, []int) {
				order := rng.Perm(2 + spatial)
				return order[0], order[1], order[2:]
			}
			var axes compute.ConvolveAxesConfig
			axes.InputBatch, axes.InputChannels, axes.InputSpatial = place()
			axes.KernelInputChannels, axes.KernelOutputChannels, axes.KernelSpatial = place()
			// GoMLX's Go backend takes the batch to be the same axis of input and output.
			axes.OutputBatch, axes.OutputChannels, axes.OutputSpatial = axes.InputBatch, axes.InputChannels,
				axes.InputSpatial
			x, k := make([]int, 2+spatial), make([]int, 2+spatial)
			x[axes.InputBatch], x[axes.InputChannels] = 2*groups[1], inputs*groups[0]
			k[axes.KernelInputChannels], k[axes.KernelOutputChannels] = inputs, outputs
			for i := range spatial {
				x[axes.InputSpatial[i]], k[axes.KernelSpatial[i]] = 5+rng.IntN(3), 1+rng.IntN(3)
			}
			steps, padding := list(rng, spatial, 2), pads(rng, spatial, 3)
			holes, every := list(rng, spatial, 2), list(rng, spatial, 2)
			return [][]int{x, k}, func(f function, in values) (value, error) {
				return f.ConvGeneral(in[0], in[1], axes, steps, padding, holes, every, groups[0], groups[1])
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for seed := range uint64(25) {
				for d, tolerance := range numbers {
					rng := rand.New(rand.NewPCG(seed, 3))
					dims, op := test.make(rng)
					build := func(f function, in values) values {
						return values{must(op(f, in))}
					}
					whole := d.IsInt() || rng.IntN(2) == 0
					values := rng.Uint64()
					run := func(b compute.Backend) [][]float64 {
						return computed(b, rand.New(rand.NewPCG(values, 0)), d, whole, dims, build)
					}
					check.Close(t, run(b), run(reference), tolerance, "seed %d on %s", seed, d)
				}
			}
		})
	}
}

// Random numbers are those of GoMLX's Go backend, and so is the state after them.
func TestRandomBits(t *testing.T) {
	reference, b := must(gobackend.New("ops_sequential")), must(simd.New("threads=2"))
	for _, d := range []dtypes.DType{dtypes.Uint8, dtypes.Uint16, dtypes.Uint32, dtypes.Uint64} {
		draw := func(b compute.Backend) [][]float64 {
			build := func(f function, _ values) (out values) {
				state := must(f.Constant([]uint64{1, 2, 0}, 3))
				for _, n := range []int{1, 2, 7, 1001} {
					next, bits, err := f.RNGBitGenerator(state, shapes.Make(d, n))
					check.OK(t, err)
					state, out = next, append(out, bits)
				}
				return append(out, state)
			}
			return computed(b, nil, d, false, nil, build)
		}
		check.Close(t, draw(b), draw(reference), 0, "%s", d)
	}
}

// The total order of floats, in which −0 comes before 0 and NaN after everything, or before it, by its sign.
func TestTotalOrder(t *testing.T) {
	b := must(simd.New(""))
	negative := math.Copysign(math.NaN(), -1)
	ordered := []float64{negative, math.Inf(-1), -2, math.Copysign(0, -1), 0, 1, math.Inf(1), math.NaN()}
	n := len(ordered)
	for _, d := range []dtypes.DType{dtypes.Float64, dtypes.Float32, dtypes.Float16, dtypes.BFloat16} {
		got := computed(b, rand.New(rand.NewPCG(0, 0)), d, false, nil, func(f function, _ values) (
			out values) {
			x := must(f.ConvertDType(must(f.Constant(ordered, n)), d))
			square := shapes.Make(d, n, n)
			l, r := must(f.BroadcastInDim(x, square, []int{0})), must(f.BroadcastInDim(x, square, []int{1}))
			for _, compare := range []func(l, r value) (value, error){f.EqualTotalOrder,
				f.NotEqualTotalOrder, f.LessThanTotalOrder, f.LessOrEqualTotalOrder, f.GreaterThanTotalOrder,
				f.GreaterOrEqualTotalOrder} {
				out = append(out, must(compare(l, r)))
			}
			return out
		})
		for i := range n {
			for j := range n {
				for k, want := range []bool{i == j, i != j, i < j, i <= j, i > j, i >= j} {
					check.That(t, (got[k][i*n+j] != 0) == want, "%s: comparison %d of %g and %g is wrong", d, k, ordered[i],
						ordered[j])
				}
			}
		}
	}
}

// TestBroadcasts reads rows that are one value each, and rows that are all the same, in pieces that begin and end
// within a row.
func TestBroadcasts(t *testing.T) {
	reference, b := must(gobackend.New("ops_sequential")), must(simd.New("threads=2"))
	for _, dims := range [][]int{{700, 10}, {1, 5000}, {5000, 1}, {3, 1100}, {90, 33}, {41, 7, 13}, {2, 3, 500}} {
		for _, d := range []dtypes.DType{dtypes.Float32, dtypes.Float64, dtypes.Int32, dtypes.Int8} {
			last := len(dims) - 1
			build := func(f function, in values) values {
				shape := shapes.Make(d, dims...)
				axes := []int{0, 1, 2}[:last]
				columns := must(f.BroadcastInDim(in[1], shape, axes)) // one value a row
				rows := must(f.BroadcastInDim(in[2], shape, []int{last}))
				middle := must(f.BroadcastInDim(in[3], shape, []int{0}))
				one := func(v value) value { return must(f.Where(v, in[0], rows)) }
				return values{
					must(f.Add(must(f.Mul(in[0], columns)), rows)),
					one(must(f.Equal(columns, rows))), one(must(f.NotEqual(columns, rows))),
					one(must(f.LessThan(columns, in[0]))), one(must(f.LessOrEqual(columns, in[0]))),
					one(must(f.GreaterThan(rows, middle))), one(must(f.GreaterOrEqual(rows, middle))),
				}
			}
			inputs := [][]int{dims, dims[:last], dims[last:], dims[:1]}
			outputs := func(b compute.Backend) [][]float64 {
				return computed(b, rand.New(rand.NewPCG(1, 2)), d, true, inputs, build)
			}
			check.Close(t, outputs(b), outputs(reference), 0, "%v %v", d, dims)
		}
	}
}

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
