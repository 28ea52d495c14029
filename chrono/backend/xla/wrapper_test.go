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
	"github.com/gomlx/gomlx/core/graph"
	"k8s.io/klog/v2"

	"github.com/warptime/warptime/chrono/backend/internal/wrap"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

func newBackend(t *testing.T) compute.Backend {
	t.Helper()
	b, err := New(cpuPlugin(t), "")
	check.OK(t, err)
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

// run executes main, whose parameters are the given flat slices as vectors, and returns the outputs' flat slices.
func run(t *testing.T, b compute.Backend, main compute.Function, outputs []compute.Value, inputs ...any) []any {
	t.Helper()
	shape := make([]shapes.Shape, len(outputs))
	for i, output := range outputs {
		shape[i] = must(main.Shape(output))
	}
	check.OK(t, main.Return(outputs, nil))
	e := must(main.Builder().Compile())
	defer e.Finalize()
	var buffers []compute.Buffer
	for _, flat := range inputs {
		v := reflect.ValueOf(flat)
		s := shapes.Make(dtypes.FromGoType(v.Type().Elem()), v.Len())
		buffers = append(buffers, must(b.BufferFromFlatData(0, flat, s)))
	}
	var values []any
	for i, buffer := range must(e.Execute(buffers, nil, 0)) {
		check.That(t, buffer.Backend() == b, "an output belongs to another backend")
		size := shape[i].Size()
		flat := reflect.MakeSlice(reflect.SliceOf(shape[i].DType.GoType()), size, size).Interface()
		check.OK(t, buffer.ToFlatData(flat))
		values = append(values, flat)
	}
	return values
}

// once computes body in a loop of one iteration, where it is given x as the loop's own; it returns body's values.
func once(t *testing.T, main compute.Function, x compute.Value, results []shapes.Shape,
	body func(f compute.Function, x compute.Value) []compute.Value) []compute.Value {
	t.Helper()
	state := []compute.Value{must(main.Constant([]bool{true})), x}
	for _, s := range results {
		zero := must(main.ConvertDType(must(main.Constant([]int32{0})), s.DType))
		state = append(state, must(main.BroadcastInDim(zero, s, nil)))
	}
	parameters := func(f compute.Function) (own []compute.Value) {
		for i, v := range state {
			own = append(own, must(f.Parameter(fmt.Sprint("state", i), must(main.Shape(v)), nil)))
		}
		return own
	}
	condition := must(main.Closure())
	check.OK(t, condition.Return(parameters(condition)[:1], nil))
	loop := must(main.Closure())
	own := parameters(loop)
	next := append([]compute.Value{must(loop.Constant([]bool{false})), own[1]}, body(loop, own[1])...)
	check.OK(t, loop.Return(next, nil))
	return must(main.While(condition, loop, state...))[2:]
}

type binary = func(f compute.Function, a, b compute.Value) (compute.Value, error)

// Every binary operation does in a loop what go-xla's does outside, whether its operands are the loop's or main's.
func TestOperandsFromAround(t *testing.T) {
	b := newBackend(t)
	for _, c := range []struct {
		x, y       any // x is also given to the loop as its own
		operations []binary
	}{
		{[]float32{1.5, -2, 3}, []float32{0.5, 3, -7}, []binary{compute.Function.Add, compute.Function.Sub,
			compute.Function.Mul, compute.Function.Div, compute.Function.Rem, compute.Function.Pow,
			compute.Function.Max, compute.Function.Min, compute.Function.Atan2}},
		{[]int32{5, -9, 1 << 30}, []int32{3, 1, 2}, []binary{compute.Function.BitwiseAnd, compute.Function.BitwiseOr,
			compute.Function.BitwiseXor, compute.Function.ShiftLeft, compute.Function.ShiftRightArithmetic,
			compute.Function.ShiftRightLogical}},
		{[]bool{false, true, true}, []bool{true, false, true}, []binary{compute.Function.LogicalAnd,
			compute.Function.LogicalOr, compute.Function.LogicalXor}},
	} {
		main := b.Builder(t.Name()).Main()
		s := shapes.Make(dtypes.FromGoType(reflect.TypeOf(c.x).Elem()), 3)
		x, y := must(main.Parameter("x", s, nil)), must(main.Parameter("y", s, nil))
		scalar := must(main.Reshape(must(main.Slice(y, []int{0}, []int{1}, nil))))
		var outputs []compute.Value
		for _, op := range c.operations {
			outside := wrap.Plain(main)
			outputs = append(outputs, must(op(outside, x, y)), must(op(outside, x, y)), must(op(outside, y, x)),
				must(op(outside, x, scalar)))
		}
		shape := slices.Repeat([]shapes.Shape{s}, len(outputs))
		inside := once(t, main, x, shape, func(f compute.Function, own compute.Value) (out []compute.Value) {
			for _, op := range c.operations {
				out = append(out, must(op(f, own, y)), must(op(f, x, y)), must(op(f, y, own)), must(op(f, own, scalar)))
			}
			return out
		})
		values := run(t, b, main, append(outputs, inside...), c.x, c.y)
		for i, got := range values[len(outputs):] {
			check.Equal(t, fmt.Sprint(got), fmt.Sprint(values[i]), "%s, operation %d, operands %d", s.DType, i/4, i%4)
		}
	}
}

// Closures return values from around them, and the operations that go-xla makes of binary ones take them too.
func TestOtherValuesFromAround(t *testing.T) {
	b := newBackend(t)
	main := b.Builder(t.Name()).Main()
	s := shapes.Make(dtypes.BFloat16, 2)
	x, y := must(main.Parameter("x", s, nil)), must(main.Parameter("y", s, nil))
	scalar := shapes.Make(dtypes.BFloat16)
	inside := once(t, main, x, []shapes.Shape{s, s, scalar},
		func(f compute.Function, own compute.Value) []compute.Value {
			dot := compute.DotGeneralConfig{AccumulatorDType: dtypes.Float32}
			return []compute.Value{y, must(f.SchedulingBarrier(own, y)),
				must(f.DotGeneral(own, []int{0}, nil, y, []int{0}, nil, dot))}
		})
	less, equal := must(main.Closure()), must(main.Closure())
	for f, v := range map[compute.Function]compute.Value{less: x, equal: y} {
		check.OK(t, f.Return([]compute.Value{v}, nil))
	}
	outputs := append(inside, must(main.If(must(main.Constant([]bool{false})), less, equal))...)
	bf := func(values ...float32) (out []bfloat16.BFloat16) {
		for _, v := range values {
			out = append(out, bfloat16.FromFloat32(v))
		}
		return out
	}
	want := fmt.Sprint([]any{bf(3, 4), bf(1, 2), bf(11), bf(3, 4)})
	check.Equal(t, fmt.Sprint(run(t, b, main, outputs, bf(1, 2), bf(3, 4))), want, "values")
}

// Reductions in a loop are what they are outside, after one outside, before one outside, and in two loops.
func TestReductionsInLoops(t *testing.T) {
	b := newBackend(t)
	for _, x := range []any{
		[]float32{1, 2, 3, 11, 7, 5}, []float64{1, 2, 3, 11, 7, 5}, []int32{1, 2, 3, 11, 7, 5},
	} {
		main := b.Builder(t.Name()).Main()
		s := shapes.Make(dtypes.FromGoType(reflect.TypeOf(x).Elem()), 6)
		matrix := must(main.Reshape(must(main.Parameter("x", s, nil)), 1, 2, 3))
		axes := [][]int{nil, {0}, {2}, {1, 2}, {2, 0}}
		reductions := func(f compute.Function, x compute.Value) (out []compute.Value) {
			for _, a := range axes {
				out = append(out, must(f.ReduceSum(x, a...)), must(f.ReduceMax(x, a...)), must(f.ReduceMin(x, a...)),
					must(f.ReduceProduct(x, a...)))
			}
			rows := must(f.Reshape(x, 2, 3))
			first := must(f.Constant([]int32{1}, 1, 1))
			update := must(f.Slice(rows, []int{0, 0}, []int{1, 3}, nil))
			return append(out, must(f.ArgMinMax(x, 2, dtypes.Int32, false)),
				must(f.ScatterSum(rows, first, update, 1, []int{1}, []int{0}, []int{0}, true, true)),
				must(f.ReduceWindow(rows, compute.ReduceOpMax, []int{1, 2}, nil, nil, nil, nil)),
				must(f.SelectAndScatterMax(rows, must(f.Slice(rows, []int{0, 0}, []int{2, 1}, nil)), []int{1, 3},
					[]int{1, 3}, nil)))
		}
		outside := reductions(main, matrix)
		var shape []shapes.Shape
		for _, v := range outside {
			shape = append(shape, must(main.Shape(v)))
		}
		outputs := slices.Concat(outside, once(t, main, matrix, shape, reductions),
			once(t, main, matrix, shape, func(f compute.Function, _ compute.Value) []compute.Value {
				return reductions(f, matrix) // from around
			}), reductions(main, matrix))
		values := run(t, b, main, outputs, x)
		for i, got := range values {
			place, reduction := i/len(outside), i%len(outside)
			check.Equal(t, got, values[reduction], "%s, place %d, reduction %d", s.DType, place, reduction)
		}
		for i, want := range []string{"[29]", "[11]", "[1]", "[2310]"} {
			check.Equal(t, fmt.Sprint(values[i]), want, "reduction %d of %v", i, x)
		}
	}
}

// The graph that XLA gets wrong for AVX-512, which it is not allowed here: two factors' product beside something else.
func TestJoined(t *testing.T) {
	narrow := [][]float64{{0, 1, 2}, {100, 101, 102}, {200, 201, 202}, {300, 301, 302}}
	wide := [][]float64{{0, 1, 2, 3, 4}, {10, 11, 12, 13, 14}, {20, 21, 22, 23, 24}, {30, 31, 32, 33, 34}}
	got := graph.MustExecOnce(newBackend(t), func(narrow, wide, factor *graph.Node) *graph.Node {
		return graph.Concatenate([]*graph.Node{narrow, graph.Mul(wide, factor)}, 1)
	}, narrow, wide, wide)
	want := slices.Clone(narrow)
	for r := range want {
		for _, w := range wide[r] {
			want[r] = append(want[r], w*w)
		}
	}
	check.Equal(t, got.Value(), any(want), "product beside another value")
}

// cpuPlugin is the plugin for CPUs. Without one the test is skipped, or fails if WARPTIME_REQUIRE says so.
func cpuPlugin(t *testing.T) string {
	t.Helper()
	if plugin := Find("cpu"); plugin != "" {
		return plugin
	}
	need.Skip(t, "xla:cpu", "no plugin for CPUs")
	return ""
}

// plainMain is the main function of a new computation on go-xla's own backend.
func plainMain(t *testing.T) compute.Function {
	t.Helper()
	setFlags(cpuPlugin(t))
	b, err := newPlain(cpuPlugin(t), "")
	check.OK(t, err)
	t.Cleanup(b.Finalize)
	return b.Builder(t.Name()).Main()
}

var vector = shapes.Make(dtypes.Float32, 3)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func wantRefused(t *testing.T, err error, message string) {
	t.Helper()
	if err == nil {
		t.Error("go-xla has mended its defect: the way round it can go")
	} else if !strings.Contains(err.Error(), message) {
		t.Errorf("go-xla has another error than the one that is got round: %v", err)
	}
}

// The first defect is still there.
func TestDefectOperands(t *testing.T) {
	main := plainMain(t)
	around := must(main.Parameter("x", vector, nil))
	closure := must(main.Closure())
	own := must(closure.Parameter("y", vector, nil))
	_, err := closure.Add(own, around)
	wantRefused(t, err, "not part of the function")
	always := must(closure.Constant([]bool{true}))
	must(closure.Add(own, must(closure.Where(always, around, around)))) // the way round
	wantRefused(t, closure.Return([]compute.Value{around}, nil), "not owned by the function")
}

// The second defect is still there.
func TestDefectReductions(t *testing.T) {
	main := plainMain(t)
	must(main.ReduceSum(must(main.Parameter("x", vector, nil))))
	closure := must(main.Closure())
	_, err := closure.ReduceSum(must(closure.Parameter("y", vector, nil)))
	wantRefused(t, err, "not a StableHLO closure")
}
