package scan_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
)

var normal = conformance.Random[float32]

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
	}{{20_000, 16, 64, 10, false}, {20_000, 16, 64, 32, true}, {500, 32, 128, 10, false}} {
		for _, recompute := range []bool{false, true} {
			name := fmt.Sprintf("T=%d/B=%d/H=%d/last=%v/Unroll=%d/Recompute=%v", c.steps, c.batch, c.hidden, c.last,
				c.unroll, recompute)
			b.Run(name, func(b *testing.B) {
				x := normal(rand.New(rand.NewPCG(1, 2)), c.steps, 1, c.batch, 3)
				before := inUse()
				exec := model.MustNewExec(engine, model.NewStore(), func(s *model.Scope, x *Node) []*Node {
					lstm := cell.New(s, cell.LSTM{Hidden: c.hidden}, StopGradient(x)).Unroll(c.unroll)
					if recompute {
						lstm.Recompute()
					}
					ys, final := lstm.Done()
					loss := ReduceAllSum(Square(ys[0]))
					if c.last {
						loss = ReduceAllSum(Square(final[0]))
					}
					return s.BuildTrainableVariablesGradientsGraph(loss)
				})
				defer exec.Finalize()
				exec.MustCall(x)
				megabytes := inUse() - before
				for b.Loop() {
					exec.MustCall(x)
				}
				b.ReportMetric(megabytes, "MB")
			})
		}
	}
}

// BenchmarkAssociative times the gradient of h ← a·h + u, with B = 8 and H = 128, by the loop and by the associative
// scan, which computes more, all steps at once.
func BenchmarkAssociative(b *testing.B) {
	engine := must(backend.New("simd"))
	defer engine.Finalize()
	step := func(_ *scan.Ctx, carry, x, _ []*Node) (next, y []*Node) {
		h := Add(Mul(x[0], carry[0]), x[1])
		return []*Node{h}, []*Node{h}
	}
	for _, steps := range []int{200, 2_000, 20_000} {
		rng := rand.New(rand.NewPCG(1, 2))
		a, u := normal(rng, steps, 8, 128), normal(rng, steps, 8, 128)
		for by, run := range map[string]func(a, u *Node) *Node{
			"associative": func(a, u *Node) *Node { return scan.Associative(scan.Affine, a, u)[1] },
			"loop": func(a, u *Node) *Node {
				zero := Zeros(a.Graph(), shapes.Make(dtypes.Float32, 8, 128))
				ys, _ := scan.New(step).Done([]*Node{zero}, []*Node{a, u}, nil)
				return ys[0]
			},
		} {
			b.Run(fmt.Sprintf("T=%d/by=%s", steps, by), func(b *testing.B) {
				exec := MustNewExec(engine, func(a, u *Node) []*Node {
					return Gradient(ReduceAllSum(Square(run(a, u))), a, u)
				})
				defer exec.Finalize()
				for b.Loop() {
					exec.MustCall(a, u)
				}
			})
		}
	}
}
