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
	"github.com/warptime/warptime/internal/check"
)

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
