//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package xla

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	"k8s.io/klog/v2"

	"github.com/warptime/warptime/chrono/backend/internal/wrap"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// newBackend starts the plugin for CPUs. Without one the test is skipped, or fails if WARPTIME_REQUIRE says so.
func newBackend(t *testing.T) compute.Backend {
	t.Helper()
	plugin := Find("cpu")
	if plugin == "" {
		need.Skip(t, "xla:cpu", "no plugin for CPUs")
	}
	b := check.Got(New(plugin, ""))(t)
	t.Cleanup(b.Finalize)
	return b
}

// A program's own logging is as before, also after a plugin that does not start.
func TestLoggingIsRestored(t *testing.T) {
	defer klog.CaptureState().Restore()
	var log strings.Builder
	klog.LogToStderr(false)
	klog.SetOutput(&log)
	_, err := New(filepath.Join(t.TempDir(), "plugin.so"), "")
	check.Must(t, err != nil, "a plugin that is not there was started")
	klog.Error("of the program")
	klog.Flush()
	check.Contains(t, log.String(), "of the program")
}

// run executes main, whose parameters are the given flat slices as vectors, and returns the outputs, flat.
func run(t *testing.T, b compute.Backend, main compute.Function, outputs []value, inputs ...any) (values []string) {
	t.Helper()
	shape := shapesOf(main, outputs)
	check.OK(t, main.Return(outputs, nil))
	e := must(main.Builder().Compile())
	defer e.Finalize()
	var buffers []compute.Buffer
	for _, flat := range inputs {
		buffers = append(buffers, must(b.BufferFromFlatData(0, flat, vectorOf(flat))))
	}
	for i, buffer := range must(e.Execute(buffers, nil, 0)) {
		check.That(t, buffer.Backend() == b, "an output belongs to another backend")
		flat := reflect.MakeSlice(reflect.SliceOf(shape[i].DType.GoType()), shape[i].Size(), shape[i].Size())
		check.OK(t, buffer.ToFlatData(flat.Interface()))
		values = append(values, fmt.Sprint(flat.Interface()))
	}
	return values
}

// vectorOf is the shape of a flat slice.
func vectorOf(flat any) shapes.Shape {
	v := reflect.ValueOf(flat)
	return shapes.Make(dtypes.FromGoType(v.Type().Elem()), v.Len())
}

func shapesOf(f compute.Function, values []value) []shapes.Shape {
	return xslices.Map(values, func(v value) shapes.Shape { return must(f.Shape(v)) })
}

// operations are computed from vectors x and y, and a scalar.
type operations = func(f compute.Function, x, y, scalar value) []value

// once computes operations in a loop of one iteration, whose own x is; y and the scalar are from around it.
func once(t *testing.T, main compute.Function, x, y, scalar value, results []shapes.Shape, of operations) []value {
	t.Helper()
	state := []value{must(main.Constant([]bool{true})), x}
	for _, s := range results {
		zero := must(main.ConvertDType(must(main.Constant([]int32{0})), s.DType))
		state = append(state, must(main.BroadcastInDim(zero, s, nil)))
	}
	parameters := func(f compute.Function) (own []value) {
		for i, s := range shapesOf(main, state) {
			own = append(own, must(f.Parameter(fmt.Sprint("state", i), s, nil)))
		}
		return own
	}
	condition := must(main.Closure())
	check.OK(t, condition.Return(parameters(condition)[:1], nil))
	loop := must(main.Closure()) // when the other is done, as GoMLX makes them
	own := parameters(loop)
	next := append([]value{must(loop.Constant([]bool{false})), own[1]}, of(loop, own[1], y, scalar)...)
	check.OK(t, loop.Return(next, nil))
	return must(main.While(condition, loop, state...))[2:]
}

func binary(all ...func(f compute.Function, a, b value) (value, error)) operations {
	return func(f compute.Function, x, y, scalar value) (out []value) {
		for _, op := range all {
			out = append(out, must(op(f, x, y)), must(op(f, y, x)), must(op(f, x, scalar)))
		}
		return out
	}
}

// others are those that go-xla makes of binary ones, and a value that is returned as it is.
func others(f compute.Function, x, y, _ value) []value {
	config := compute.DotGeneralConfig{AccumulatorDType: dtypes.Float32}
	return []value{y, must(f.SchedulingBarrier(x, y)),
		must(f.DotGeneral(x, []int{0}, nil, y, []int{0}, nil, config))}
}

// reductions are all kinds, of six numbers.
func reductions(f compute.Function, x, _, _ value) (out []value) {
	matrix := must(f.Reshape(x, 1, 2, 3))
	for _, a := range [][]int{nil, {0}, {2}, {1, 2}, {2, 0}} {
		out = append(out, must(f.ReduceSum(matrix, a...)), must(f.ReduceMax(matrix, a...)),
			must(f.ReduceMin(matrix, a...)), must(f.ReduceProduct(matrix, a...)))
	}
	rows := must(f.Reshape(x, 2, 3))
	first, update := must(f.Constant([]int32{1}, 1, 1)), must(f.Slice(rows, []int{0, 0}, []int{1, 3}, nil))
	return append(out, must(f.ArgMinMax(matrix, 2, dtypes.Int32, false)),
		must(f.ScatterSum(rows, first, update, 1, []int{1}, []int{0}, []int{0}, true, true)),
		must(f.ReduceWindow(rows, compute.ReduceOpMax, []int{1, 2}, nil, nil, nil, nil)),
		must(f.SelectAndScatterMax(rows, must(f.Slice(rows, []int{0, 0}, []int{2, 1}, nil)), []int{1, 3},
			[]int{1, 3}, nil)))
}

// Operations do in a loop what go-xla's do outside, whether operands are the loop's or from around it: in two loops,
// and outside again.
func TestLoops(t *testing.T) {
	b := newBackend(t)
	type F = compute.Function
	for _, c := range []struct {
		x, y any
		of   operations
	}{
		{[]float32{1.5, -2, 3}, []float32{0.5, 3, -7}, binary(F.Add, F.Sub, F.Mul, F.Div, F.Rem, F.Pow, F.Max, F.Min,
			F.Atan2)},
		{[]int32{5, -9, 1 << 30}, []int32{3, 1, 2}, binary(F.BitwiseAnd, F.BitwiseOr, F.BitwiseXor, F.ShiftLeft,
			F.ShiftRightArithmetic, F.ShiftRightLogical)},
		{[]bool{false, true, true}, []bool{true, false, true}, binary(F.LogicalAnd, F.LogicalOr, F.LogicalXor)},
		{[]bfloat16.BFloat16{0x3f80, 0x4000}, []bfloat16.BFloat16{0x4040, 0x4080}, others},
		{[]float32{1, 2, 3, 11, 7, 5}, []float32{0}, reductions}, {[]int32{1, 2, 3, 11, 7, 5}, []int32{0}, reductions},
	} {
		main := b.Builder(t.Name()).Main()
		x, y := must(main.Parameter("x", vectorOf(c.x), nil)), must(main.Parameter("y", vectorOf(c.y), nil))
		scalar := must(main.Reshape(must(main.Slice(y, []int{0}, []int{1}, nil))))
		outside := c.of(wrap.Plain(main), x, y, scalar)
		shape := shapesOf(main, outside)
		outputs := slices.Concat(outside, once(t, main, x, y, scalar, shape, c.of),
			once(t, main, x, y, scalar, shape, func(f compute.Function, _, y, scalar value) []value {
				return c.of(f, x, y, scalar)
			}), c.of(main, x, y, scalar))
		values := run(t, b, main, outputs, c.x, c.y)
		for i, got := range values {
			place, operation := i/len(outside), i%len(outside)
			check.Equal(t, got, values[operation], "%T, place %d, operation %d", c.x, place, operation)
		}
	}
}

// A branch returns a value from around it.
func TestBranches(t *testing.T) {
	b := newBackend(t)
	main := b.Builder(t.Name()).Main()
	vector := shapes.Make(dtypes.Float32, 3)
	x, y := must(main.Parameter("x", vector, nil)), must(main.Parameter("y", vector, nil))
	yes, no := must(main.Closure()), must(main.Closure())
	check.OK(t, yes.Return([]value{x}, nil))
	check.OK(t, no.Return([]value{y}, nil))
	out := must(main.If(must(main.Constant([]bool{false})), yes, no))
	got := run(t, b, main, out, []float32{1, 2, 3}, []float32{4, 5, 6})
	check.Equal(t, got, []string{"[4 5 6]"}, "the value of the branch")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
