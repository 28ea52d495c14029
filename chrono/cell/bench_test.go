package cell_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	_ "github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

// BenchmarkCompile times building and compiling the graph of an LSTM's loss and its gradients, H = 128, which does not
// depend on T.
func BenchmarkCompile(b *testing.B) {
	const trials, batch, inputs, hidden = 1, 32, 10, 128
	l := cell.LSTM{Hidden: hidden}
	for _, name := range []string{"go:ops_sequential", "simd"} {
		engine, err := compute.NewWithConfig(name)
		check.OK(b, err)
		for _, steps := range []int{10, 500, 2000} {
			b.Run(fmt.Sprintf("%s/T=%d", name, steps), func(b *testing.B) {
				for b.Loop() {
					g := NewGraph(engine, "lstm")
					x := Parameter(g, "x", shapes.Make(dtypes.Float32, steps, trials, batch, inputs))
					list := l.Weights(inputs)
					var weights []*Node
					for _, w := range list {
						shape := shapes.Make(dtypes.Float32, append([]int{trials}, w.Dims...)...)
						weights = append(weights, Parameter(g, w.Name, shape))
					}
					zero := Zeros(g, shapes.Make(dtypes.Float32, trials, batch, hidden))
					stepXs, stepWeights := l.Prepare([]*Node{StopGradient(x)}, cell.ByName(list, weights))
					ys, _ := scan.New(l.Step).Unroll(10).Done([]*Node{zero, zero}, stepXs, stepWeights)
					loss := ReduceAllMean(Square(ys[0]))
					g.Compile(append(Gradient(loss, weights...), loss)...)
					g.Finalize()
				}
			})
		}
	}
}

// BenchmarkLengths compares an LSTM whose sequences have lengths of their own with one whose sequences all have T
// steps: loss and gradients, one after the other, T = 100, B = 32. The ratio of the two times is the median of all
// pairs; an operation is such a pair.
func BenchmarkLengths(b *testing.B) {
	const trials, batch, inputs, steps = 1, 32, 16, 100
	engine, err := compute.NewWithConfig("simd:threads=1")
	check.OK(b, err)
	x := tensors.FromShape(shapes.Make(dtypes.Float32, steps, trials, batch, inputs))
	lengths := [][]int32{nil}
	for i := range batch {
		lengths[0] = append(lengths[0], int32(steps-2*i))
	}
	for _, hidden := range []int{64, 128} {
		b.Run(fmt.Sprintf("H=%d", hidden), func(b *testing.B) {
			run := func(own bool) func() time.Duration {
				exec := model.MustNewExec(engine, model.NewStore(), func(s *model.Scope, x, lengths *Node) []*Node {
					layer := cell.New(s, cell.LSTM{Hidden: hidden}, StopGradient(x))
					if own {
						layer.Lengths(lengths)
					}
					ys, final := layer.Done()
					loss := Add(ReduceAllMean(Square(ys[0])), ReduceAllMean(final[1]))
					return s.BuildTrainableVariablesGradientsGraph(loss)
				})
				exec.MustCall(x, lengths)
				return func() time.Duration {
					before := time.Now()
					exec.MustCall(x, lengths)
					return time.Since(before)
				}
			}
			with, without := run(true), run(false)
			var ratios []float64
			for b.Loop() {
				ratios = append(ratios, with().Seconds()/without().Seconds())
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
		})
	}
}
