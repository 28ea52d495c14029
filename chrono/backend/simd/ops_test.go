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
	"github.com/gomlx/compute/support/backendtest"
	"github.com/gomlx/compute/support/testutil"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/internal/check"
)

type (
	function = compute.Function
	value    = compute.Value
	values   = []compute.Value
)

// closure makes a closure of f with a parameter of each of these shapes.
func closure(f function, of []shapes.Shape, build func(c function, p values) values) function {
	c := must(f.Closure())
	p := xslices.Map(of, func(s shapes.Shape) value { return must(c.Parameter("", s, nil)) })
	if err := c.Return(build(c, p), nil); err != nil {
		panic(err)
	}
	return c
}

// Operations that neither GoMLX's compliance suite nor FuzzCompiler reaches.
func TestOperations(t *testing.T) {
	b := conformance.Start(t, "simd:threads=2")
	matrix := [][]float32{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}
	for _, test := range []struct {
		name   string
		inputs []any
		build  func(f function, p values) (value, error)
		want   any
	}{
		{"DynamicSlice moved inside", []any{matrix, int32(7), int32(-3)}, func(f function, p values) (value, error) {
			return f.DynamicSlice(p[0], p[1:], []int{2, 2})
		}, [][]float32{{4, 5}, {7, 8}}},
		{"DynamicSlice at a vector", []any{matrix, []int32{1, 0}}, func(f function, p values) (value, error) {
			return f.DynamicSlice(p[0], p[1:], []int{2, 2})
		}, [][]float32{{4, 5}, {7, 8}}},
		{"ArgMinMax of booleans", []any{[]bool{false, true, true}}, func(f function, p values) (value, error) {
			return f.ArgMinMax(p[0], 0, dtypes.Int32, false)
		}, int32(1)},
		{"ReduceWindow of booleans", []any{[]bool{false, false, false, true, true}},
			func(f function, p values) (value, error) {
				return f.ReduceWindow(p[0], compute.ReduceOpMax, []int{2}, []int{1}, nil, nil, [][2]int{{1, 0}})
			}, []bool{false, false, false, true, true}},
		{"DynamicUpdateSlice at a vector", []any{matrix, [][]float32{{-1, -2}}, []uint8{1, 9}},
			func(f function, p values) (value, error) {
				return f.DynamicUpdateSlice(p[0], p[1], p[2:])
			}, [][]float32{{1, 2, 3}, {4, -1, -2}, {7, 8, 9}}},
		{"a product without terms, added to what it overwrites", []any{matrix},
			func(f function, p values) (value, error) {
				left, right := must(f.Constant([]float32{}, 3, 0)), must(f.Constant([]float32{}, 0, 3))
				product := must(f.DotGeneral(left, []int{1}, nil, right, []int{0}, nil, compute.DotGeneralConfig{}))
				return f.Add(product, must(f.Neg(must(f.Neg(p[0])))))
			}, matrix},
		{"a product of small integers as larger ones", []any{[]int8{100, 100}},
			func(f function, p values) (value, error) {
				return f.DotGeneral(p[0], []int{0}, nil, p[0], []int{0}, nil,
					compute.DotGeneralConfig{OutputDType: dtypes.Int32})
			}, int32(20000)},
		{"the product of no numbers", []any{float32(7)}, func(f function, p values) (value, error) {
			none := must(f.BroadcastInDim(p[0], shapes.Make(dtypes.Float32, 2, 0), nil))
			return f.ReduceProduct(none, 1)
		}, []float32{1, 1}},
		{"small Float16", []any{[]float32{0x1p-24, -0x3p-24, 0x1.8p-24, 0x1p-25, 0x1.01p-25, 0x1.ffcp-15, 65504}},
			func(f function, p values) (value, error) {
				return f.ConvertDType(must(f.ConvertDType(p[0], dtypes.Float16)), dtypes.Float32)
			}, []float32{0x1p-24, -0x3p-24, 0x2p-24, 0, 0x1p-24, 0x1p-14, 65504}},
		{"NaN as BFloat16", []any{[]float32{math.Float32frombits(0x7f800001), float32(math.Inf(1))}},
			func(f function, p values) (value, error) {
				return f.IsNaN(must(f.ConvertDType(p[0], dtypes.BFloat16)))
			}, []bool{true, false}},
		{"ScatterMax into nothing", []any{[][]float32{{-1, -2, -3}}, [][]int32{{0}, {1}}, [][]float32{{1, 2}, {3, 4}}},
			func(f function, p values) (value, error) {
				beside, none := must(f.Neg(p[0])), must(f.Constant([]float32{}, 0, 3))
				sum := must(f.ReduceSum(beside))
				none, err := f.ScatterMax(none, p[1], p[2], 1, []int{1}, []int{0}, []int{1}, false, false)
				return must(f.Add(beside, must(f.Add(sum, must(f.ReduceSum(none)))))), err
			}, [][]float32{{7, 8, 9}}},
		{"Bitcast of what is transposed", []any{[][]int32{{1, 2}, {3, 4}}}, func(f function, p values) (value, error) {
			return f.Bitcast(must(f.Transpose(p[0], 1, 0)), dtypes.Int16)
		}, [][][]int16{{{1, 0}, {3, 0}}, {{2, 0}, {4, 0}}}},
		{"Bitcast to booleans", []any{[]uint16{0, 1, 0x0200, 0xff80}}, func(f function, p values) (value, error) {
			return f.ConvertDType(must(f.Bitcast(p[0], dtypes.Bool)), dtypes.Int32)
		}, [][]int32{{0, 0}, {1, 0}, {0, 1}, {1, 1}}},
		{"the bits of a float, which is copied elsewhere, as an index", []any{[]int32{2}, []float32{10, 11, 12, 13}},
			func(f function, p values) (value, error) {
				bits := must(f.Abs(must(f.Bitcast(p[0], dtypes.Float32))))
				index := must(f.Bitcast(must(f.Reshape(bits)), dtypes.Int32))
				all := must(f.Abs(must(f.Concatenate(0, bits, p[1]))))
				return f.Add(all, must(f.DynamicSlice(p[1], values{index}, []int{1})))
			}, []float32{12, 22, 23, 24, 25}},
		{"negative and interior padding", []any{[]int32{1, 2, 3, 4}, int32(0)},
			func(f function, p values) (value, error) {
				return f.Pad(p[0], p[1], compute.PadAxis{Start: -1, End: 2, Interior: 1})
			}, []int32{0, 2, 0, 3, 0, 4, 0, 0}},
		{"Sort", []any{[][]float32{{3, 1, 2}, {9, 8, 7}}, [][]int32{{0, 1, 2}, {0, 1, 2}}},
			func(f function, p values) (value, error) {
				float, index := shapes.Make(dtypes.Float32), shapes.Make(dtypes.Int32)
				less := closure(f, []shapes.Shape{float, float, index, index}, func(c function, q values) values {
					return values{must(c.LessThan(q[0], q[1]))}
				})
				return must(f.Sort(less, 1, true, p...))[1], nil
			}, [][]int32{{1, 2, 0}, {2, 1, 0}}},
		{"Call", []any{float32(3)}, func(f function, p values) (value, error) {
			square := must(f.Builder().NewFunction("square"))
			x := must(square.Parameter("x", shapes.Make(dtypes.Float32), nil))
			if err := square.Return(values{must(square.Mul(x, x))}, nil); err != nil {
				return nil, err
			}
			return must(f.Call(square, must(f.Call(square, p[0]))...))[0], nil
		}, float32(81)},
		{"division by zero", []any{[]int32{7, -7}, []int32{0, 2}}, func(f function, p values) (value, error) {
			return f.Div(p[0], p[1])
		}, []int32{-1, -3}},
		{"shifts by too much", []any{[]int32{-8, -8, 8}, []int32{1, 40, 40}},
			func(f function, p values) (value, error) {
				return f.ShiftRightArithmetic(p[0], p[1])
			}, []int32{-4, -1, 0}},
		{"ScatterSum outside", []any{[]float32{1, 2, 3}, [][]int32{{0}, {5}, {-1}, {0}}, []float32{10, 20, 30, 40}},
			func(f function, p values) (value, error) {
				return f.ScatterSum(p[0], p[1], p[2], 1, nil, []int{0}, []int{0}, false, false)
			}, []float32{51, 2, 3}},
		{"windows without elements", nil, func(f function, _ values) (value, error) {
			x := must(f.BroadcastInDim(must(f.Constant([]float32{1})), floats(7, 5, 4, 16), nil))
			at, sum := must(f.Constant([]int32{1, 2}, 2, 1)), must(f.Constant([]float32{0}))
			for _, window := range [][]int{{1, 5, 0, 8}, {1, 0, 4, 8}, {1, 5, 4, 0}} { // also whose rows lie apart
				none := must(f.Gather(x, at, 1, []int{1, 2, 3}, []int{0}, []int{0}, window, false))
				sum = must(f.Add(sum, must(f.ReduceSum(none))))
			}
			return sum, nil
		}, float32(0)},
		{"indices without an axis of their vectors", []any{[][]float32{{1, 2}, {3, 4}}, []int32{1, 1, 0}},
			func(f function, p values) (value, error) {
				rows := must(f.Gather(p[0], p[1], 1, []int{1}, []int{0}, []int{0}, []int{1, 2}, false))
				return f.ScatterSum(p[0], p[1], rows, 1, []int{1}, []int{0}, []int{0}, false, false)
			}, [][]float32{{2, 4}, {9, 12}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := testutil.Exec1(b, test.inputs, test.build)
			check.Must(t, err == nil, "%+v", err)
			ok, diff := testutil.IsEqual(test.want, got)
			check.That(t, ok, "-want +got:\n%s", diff)
		})
	}
}

// What is not implemented is refused as such; so is, in other words, what GoMLX's own functions pass on unchecked.
func TestRefuses(t *testing.T) {
	b := conformance.Start(t, "simd:threads=2")
	f := b.Builder("refused").Main()
	of := func(d dtypes.DType, dims ...int) value {
		return must(f.Parameter("", shapes.Make(d, dims...), nil))
	}
	x, each := of(dtypes.Float32, 2, 3), of(dtypes.Float32, 3)
	none, at, just := of(dtypes.Float32, 2, 0), of(dtypes.Float32, 1, 1), of(dtypes.Float32, 1)
	yes, state := of(dtypes.Bool, 3, 3), must(f.Parameter("", compute.RNGStateShape, nil))
	for what, err := range map[string]error{
		"Conj":         second(f.Conj(each)),
		"Complex":      second(f.Complex(each, each)),
		"FFT":          second(f.FFT(each, compute.FFTForward, []int{3})),
		"FusedSoftmax": second(f.FusedSoftmax(each, 0)),
		"complex64":    second(f.Parameter("", shapes.Make(dtypes.Complex64), nil)),
		"int4":         second(f.Parameter("", shapes.Make(dtypes.Int4), nil)),
	} {
		check.That(t, compute.IsNotImplemented(err), "%s: %v", what, err)
	}
	var config compute.DotGeneralConfig
	rows, along, first, swapped := []int{1, 3}, []int{1}, []int{0}, []int{1, 0}
	one, two := of(dtypes.Int32, 1, 1), of(dtypes.Int32, 1, 2)
	ones, both, twice := []int{1, 1}, []int{0, 1}, []int{0, 0}
	_, _, _, gradient := f.BatchNormGradient(x, each, each, each, each, 1e-5, 1)
	for what, err := range map[string]error{
		"a sum over the same axis twice":       second(f.ReduceSum(x, 0, 0)),
		"a sum over an axis too many":          second(f.ReduceSum(x, 0, 2)),
		"a maximum over an axis below":         second(f.ReduceMax(x, -1)),
		"an axis reversed twice":               second(f.Reverse(x, 1, 1)),
		"the place of the greatest of none":    second(f.ArgMinMax(none, 1, dtypes.Int32, false)),
		"a product of booleans":                second(f.DotGeneral(yes, along, nil, yes, first, nil, config)),
		"an index that int8 does not hold":     second(f.ArgMinMax(of(dtypes.Float32, 129), 0, dtypes.Int8, true)),
		"rows gathered by a fraction":          second(f.Gather(x, at, 1, along, first, first, rows, false)),
		"a sum of one column and none":         second(f.Add(of(dtypes.Float32, 2, 1), none)),
		"slices gathered to axes that go back": second(f.Gather(x, one, 1, []int{2, 1}, nil, first, rows, false)),
		"an axis gathered from twice":          second(f.Gather(x, two, 1, nil, both, twice, ones, false)),
		"an axis scattered to twice":           second(f.ScatterSum(x, two, just, 1, nil, both, twice, false, false)),
		"two rows scattered to one place":      second(f.ScatterSum(x, one, x, 1, along, first, first, false, false)),
		"rows scattered by a fraction":         second(f.ScatterSum(x, at, x, 1, along, first, first, false, false)),
		"random booleans":                      third(f.RNGBitGenerator(state, shapes.Make(dtypes.Bool, 8))),
		"a broadcast to axes that go back":     second(f.BroadcastInDim(x, shapes.Make(dtypes.Float32, 3, 2), swapped)),
		"a broadcast to another type":          second(f.BroadcastInDim(each, shapes.Make(dtypes.Int32, 3), first)),
		"a mean of the shape of x":             second(f.BatchNormForInference(x, each, each, x, each, 1e-5, 1)),
		"a gradient of the shape of features":  gradient,
		"as many bytes as overflow an int":     second(f.BroadcastInDim(just, floats(1<<33, 1<<31), first)),
		"a buffer of as many":                  third(b.NewSharedBuffer(0, floats(1<<33, 1<<31))),
		"an unknown option":                    second(simd.New("colour=red")),
	} {
		check.That(t, err != nil, "%s was accepted", what)
	}
}

func second[T any](_ T, err error) error { return err }

func third[T, U any](_ T, _ U, err error) error { return err }

// In loops that threads divide, operations on no elements and products of no rows or no terms stand beside others.
func TestNothingInLoops(t *testing.T) {
	simd.HandOver(t)
	b, config := conformance.Start(t, "simd:threads=2"), compute.DotGeneralConfig{}
	constant := func(f function, dims ...int) value {
		return must(f.Constant(slices.Repeat([]float32{0.5}, shapes.Make(dtypes.Float32, dims...).Size()), dims...))
	}
	// A step returns the next state of h [2, 4], something of the given dimensions, and the sum [2, 4] of x [2, 4].
	for _, test := range []struct {
		name string
		dims []int
		step func(f function, h, x, something value) value
	}{
		{"no elements", []int{2, 0}, func(f function, _, x, none value) value {
			return must(f.Neg(must(f.Add(none, must(f.Slice(x, []int{0, 0}, []int{2, 0}, nil))))))
		}},
		{"no rows", []int{0, 4}, func(f function, h, _, _ value) value {
			return must(f.DotGeneral(constant(f, 0, 2), []int{1}, nil, h, []int{0}, nil, config))
		}},
		{"no rows, many columns", []int{0, 40}, func(f function, h, _, _ value) value {
			wide := must(f.DotGeneral(h, []int{1}, nil, constant(f, 4, 40), []int{0}, nil, config))
			return must(f.DotGeneral(constant(f, 0, 2), []int{1}, nil, wide, []int{0}, nil, config))
		}},
		{"no terms", []int{2, 8, 3}, func(f function, h, _, sum value) value {
			weights := must(f.Slice(constant(f, 2, 5, 7), []int{0, 0, 0}, []int{2, 0, 3}, nil))
			none := must(f.Slice(must(f.BroadcastInDim(h, shapes.Make(dtypes.Float32, 2, 8, 4), []int{0, 2})),
				[]int{0, 0, 0}, []int{2, 8, 0}, nil))
			return must(f.Add(sum, must(f.DotGeneral(none, []int{2}, []int{0}, weights, []int{1}, []int{0}, config))))
		}},
	} {
		got, err := testutil.Exec(b, []any{[][][]float32{{{1, 2, 3, 4}, {5, 6, 7, 8}}, {{0, 0, 0, 0}, {1, 1, 1, 1}}}},
			func(f function, p values) (values, error) {
				of := []shapes.Shape{shapes.Make(dtypes.Int32), shapes.Make(dtypes.Float32, 2, 4),
					shapes.Make(dtypes.Float32, test.dims...), shapes.Make(dtypes.Float32, 2, 4)}
				zero, one, w := must(f.Constant([]int32{0})), must(f.Constant([]int32{1})), constant(f, 4, 4)
				goOn := closure(f, of, func(f function, q values) values {
					return values{must(f.LessThan(q[0], must(f.Constant([]int32{2}))))}
				})
				return f.While(goOn, closure(f, of, func(f function, q values) values {
					h := must(f.Tanh(must(f.DotGeneral(q[1], []int{1}, nil, w, []int{0}, nil, config))))
					x := must(f.Reshape(must(f.DynamicSlice(p[0], values{q[0], zero, zero}, []int{1, 2, 4})), 2, 4))
					return values{must(f.Add(q[0], one)), h, test.step(f, h, x, q[2]), must(f.Add(q[3], x))}
				}), zero, constant(f, 2, 4), constant(f, test.dims...), constant(f, 2, 4))
			})
		check.OK(t, err)
		sum := got[3].([][]float32)
		check.That(t, slices.Equal(sum[1], []float32{6.5, 7.5, 8.5, 9.5}), "%s: the sum of steps is %v", test.name, sum)
	}
}

// Axes have no names, as long as nobody gives them any, rather than empty ones: tests compare shapes deeply.
func TestAxisNames(t *testing.T) {
	f := conformance.Start(t, "simd:threads=2").Builder("names").Main()
	square := shapes.Make(dtypes.Float32, 3, 3)
	x := must(f.Parameter("x", square, nil))
	zero := must(f.Constant([]int32{0}))
	rows := must(f.DynamicSlice(x, values{zero, zero}, []int{3, 3}))
	product := must(f.DotGeneral(rows, []int{1}, nil, x, []int{0}, nil, compute.DotGeneralConfig{}))
	for _, v := range []value{rows, product} {
		s := must(f.Shape(v))
		check.That(t, s.Equal(square) && s.AxisNames == nil, "shape %s has axes named %q, want %s", s, s.AxisNames,
			square)
	}
}

// Values that differ in their type only are not computed once for all: neither constants of the same bytes, nor
// operations on the same operand, nor operations without any.
func TestTypesApart(t *testing.T) {
	const x = -2.75
	var want []any
	b := conformance.Start(t, "simd:threads=2")
	got, err := testutil.Exec(b, []any{float32(x)}, func(f function, p values) (out values, err error) {
		double := func(v value) value { return must(f.ConvertDType(v, dtypes.Float64)) }
		one := must(f.Constant([]int32{1}))
		tiny := must(f.Constant([]float32{math.Float32frombits(1)})) // has the bytes of one
		for _, o := range []struct {
			of   value
			want float64
		}{
			{must(f.ConvertDType(p[0], dtypes.Int32)), -2},
			{must(f.ConvertDType(p[0], dtypes.Float64)), x},
			{must(f.ConvertDType(p[0], dtypes.Int64)), -2},
			{must(f.Mul(double(one), double(p[0]))), x},
			{must(f.Mul(double(tiny), double(p[0]))), x * math.SmallestNonzeroFloat32},
			{must(f.ReduceSum(must(f.Iota(shapes.Make(dtypes.Float32, 4), 0)), 0)), 6},
			{must(f.ReduceSum(must(f.Iota(shapes.Make(dtypes.Int32, 4), 0)), 0)), 6},
			{must(f.ReduceSum(must(f.Iota(shapes.Make(dtypes.Float64, 4), 0)), 0)), 6},
			{must(f.Bitcast(p[0], dtypes.Int32)), float64(int32(math.Float32bits(x)))},
			{must(f.Bitcast(p[0], dtypes.Uint32)), float64(math.Float32bits(x))},
		} {
			out, want = append(out, double(o.of)), append(want, o.want)
		}
		return out, nil
	})
	check.OK(t, err)
	check.Equal(t, got, want, "values")
}

func TestCompliance(t *testing.T) {
	backendtest.RunAll(t, conformance.Start(t, "simd"), nil)
}

type operation func(f function, in values) (value, error)

// computed runs a graph and returns its outputs as float64. Inputs of the given shapes have values of rng, whole
// numbers where ties and integers are wanted.
func computed(b compute.Backend, rng *rand.Rand, d dtypes.DType, whole bool, dims [][]int, build body) [][]float64 {
	g := begin(b, rng, dtypes.Float64, 0)
	var in values
	for _, dim := range dims {
		s := shapes.Make(dtypes.Float64, dim...)
		flat := make([]float64, s.Size())
		for i := range flat {
			flat[i] = rng.NormFloat64()
			if whole {
				flat[i] = float64(rng.IntN(7) - 3)
			}
		}
		x := g.argument(s, flat)
		if d.IsInt() { // GoMLX's engine and ours make different unsigned integers of negative floats
			x = must(g.f.ConvertDType(x, dtypes.Int64))
		}
		in = append(in, must(g.f.ConvertDType(x, d)))
	}
	return g.compile(xslices.Map(build(g.f, in), func(v value) value {
		return must(g.f.ConvertDType(v, dtypes.Float64))
	})...)()
}

var numbers = map[dtypes.DType]float64{dtypes.Int8: 0, dtypes.Int16: 0, dtypes.Int32: 0, dtypes.Int64: 0,
	dtypes.Uint8: 0, dtypes.Uint16: 0, dtypes.Uint32: 0, dtypes.Uint64: 0, dtypes.Float16: 4e-3,
	dtypes.BFloat16: 3e-2, dtypes.Float32: 1e-5, dtypes.Float64: 1e-13}

// Operations that are made of others, with random arguments, against GoMLX's Go backend. (CumSum is in GoMLX's suite,
// and in FuzzCompiler.)
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
		{"DotGeneral of sequences", func(rng *rand.Rand) ([][]int, operation) {
			steps, trials, batch := 6+rng.IntN(6), 1+rng.IntN(3), 6+rng.IntN(14)
			h, n := 1+rng.IntN(3), 1+rng.IntN(40)
			x := []int{steps, trials, batch, h}
			var config compute.DotGeneralConfig
			switch rng.IntN(3) {
			case 0:
				return [][]int{x, {trials, h, n}}, func(f function, in values) (value, error) {
					return f.DotGeneral(in[0], []int{3}, []int{1}, in[1], []int{1}, []int{0}, config)
				}
			case 1:
				return [][]int{x, {n, trials, h}}, func(f function, in values) (value, error) {
					turned := must(f.Transpose(in[0], 1, 0, 2, 3))
					return f.DotGeneral(turned, []int{3}, []int{0}, in[1], []int{2}, []int{1}, config)
				}
			}
			return [][]int{x, {steps, trials, batch, n}}, func(f function, in values) (value, error) {
				turned := must(f.Transpose(in[0], 1, 0, 2, 3))
				return f.DotGeneral(turned, []int{1, 2}, []int{0}, in[1], []int{0, 2}, []int{1}, config)
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
			axes.OutputBatch, axes.OutputChannels = axes.InputBatch, axes.InputChannels
			axes.OutputSpatial = axes.InputSpatial
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
					check.That(t, (got[k][i*n+j] != 0) == want, "%s: comparison %d of %g and %g is wrong", d, k,
						ordered[i], ordered[j])
				}
			}
		}
	}
}

// Batch normalization, in training and in inference, and its gradient are those of its definition.
func TestBatchNorm(t *testing.T) {
	const axis, features, epsilon = 1, 3, 1. / 1024 // which float32 has
	rng := rand.New(rand.NewPCG(1, 2))
	var args []any
	for _, dims := range [][]int{{4, features, 5}, {features}, {features}, {4, features, 5}} {
		args = append(args, conformance.Random[float64](rng, dims...))
	}
	out := MustExecOnceN(conformance.Start(t, "simd:threads=2"), func(in []*Node) []*Node {
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
	values := xslices.Map(out, tensors.MustCopyFlatData[float64])
	check.Close(t, values[:7], values[7:], 1e-12, "batch normalization")
}
