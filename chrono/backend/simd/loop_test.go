package simd_test

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/testutil"

	"github.com/warptime/warptime/internal/check"
)

// A loop writes some rows of a tensor that starts from given values; the others keep these. Only rows that no iteration
// writes are copied there before the loop, so what the compiler knows about the counter must be true.
func TestLoopWritesRows(t *testing.T) {
	const rows, columns = 6, 2
	constant := func(f function, i int32) value { return must(f.Constant([]int32{i})) }
	type ofCounter = func(f function, i value) value
	with := func(op func(f function, a, b value) (value, error), number int32) ofCounter {
		return func(f function, i value) value { return must(op(f, i, constant(f, number))) }
	}
	less := func(limit int32) ofCounter { return with(function.LessThan, limit) }
	same := func(_ function, i value) value { return i }
	for _, test := range []struct {
		name          string
		start, step   int32
		goOn, index   ofCounter
		height, width int    // of what is written
		reads         string // whether the body reads its last row: the old one, or the new one after a first update
		written       []int  // where, one iteration after the other
	}{
		{"all", 0, 1, less(6), same, 1, 2, "", []int{0, 1, 2, 3, 4, 5}},
		{"from row 1", 1, 1, less(6), same, 1, 2, "", []int{1, 2, 3, 4, 5}},
		{"after row 0", 0, 1, less(5), with(function.Add, 1), 1, 2, "", []int{1, 2, 3, 4, 5}},
		{"but the last", 0, 1, less(5), same, 1, 2, "", []int{0, 1, 2, 3, 4}},
		{"none", 7, 1, less(6), same, 1, 2, "", nil},
		{"one column", 0, 1, less(6), same, 1, 1, "", []int{0, 1, 2, 3, 4, 5}},
		{"two rows at a time", 1, 2, less(4), same, 2, 2, "", []int{1, 3}},
		{"moved inside", 0, 1, less(3), with(function.Sub, 1), 2, 2, "", []int{0, 0, 1}},
		{"at most", 0, 1, with(function.LessOrEqual, 3), same, 1, 2, "", []int{0, 1, 2, 3}},
		{"down", 4, -1, with(function.GreaterThan, 1), same, 1, 2, "", []int{4, 3, 2}},
		{"at least", 4, -1, with(function.GreaterOrEqual, 1), same, 1, 2, "", []int{4, 3, 2, 1}},
		{"mirrored", 0, 1, less(4), func(f function, i value) value {
			return must(f.Sub(constant(f, 5), i))
		}, 1, 2, "", []int{5, 4, 3, 2}},
		{"every other", 0, 1, less(3), with(function.Mul, 2), 1, 2, "", []int{0, 2, 4}},
		{"beyond int32", 0, 1, less(2), func(f function, i value) value { // 2³² wraps to 0
			return must(f.Mul(must(f.Mul(i, constant(f, 1<<30))), constant(f, 4)))
		}, 1, 2, "", []int{0, 0}},
		{"what is read before", 0, 1, less(6), same, 1, 2, "old", []int{0, 1, 2, 3, 4, 5}},
		{"what is read between two updates", 0, 1, less(6), same, 1, 2, "new", []int{0, 1, 2, 3, 4, 5}},
	} {
		run := func(f function, start value) values {
			whole := floats(rows, columns)
			shape := []shapes.Shape{shapes.Make(dtypes.Int32), whole}
			cond := closure(f, shape, func(f function, p values) values {
				return values{test.goOn(f, p[0])}
			})
			body := closure(f, shape, func(f function, p values) values {
				i, x := p[0], p[1]
				at := values{test.index(f, i), constant(f, 0)}
				fill := func(value value) value {
					return must(f.BroadcastInDim(value, floats(test.height, test.width), nil))
				}
				minusOne := must(f.Constant([]float32{-1}))
				if test.reads == "new" {
					x = must(f.DynamicUpdateSlice(x, fill(minusOne), at))
				}
				value := minusOne
				if test.reads != "" {
					value = must(f.Neg(must(f.Reshape(must(f.Slice(x, []int{rows - 1, 1}, []int{rows, 2}, nil))))))
				}
				return values{must(f.Add(i, constant(f, test.step))),
					must(f.DynamicUpdateSlice(x, fill(value), at))}
			})
			return must(f.While(cond, body, constant(f, test.start), start))
		}
		start := [][]float32{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}}
		got, err := testutil.Exec(newBackend(t, "simd:threads=2"), []any{start}, func(f function, p values) (values, error) {
			// The start is read after the loop, too, which therefore has a copy.
			return values{run(f, p[0])[1], must(f.Neg(p[0]))}, nil
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
