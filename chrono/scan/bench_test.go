package scan_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
)

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
			b.Run(fmt.Sprintf("%+v/Recompute=%v", c, recompute), func(b *testing.B) {
				x := conformance.Random[float32](rand.New(rand.NewPCG(1, 2)), c.steps, 1, c.batch, 3)
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
