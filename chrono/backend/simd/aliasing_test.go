package simd_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/testutil"
	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/internal/check"
)

// Graphs whose values could share memory, and must not. Those that GoMLX's Go backend computes, too, are compared with
// it; the others with one thread, or with what they should be.

// wave is a tensor of small numbers, all of them different.
func wave(s shapes.Shape, frequency float64) []float32 {
	list := make([]float32, s.Size())
	for i := range list {
		list[i] = float32(math.Sin(float64(i+1)*frequency) / 2)
	}
	return list
}

func floats(dims ...int) shapes.Shape { return shapes.Make(dtypes.Float32, dims...) }

// compiled builds a function of waves of the given shapes on a backend.
func compiled(b compute.Backend, of []shapes.Shape, build func(g *grower, p values) values) func() [][]float64 {
	g := begin(b, nil, dtypes.Float32, 2)
	var p values
	for i, s := range of {
		p = append(p, g.argument(s, wave(s, 0.3+0.4*float64(i))))
	}
	return g.compile(build(g, p)...)
}

func product(f function, a, b value) value {
	return must(f.DotGeneral(a, []int{1}, nil, b, []int{0}, nil, compute.DotGeneralConfig{}))
}

// compare compares a function with GoMLX's Go backend, on one thread and on three.
func compare(t *testing.T, name string, of []shapes.Shape, build func(g *grower, p values) values) {
	t.Helper()
	want := compiled(must(gobackend.New("ops_sequential")), of, build)()
	for _, threads := range []string{"threads=1", "threads=3"} {
		check.Close(t, compiled(must(simd.New(threads)), of, build)(), want, 1e-5, "%s, %s", name, threads)
	}
}

// Values are computed right where they will be copied to, each time with something that reads the value, or writes
// there, so that this is not allowed, or only just: what the rules of place.go are for.
func TestPlacement(t *testing.T) {
	simd.HandOver(t)
	product := func(g *grower, x, y value) value { return product(g.f, x, g.slice(y, 0, 3)) }
	joined := func(g *grower, n, y value) value {
		return must(g.f.Tanh(must(g.f.Concatenate(1, n, must(g.f.Neg(y))))))
	}
	// moved is the index, moved by some rows, as data.
	moved := func(g *grower, by int32) value {
		if g.advance(by); g.index == nil {
			return must(g.f.Reshape(g.constant(float32(g.row)), 1))
		}
		return must(g.f.Reshape(must(g.f.ConvertDType(g.index, g.dtype)), 1))
	}
	for _, test := range []struct {
		name  string
		build func(g *grower, x, y, old value) values // all [4, 3]; old may be overwritten
	}{
		{"rows read after the next write", func(g *grower, x, y, old value) values {
			n := must(g.f.Sin(g.readRows(x, 1)))
			b := g.writeRows(old, n)
			b = g.writeRows(b, must(g.f.Cos(g.readRows(y, 1))))
			return values{must(g.f.Add(n, g.readRows(b, 1))), b}
		}},
		{"rows read while the next are computed from them", func(g *grower, x, y, old value) values {
			n := product(g, g.readRows(x, 1), y)
			b := g.writeRows(old, n)
			next := must(g.f.Tanh(n))
			after := must(g.f.Add(n, next))
			return values{g.writeRows(b, next), after}
		}},
		{"the next rows computed from these backwards", func(g *grower, x, y, old value) values {
			n := product(g, g.readRows(x, 1), y)
			b := g.writeRows(old, n)
			return values{g.writeRows(b, must(g.f.Add(n, must(g.f.Reverse(n, 1)))))}
		}},
		{"the next rows are a product of these", func(g *grower, x, y, old value) values {
			n := must(g.f.Sin(g.readRows(x, 1)))
			b := g.writeRows(old, n)
			return values{g.writeRows(b, product(g, n, y))}
		}},
		{"rows read after the next are computed", func(g *grower, x, y, old value) values {
			n := must(g.f.Sin(g.readRows(x, 1)))
			b := g.writeRows(old, n)
			next := must(g.f.Cos(g.readRows(y, 1)))
			sum := must(g.f.ReduceSum(must(g.f.Add(must(g.f.Reverse(n, 1)), must(g.f.Reverse(next, 1)))), 1))
			return values{g.writeRows(b, next), sum}
		}},
		{"part of rows read after the next write", func(g *grower, x, y, old value) values {
			n, m := must(g.f.Sin(g.readRows(x, 1))), must(g.f.Exp(g.readRows(x, 1)))
			b := g.writeRows(old, must(g.f.Concatenate(0, n, m)))
			next := must(g.f.Reverse(must(g.f.Cos(g.slice(y, 0, 2))), 1))
			b = g.writeRows(b, next)
			return values{must(g.f.Add(n, g.readRows(b, 1))), b}
		}},
		{"rows at an index computed with them", func(g *grower, x, y, old value) values {
			column := must(g.f.Neg(g.slice(must(g.f.Reshape(y, 12)), 0, 4)))
			return values{g.writeRows(column, moved(g, 1))}
		}},
		{"part of rows at an index computed with it", func(g *grower, x, y, old value) values {
			column := must(g.f.Neg(g.slice(must(g.f.Reshape(y, 12)), 0, 4)))
			n := moved(g, -1)
			return values{g.writeRows(column, must(g.f.Concatenate(0, n, g.slice(must(g.f.Reshape(x, 12)), 0, 1))))}
		}},
		{"two parts of rows", func(g *grower, x, y, old value) values {
			n := must(g.f.Cos(g.slice(x, 0, 1)))
			return values{g.writeRows(old, must(g.f.Concatenate(0, n, must(g.f.Sin(n)))))}
		}},
		{"rows at an index computed after them", func(g *grower, x, y, old value) values {
			n := must(g.f.Sin(g.readRows(x, 1)))
			g.advance(1)
			return values{g.writeRows(old, n)}
		}},
		{"rows at an index read for the last time", func(g *grower, x, y, old value) values {
			g.advance(1)
			n := must(g.f.Sin(g.readRows(x, 1)))
			b := g.writeRows(old, n)
			sum := must(g.f.ReduceSum(x, 0, 1))
			return values{must(g.f.Add(must(g.f.Reverse(n, 1)), sum)), b}
		}},
		{"columns that are an output", func(g *grower, x, y, old value) values {
			n := must(g.f.Sin(x))
			return values{must(g.f.Transpose(n, 1, 0)), joined(g, n, y)}
		}},
		{"columns read by a sum", func(g *grower, x, y, old value) values {
			n := must(g.f.Sin(x))
			return values{must(g.f.ReduceSum(n, 0)), joined(g, n, y)}
		}},
		{"columns read backwards", func(g *grower, x, y, old value) values {
			n := must(g.f.Sin(x))
			return values{must(g.f.Exp(must(g.f.Reverse(n, 0)))), joined(g, n, y)}
		}},
		{"columns read in other dimensions", func(g *grower, x, y, old value) values {
			n := must(g.f.Sin(x))
			m := joined(g, n, y)
			// The sum in between keeps this reader of n apart from n.
			return values{must(g.f.Mul(must(g.f.Reshape(n, 3, 4)), must(g.f.ReduceSum(m, 0, 1)))), m}
		}},
		{"columns computed in other dimensions", func(g *grower, x, y, old value) values {
			n := must(g.f.Reshape(must(g.f.Sin(must(g.f.Reshape(x, 2, 6)))), 4, 3))
			return values{joined(g, n, y)}
		}},
		{"columns read after the whole", func(g *grower, x, y, old value) values {
			n := must(g.f.Sin(x))
			m := must(g.f.Concatenate(1, n, must(g.f.Neg(y))))
			sum := must(g.f.ReduceSum(m, 1))
			wide := must(g.f.BroadcastInDim(must(g.f.Exp(sum)), shapes.Make(g.dtype, 4, 6), []int{0}))
			sum = must(g.f.ReduceSum(must(g.f.Reverse(must(g.f.Mul(wide, wide)), 1)), 1))
			return values{must(g.f.Add(n, must(g.f.BroadcastInDim(sum, shapes.Make(g.dtype, 4, 3), []int{0}))))}
		}},
		{"part of a concatenation read before it is written to", func(g *grower, x, y, old value) values {
			n, m := must(g.f.Sin(g.slice(x, 0, 1))), g.slice(y, 0, 1)
			b := must(g.f.Concatenate(0, m, n))
			row := must(g.f.Cos(must(g.f.Reverse(m, 1))))
			sum := must(g.f.ReduceSum(must(g.f.Reverse(n, 1)), 1))
			return values{sum, g.squash(g.writeRows(b, row))}
		}},
		{"the same value twice", func(g *grower, x, y, old value) values {
			n := must(g.f.Sin(x))
			return values{must(g.f.Tanh(must(g.f.Concatenate(1, n, n, must(g.f.Neg(y)), n))))}
		}},
	} {
		compare(t, test.name, []shapes.Shape{floats(4, 3), floats(4, 3)}, func(g *grower, p values) values {
			return test.build(g, p[0], p[1], must(g.f.Neg(p[1])))
		})
	}
}

// Rows are computed from others that they overlap.
func TestPlacementOfManyRows(t *testing.T) {
	const width = 1000 // two rows are more than a tile
	of := []shapes.Shape{floats(5, width), floats(2, 1), floats(1, width)}
	compare(t, "the rows from the second on", of, func(g *grower, p values) values {
		old := must(g.f.Neg(p[0]))
		n := product(g.f, p[1], p[2])
		b := g.writeRows(old, n)
		g.advance(1)
		return values{must(g.f.Neg(g.writeRows(b, must(g.f.Sin(n)))))}
	})
}

// A loop of two iterations computes what these do one after the other.
func TestLoopUnrolled(t *testing.T) {
	type loop func(first value, state values, body body) values
	write := func(f function, x, row, at value) value {
		return must(f.DynamicUpdateSlice(x, row, values{at, must(f.Constant([]int32{0}))}))
	}
	for _, test := range []struct {
		name  string
		build func(g *grower, run loop, zero, x, y, w value) values // x [2, 3], y [1, 3], w [3, 3]
	}{
		{"rows written into a tensor turned around", func(g *grower, run loop, zero, x, y, w value) values {
			return append(run(zero, values{x}, func(f function, p values) values {
				return values{write(f, must(f.Reverse(p[1], 0)), y, p[0])}
			}), x)
		}},
		{"a view of the rows written", func(g *grower, run loop, zero, x, y, w value) values {
			return run(zero, values{must(g.f.Neg(y)), must(g.f.Neg(x))}, func(f function, p values) values {
				b := must(f.Tanh(p[2]))
				n := product(f, p[1], w)
				return values{must(f.Reverse(n, 1)), write(f, b, n, p[0])}
			})
		}},
		{"from the index of rows that it reads", func(g *grower, run loop, zero, x, y, w value) values {
			b, first := must(g.f.Neg(x)), must(g.f.Sub(g.index, must(g.f.Constant([]int32{2}))))
			n := product(g.f, y, w)
			b = write(g.f, b, n, first)
			sum := run(first, values{must(g.f.Neg(y))}, func(f function, p values) values {
				return values{must(f.Add(p[1], n))}
			})
			return append(sum, must(g.f.Sin(b)))
		}},
	} {
		run := func(unroll bool) [][]float64 {
			shapes := []shapes.Shape{floats(2, 3), floats(1, 3), floats(3, 3)}
			return compiled(must(simd.New("threads=1")), shapes, func(g *grower, p values) values {
				run := func(first value, state values, body body) values {
					if !unroll {
						return countingFrom(g.f, first, 2, state, body)
					}
					for range 2 {
						state = body(g.f, append(values{first}, state...))
						first = must(g.f.Add(first, must(g.f.Constant([]int32{1}))))
					}
					return state
				}
				return test.build(g, run, must(g.f.Constant([]int32{0})), p[0], p[1], p[2])
			})()
		}
		check.Equal(t, run(false), run(true), "%s", test.name)
	}
}

type body = func(f function, p values) values

// counting runs a loop of n iterations. The body has the counter before its part of the state.
func counting(f function, iterations int32, state values, body body) values {
	return countingFrom(f, must(f.Constant([]int32{0})), iterations, state, body)
}

// countingFrom is counting from another number than 0, up to the end.
func countingFrom(f function, first value, end int32, state values, body body) values {
	state = append(values{first}, state...)
	of := shapesOf(f, state)
	goOn := closure(f, of, func(f function, p values) values {
		return values{must(f.LessThan(p[0], must(f.Constant([]int32{end}))))}
	})
	return must(f.While(goOn, closure(f, of, func(f function, p values) values {
		return append(values{must(f.Add(p[0], must(f.Constant([]int32{1}))))}, body(f, p)...)
	}), state...))[1:]
}

func shapesOf(f function, list values) []shapes.Shape {
	return xslices.Map(list, func(v value) shapes.Shape { return must(f.Shape(v)) })
}

// What threads compute by rows without waiting for each other depends on their number in no bit.
func TestRowsOfThreads(t *testing.T) {
	simd.HandOver(t)
	const steps, rows, hidden, weights = 4, 64, 32, 40
	integers := shapes.Make(dtypes.Int32, rows)
	for _, test := range []struct {
		name  string
		of    []shapes.Shape
		build func(g *grower, p values) values
	}{
		{
			// In a sequence [T, R, H] the rows are elsewhere than in a matrix [R, T·H], which is as large.
			"rows at other bytes", []shapes.Shape{
				floats(steps, rows, hidden), floats(rows, hidden), floats(hidden, steps*hidden),
			}, func(g *grower, p values) values {
				state := values{must(g.f.Neg(p[0])), must(g.f.Neg(p[1]))}
				return counting(g.f, 300, state, func(f function, q values) values {
					zero := must(f.Constant([]int32{0}))
					at := values{must(f.Rem(q[0], must(f.Constant([]int32{steps})))), zero, zero}
					write := func(h value) value {
						return must(f.DynamicUpdateSlice(q[1], must(f.Reshape(h, 1, rows, hidden)), at))
					}
					other := write(must(f.Sin(q[2])))
					step := func(t int) value {
						return must(f.Reshape(must(f.Slice(other, []int{t, 0, 0}, []int{t + 1, rows, hidden}, nil)),
							rows, hidden))
					}
					z := must(f.Tanh(must(f.Add(step(1), must(f.Add(step(3), q[2]))))))
					wide := product(f, z, p[2])
					part := func(k int) value {
						return must(f.Slice(wide, []int{0, k * hidden}, []int{rows, (k + 1) * hidden}, nil))
					}
					h := must(f.Tanh(must(f.Add(must(f.Mul(part(0), part(1))), must(f.Add(part(2), part(3)))))))
					return values{write(must(f.Cos(h))), h}
				})
			},
		}, {
			// What is written into a copy of a sequence [T, R, H], beside the sequence itself.
			"as many steps as rows", []shapes.Shape{
				floats(rows, rows, hidden), floats(rows, hidden), floats(hidden, hidden),
			}, func(g *grower, p values) values {
				state := values{must(g.f.Neg(p[0])), must(g.f.Neg(p[1]))}
				return counting(g.f, 300, state, func(f function, q values) values {
					zero := must(f.Constant([]int32{0}))
					at := values{must(f.Rem(q[0], must(f.Constant([]int32{rows})))), zero, zero}
					h := must(f.Tanh(product(f, q[2], p[2])))
					written := must(f.DynamicUpdateSlice(q[1], must(f.Reshape(h, 1, rows, hidden)), at))
					row := func(of value) value {
						return must(f.Reshape(must(f.DynamicSlice(of, at, []int{1, rows, hidden})), rows, hidden))
					}
					view := must(f.OptimizationBarrier(written))[0]
					return values{view, must(f.Cos(must(f.Sub(row(written), row(q[1])))))}
				})
			},
		}, {
			// The second loop goes on in the memory of the first, where it is no matrix.
			"one loop after the other", []shapes.Shape{floats(6, 5), floats(30), floats(5, 5)},
			func(g *grower, p values) values {
				step := func(f function, h value) value {
					return must(f.Tanh(product(f, h, p[2])))
				}
				first := counting(g.f, 3, values{must(g.f.Neg(p[0])), must(g.f.Exp(p[1]))},
					func(f function, q values) values {
						return values{step(f, q[1]), must(f.Reverse(q[2], 0))}
					})
				second := counting(g.f, 3, values{must(g.f.Reshape(first[1], 6, 5))},
					func(f function, q values) values { return values{step(f, q[1])} })
				return values{must(g.f.Add(first[0], second[0]))}
			},
		},
		{
			// A thread must not count on the row by which another still has to choose.
			"a weight chosen by a row", []shapes.Shape{floats(rows, hidden), floats(weights, hidden, hidden)},
			func(g *grower, p values) values {
				from := must(g.f.BroadcastInDim(must(g.f.Constant([]int32{0})), integers, nil))
				state := values{must(g.f.Neg(p[0])), must(g.f.Neg(from))}
				return counting(g.f, weights, state, func(f function, q values) values {
					zero, one := must(f.Constant([]int32{0})), must(f.Constant([]int32{1}))
					at := values{must(f.Reshape(must(f.Slice(q[2], []int{0}, []int{1}, nil)))), zero, zero}
					weight := must(f.Reshape(must(f.DynamicSlice(p[1], at, []int{1, hidden, hidden})), hidden, hidden))
					ones := must(f.BroadcastInDim(one, integers, nil))
					return values{must(f.Tanh(product(f, q[1], weight))), must(f.Add(q[2], ones))}
				})[:1]
			},
		},
		{"nothing to sum", []shapes.Shape{floats(6, 0), floats(0, 4), floats(4, 0)}, products},
		{"nothing to write", []shapes.Shape{floats(6, 4), floats(4, 0), floats(0, 4)}, products},
		{"no rows", []shapes.Shape{floats(0, 3), floats(3, 3), floats(3, 3)}, products},
	} {
		want := compiled(must(simd.New("threads=1")), test.of, test.build)()
		shared := compiled(must(simd.New("threads=2")), test.of, test.build)
		for range 10 {
			same := slices.EqualFunc(shared(), want, slices.Equal)
			check.Must(t, same, "%s: results depend on the number of threads", test.name)
		}
	}
}

// products is a loop of two products by rows, and one that sums over them.
func products(g *grower, p values) values {
	return counting(g.f, 3, values{must(g.f.Neg(p[0])), must(g.f.Neg(p[1]))}, func(f function, q values) values {
		y := must(f.Tanh(product(f, q[1], p[1])))
		h := must(f.Add(must(f.Tanh(product(f, y, p[2]))), q[1]))
		sum := must(f.DotGeneral(q[1], []int{0}, nil, y, []int{0}, nil, compute.DotGeneralConfig{}))
		return values{h, must(f.Add(q[2], sum))}
	})
}

// A backend that is finalized lets the execution that its threads work on come to its end.
func TestFinalizeWhileRunning(t *testing.T) {
	simd.HandOver(t)
	b := must(simd.New("threads=2"))
	state := []shapes.Shape{floats(64, 40), floats(40, 40)}
	run := compiled(b, state, func(g *grower, p values) values {
		x := p[0]
		for range 60 { // the threads are called together for each, and sleep before
			const times = 60
			many := must(g.f.BroadcastInDim(x, floats(times, 64, 40), []int{1, 2}))
			at := must(g.f.Iota(shapes.Make(dtypes.Int32, times, 1), 0))
			many = must(g.f.ScatterSum(many, at, many, 1, []int{1, 2}, []int{0}, []int{0}, false, false)) // by one
			x = must(g.f.Tanh(must(g.f.ReduceSum(many, 0))))
			x = counting(g.f, 40, values{must(g.f.Neg(x))}, func(f function, q values) values {
				h := must(f.Tanh(must(f.Add(product(f, q[1], p[1]), x))))
				// Here they meet.
				sum := must(f.DotGeneral(h, []int{0}, nil, q[1], []int{0}, nil, compute.DotGeneralConfig{}))
				return values{must(f.Tanh(must(f.Add(h, product(f, h, sum)))))}
			})[0]
		}
		return values{x}
	})
	first, ended := make(chan bool), make(chan any)
	go func() {
		defer func() { ended <- recover() }()
		run()
		close(first)
		for { // one execution after the other, until one finds that it is too late
			run()
		}
	}()
	select {
	case <-first:
	case how := <-ended:
		t.Fatalf("the first execution ended with %v", how)
	}
	b.Finalize()
	how := fmt.Sprint(<-ended)
	check.That(t, strings.Contains(how, "is finalized"), "the executions ended with %q", how)
}

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
				return values{must(f.Add(i, constant(f, test.step))), must(f.DynamicUpdateSlice(x, fill(value), at))}
			})
			return must(f.While(cond, body, constant(f, test.start), start))
		}
		start := [][]float32{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}}
		got, err := testutil.Exec(newBackend(t, "simd:threads=2"), []any{start},
			func(f function, p values) (values, error) {
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
