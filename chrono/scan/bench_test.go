package scan_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
)

// normal is a float32 tensor of small random numbers.
func normal(rng *rand.Rand, dims ...int) *tensors.Tensor {
	t := tensors.FromShape(shapes.Make(dtypes.Float32, dims...))
	tensors.MustMutableFlatData(t, func(flat []float32) {
		for i := range flat {
			flat[i] = 0.1 * float32(rng.NormFloat64())
		}
	})
	return t
}

// inUse is the memory that Go holds, in MB.
func inUse() float64 {
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	return float64(memory.HeapAlloc) / (1 << 20)
}

// BenchmarkRecompute times the gradient of an LSTM with and without Recompute, and reports the memory of the graph when
// it is compiled: the arrays between the operations.
func BenchmarkRecompute(b *testing.B) {
	engine := must(backend.New("simd"))
	defer engine.Finalize()
	for _, c := range []struct {
		steps, batch, hidden, unroll int
		last                         bool // the loss is that of the last state, not of all outputs
	}{
		{20_000, 16, 64, 10, false}, {20_000, 16, 64, 32, true}, {500, 32, 128, 10, false},
	} {
		for _, recompute := range []bool{false, true} {
			name := fmt.Sprintf("T=%d/B=%d/H=%d/last=%v/Unroll=%d/Recompute=%v", c.steps, c.batch, c.hidden, c.last,
				c.unroll, recompute)
			b.Run(name, func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				const inputs = 3
				lstm := cell.LSTM{Hidden: c.hidden}
				args := []any{normal(rng, c.steps, 1, c.batch, inputs)}
				for _, w := range lstm.Weights(inputs) {
					args = append(args, normal(rng, append([]int{1}, w.Dims...)...))
				}
				before := inUse()
				exec := MustNewExec(engine, func(in []*Node) []*Node {
					weights := cell.ByName(lstm.Weights(inputs), in[1:])
					xs, stepWeights := lstm.Prepare([]*Node{StopGradient(in[0])}, weights)
					zero := Zeros(in[0].Graph(), shapes.Make(dtypes.Float32, 1, c.batch, c.hidden))
					loop := scan.New(lstm.Step).Unroll(c.unroll)
					if recompute {
						loop.Recompute()
					}
					ys, final := loop.Done([]*Node{zero, zero}, xs, stepWeights)
					loss := ReduceAllSum(Square(ys[0]))
					if c.last {
						loss = ReduceAllSum(Square(final[0]))
					}
					return Gradient(loss, in[1:]...)
				})
				defer exec.Finalize()
				exec.MustCall(args...)
				megabytes := inUse() - before
				for b.Loop() {
					exec.MustCall(args...)
				}
				b.ReportMetric(megabytes, "MB")
			})
		}
	}
}

// BenchmarkStep times a single step of an LSTM, as in streaming, and the same without a loop.
func BenchmarkStep(b *testing.B) {
	engine := must(backend.New("simd"))
	defer engine.Finalize()
	for _, hidden := range []int{16, 128, 512} {
		for name, run := range map[string]func(step scan.Step, init, xs, weights []*Node) (ys, final []*Node){
			"loop": func(step scan.Step, init, xs, weights []*Node) (ys, final []*Node) {
				return scan.New(step).Done(init, xs, weights)
			},
			"unrolled": scan.Unrolled,
		} {
			b.Run(fmt.Sprintf("H=%d/%s", hidden, name), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				const inputs = 3
				lstm := cell.LSTM{Hidden: hidden}
				args := []any{normal(rng, 1, 1, 1, inputs), normal(rng, 1, 1, hidden), normal(rng, 1, 1, hidden)}
				for _, w := range lstm.Weights(inputs) {
					args = append(args, normal(rng, append([]int{1}, w.Dims...)...))
				}
				exec := MustNewExec(engine, func(in []*Node) []*Node {
					weights := cell.ByName(lstm.Weights(inputs), in[3:])
					xs, stepWeights := lstm.Prepare(in[:1], weights)
					_, final := run(lstm.Step, in[1:3], xs, stepWeights)
					return final
				})
				defer exec.Finalize()
				for b.Loop() {
					exec.MustCall(args...)
				}
			})
		}
	}
}

// BenchmarkAttention times the gradient of a decoder that attends to S positions at each of T steps: T = S = 50, 32
// sequences, 128 units, 4 heads. Naively, its products are GoMLX's; else they go through Ctx.Dot.
func BenchmarkAttention(b *testing.B) {
	engine := must(backend.New("simd"))
	defer engine.Finalize()
	const steps, batch, heads, d = 50, 32, 4, 32
	const hidden = heads * d
	dot := func(c *scan.Ctx, naively bool, a, w *Node) *Node {
		if !naively {
			return c.Dot(a, w, 1)[0]
		}
		axes := []int{0, 1, 2}[:a.Rank()-2]
		return DotGeneral(a, []int{a.Rank() - 1}, axes, w, []int{a.Rank() - 2}, axes)
	}
	for _, naively := range []bool{true, false} {
		b.Run(map[bool]string{true: "naively", false: "Dot"}[naively], func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			exec := MustNewExec(engine, func(in []*Node) []*Node {
				step := func(c *scan.Ctx, carry, x, w []*Node) (next, y []*Node) {
					q := Reshape(dot(c, naively, carry[0], w[0]), 1, batch, heads, 1, d)
					scores := dot(c, naively, q, w[3]) // [1, B, n, 1, S]
					seen := dot(c, naively, Softmax(MulScalar(scores, 1/math.Sqrt(d))), w[4])
					context := dot(c, naively, Reshape(seen, 1, batch, hidden), w[1])
					h := Tanh(Add(Add(dot(c, naively, carry[0], w[2]), context), x[0]))
					return []*Node{h}, []*Node{h}
				}
				zero := Zeros(in[0].Graph(), shapes.Make(dtypes.Float32, 1, batch, hidden))
				ys, _ := scan.New(step).Done([]*Node{zero}, in[:1], in[1:])
				return Gradient(ReduceAllSum(Square(ys[0])), in...)
			})
			defer exec.Finalize()
			args := []any{normal(rng, steps, 1, batch, hidden)}
			for range 3 {
				args = append(args, normal(rng, 1, hidden, hidden))
			}
			args = append(args, normal(rng, 1, batch, heads, d, steps), normal(rng, 1, batch, heads, steps, d))
			for b.Loop() {
				exec.MustCall(args...)
			}
		})
	}
}
