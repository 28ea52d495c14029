package simd

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/testutil"

	"github.com/warptime/warptime/internal/check"
)

// recurrence builds a loop like those of training: it reads a row of xs [T, B, N], multiplies the state h [B, N] by a
// weight that does not change, applies elementwise operations to two slices of the sum, and writes h into a row of hs
// and adds it to a row of sums.
func recurrence(b compute.Backend, steps, batch, n int) *executable {
	builder := b.Builder("recurrence")
	f := builder.Main()
	float := func(dims ...int) shapes.Shape { return shapes.Make(dtypes.Float32, dims...) }
	xs := must(f.Parameter("xs", float(steps, batch, 2*n), nil))
	w := must(f.Parameter("w", float(n, 2*n), nil))
	state := []compute.Value{must(f.Constant([]int32{0}))}
	shape := []shapes.Shape{shapes.Make(dtypes.Int32), float(batch, n), float(steps, batch, n), float(steps, batch, n)}
	for _, s := range shape[1:] {
		state = append(state, must(f.BroadcastInDim(must(f.Constant([]float32{0})), s, nil)))
	}
	cond := closure(f, shape, func(f compute.Function, p []compute.Value) []compute.Value {
		return []compute.Value{must(f.LessThan(p[0], must(f.Constant([]int32{int32(steps)}))))}
	})
	body := closure(f, shape, func(f compute.Function, p []compute.Value) []compute.Value {
		zero := must(f.Constant([]int32{0}))
		at := []compute.Value{p[0], zero, zero}
		x := must(f.Reshape(must(f.DynamicSlice(xs, at, []int{1, batch, 2 * n})), batch, 2*n))
		z := must(f.Add(must(f.DotGeneral(p[1], []int{1}, nil, w, []int{0}, nil, compute.DotGeneralConfig{})), x))
		gate := must(f.Logistic(must(f.Slice(z, []int{0, 0}, []int{batch, n}, nil))))
		h := must(f.Mul(gate, must(f.Tanh(must(f.Slice(z, []int{0, n}, []int{batch, 2 * n}, nil))))))
		hs := must(f.DynamicUpdateSlice(p[2], must(f.Reshape(h, 1, batch, n)), at))
		index := must(f.Reshape(p[0], 1))
		sums := must(f.ScatterSum(p[3], index, h, 0, []int{0, 1}, []int{0}, []int{0}, true, true))
		return []compute.Value{must(f.Add(p[0], must(f.Constant([]int32{1})))), h, hs, sums}
	})
	if err := f.Return(must(f.While(cond, body, state...))[2:], nil); err != nil {
		panic(err)
	}
	return must(builder.Compile()).(*executable)
}

// An execution allocates nothing once the machine is there, whatever the number of iterations.
func TestLoopAllocatesNothing(t *testing.T) {
	for _, config := range []string{"threads=1", "threads=2"} {
		b := must(New(config))
		p := recurrence(b, 40, 32, 64)
		memory := func(of []shapes.Shape) (list []unsafe.Pointer) {
			for _, s := range of {
				list = append(list, unsafe.Pointer(unsafe.SliceData(must(b.(*Backend).newBuffer(s)).bytes)))
			}
			return list
		}
		in, out := memory(p.inputs), memory(p.outputs)
		if allocs := testing.AllocsPerRun(5, func() {
			if err := p.program.Run(in, out); err != nil {
				t.Fatal(err)
			}
		}); allocs != 0 {
			t.Errorf("%s: %g allocations", config, allocs)
		}
		b.Finalize()
	}
}

// A loop writes some rows of a tensor that starts from given values; the others keep these. Only rows that no iteration
// writes are copied there before the loop, so what the compiler knows about the counter must be true.
func TestLoopWritesRows(t *testing.T) {
	const rows, columns = 6, 2
	type function = compute.Function
	constant := func(f function, i int32) compute.Value { return must(f.Constant([]int32{i})) }
	float := func(dims ...int) shapes.Shape { return shapes.Make(dtypes.Float32, dims...) }
	same := func(_ function, i compute.Value) compute.Value { return i }
	lessThan := func(limit int32) func(f function, i compute.Value) compute.Value {
		return func(f function, i compute.Value) compute.Value { return must(f.LessThan(i, constant(f, limit))) }
	}
	for _, test := range []struct {
		name          string
		start, step   int32
		goOn, index   func(f function, i compute.Value) compute.Value
		height, width int    // of what is written
		reads         string // whether the body reads its last row: the old one, or the new one after a first update
		written       []int  // where, one iteration after the other
	}{
		{"all", 0, 1, lessThan(6), same, 1, 2, "", []int{0, 1, 2, 3, 4, 5}},
		{"from row 1", 1, 1, lessThan(6), same, 1, 2, "", []int{1, 2, 3, 4, 5}},
		{"after row 0", 0, 1, lessThan(5), func(f function, i compute.Value) compute.Value {
			return must(f.Add(i, constant(f, 1)))
		}, 1, 2, "", []int{1, 2, 3, 4, 5}},
		{"but the last", 0, 1, lessThan(5), same, 1, 2, "", []int{0, 1, 2, 3, 4}},
		{"none", 7, 1, lessThan(6), same, 1, 2, "", nil},
		{"one column", 0, 1, lessThan(6), same, 1, 1, "", []int{0, 1, 2, 3, 4, 5}},
		{"two rows at a time", 1, 2, lessThan(4), same, 2, 2, "", []int{1, 3}},
		{"moved inside", 0, 1, lessThan(3), func(f function, i compute.Value) compute.Value {
			return must(f.Sub(i, constant(f, 1)))
		}, 2, 2, "", []int{0, 0, 1}},
		{"at most", 0, 1, func(f function, i compute.Value) compute.Value {
			return must(f.LessOrEqual(i, constant(f, 3)))
		}, same, 1, 2, "", []int{0, 1, 2, 3}},
		{"down", 4, -1, func(f function, i compute.Value) compute.Value {
			return must(f.GreaterThan(i, constant(f, 1)))
		}, same, 1, 2, "", []int{4, 3, 2}},
		{"at least", 4, -1, func(f function, i compute.Value) compute.Value {
			return must(f.GreaterOrEqual(i, constant(f, 1)))
		}, same, 1, 2, "", []int{4, 3, 2, 1}},
		{"mirrored", 0, 1, lessThan(4), func(f function, i compute.Value) compute.Value {
			return must(f.Sub(constant(f, 5), i))
		}, 1, 2, "", []int{5, 4, 3, 2}},
		{"every other", 0, 1, lessThan(3), func(f function, i compute.Value) compute.Value {
			return must(f.Mul(i, constant(f, 2)))
		}, 1, 2, "", []int{0, 2, 4}},
		{"beyond int32", 0, 1, lessThan(2), func(f function, i compute.Value) compute.Value {
			return must(f.Mul(must(f.Mul(i, constant(f, 1<<30))), constant(f, 4))) // 2³² wraps to 0
		}, 1, 2, "", []int{0, 0}},
		{"what is read before", 0, 1, lessThan(6), same, 1, 2, "old", []int{0, 1, 2, 3, 4, 5}},
		{"what is read between two updates", 0, 1, lessThan(6), same, 1, 2, "new", []int{0, 1, 2, 3, 4, 5}},
	} {
		run := func(f function, start compute.Value) []compute.Value {
			whole := float(rows, columns)
			shape := []shapes.Shape{shapes.Make(dtypes.Int32), whole}
			cond := closure(f, shape, func(f function, p []compute.Value) []compute.Value {
				return []compute.Value{test.goOn(f, p[0])}
			})
			body := closure(f, shape, func(f function, p []compute.Value) []compute.Value {
				i, x := p[0], p[1]
				at := []compute.Value{test.index(f, i), constant(f, 0)}
				fill := func(value compute.Value) compute.Value {
					return must(f.BroadcastInDim(value, float(test.height, test.width), nil))
				}
				minusOne := must(f.Constant([]float32{-1}))
				if test.reads == "new" {
					x = must(f.DynamicUpdateSlice(x, fill(minusOne), at))
				}
				value := minusOne
				if test.reads != "" {
					value = must(f.Neg(must(f.Reshape(must(f.Slice(x, []int{rows - 1, 1}, []int{rows, 2}, nil))))))
				}
				return []compute.Value{must(f.Add(i, constant(f, test.step))),
					must(f.DynamicUpdateSlice(x, fill(value), at))}
			})
			return must(f.While(cond, body, constant(f, test.start), start))
		}
		start := [][]float32{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}}
		got, err := testutil.Exec(testBackend(t), []any{start}, func(f function, p []compute.Value) (
			[]compute.Value, error) {
			// The start is read after the loop, too, which therefore has a copy.
			return []compute.Value{run(f, p[0])[1], must(f.Neg(p[0]))}, nil
		})
		check.OK(t, err)
		want := start
		for _, at := range test.written {
			fill := func(value float32) {
				for _, row := range want[at : at+test.height] {
					copy(row, slices.Repeat([]float32{value}, test.width))
				}
			}
			if test.reads != "old" {
				fill(-1)
			}
			if test.reads != "" {
				fill(-want[rows-1][1])
			}
		}
		check.Equal(t, got[0], any(want), "%s", test.name)
	}
}
