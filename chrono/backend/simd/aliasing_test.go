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

// Values are computed right where they will be copied to, each time with something that reads the value, or writes
// there, so that this is not allowed, or only just: what the graphs of FuzzCompiler do not meet of the rules of
// place.go.
func TestPlacement(t *testing.T) {
	simd.HandOver(t)
	small := []shapes.Shape{floats(4, 3), floats(4, 3)}
	const width = 1000 // two rows are more than a tile
	for _, test := range []struct {
		name  string
		of    []shapes.Shape
		build func(g *grower, p values) values
	}{
		{"rows read after the next are computed", small, func(g *grower, p values) values {
			old := must(g.f.Neg(p[1]))
			n := must(g.f.Sin(g.readRows(p[0], 1)))
			b := g.writeRows(old, n)
			next := must(g.f.Cos(g.readRows(p[1], 1)))
			sum := must(g.f.ReduceSum(must(g.f.Add(must(g.f.Reverse(n, 1)), must(g.f.Reverse(next, 1)))), 1))
			return values{g.writeRows(b, next), sum}
		}},
		{"columns that are an output", small, func(g *grower, p values) values {
			n := must(g.f.Sin(p[0]))
			joined := must(g.f.Tanh(must(g.f.Concatenate(1, n, must(g.f.Neg(p[1]))))))
			return values{must(g.f.Transpose(n, 1, 0)), joined}
		}},
		{"rows from others that they overlap", []shapes.Shape{floats(5, width), floats(2, 1), floats(1, width)},
			func(g *grower, p values) values {
				old := must(g.f.Neg(p[0]))
				n := product(g.f, p[1], p[2])
				b := g.writeRows(old, n)
				g.advance(1)
				return values{must(g.f.Neg(g.writeRows(b, must(g.f.Sin(n)))))}
			}},
	} {
		want := compiled(must(gobackend.New("ops_sequential")), test.of, test.build)()
		for _, threads := range []string{"threads=1", "threads=3"} {
			got := compiled(must(simd.New(threads)), test.of, test.build)()
			check.Close(t, got, want, 1e-5, "%s, %s", test.name, threads)
		}
	}
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
// writes are copied there before the loop, so what the compiler knows about the counter must be true: nothing is known
// of one that starts from an argument.
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
	}{
		{"all", 0, 1, less(6), same, 1, 2, ""},
		{"none", 7, 1, less(6), same, 1, 2, ""},
		{"one column", 0, 1, less(6), same, 1, 1, ""},
		{"two rows at a time", 1, 2, less(4), same, 2, 2, ""},
		{"moved inside", 0, 1, less(3), with(function.Sub, 1), 2, 2, ""},
		{"down", 4, -1, with(function.GreaterThan, 1), same, 1, 2, ""},
		{"mirrored", 0, 1, less(4), func(f function, i value) value {
			return must(f.Sub(constant(f, 5), i))
		}, 1, 2, ""},
		{"beyond int32", 0, 1, less(2), func(f function, i value) value { // 2³² wraps to 0
			return must(f.Mul(must(f.Mul(i, constant(f, 1<<30))), constant(f, 4)))
		}, 1, 2, ""},
		{"what is read before", 0, 1, less(6), same, 1, 2, "old"},
		{"what is read between two updates", 0, 1, less(6), same, 1, 2, "new"},
	} {
		run := func(known bool) [][]float64 {
			g := begin(must(simd.New("threads=1")), nil, dtypes.Float32, int(test.start))
			of := []shapes.Shape{shapes.Make(dtypes.Int32), floats(rows, columns)}
			first, x := g.index, g.argument(of[1], wave(of[1], 0.3))
			if known {
				first = constant(g.f, test.start)
			}
			out := must(g.f.While(closure(g.f, of, func(f function, p values) values {
				return values{test.goOn(f, p[0])}
			}), closure(g.f, of, func(f function, p values) values {
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
			}), first, x))
			return g.compile(out[1], must(g.f.Neg(x)))() // x is read after the loop, too, which therefore has a copy
		}
		check.Equal(t, run(true), run(false), "%s", test.name)
	}
}
