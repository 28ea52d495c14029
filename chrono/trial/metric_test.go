package trial

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train/metric"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/internal/check"
)

// The mean over an evaluation's batches, of each trial; Reset begins the next. That GoMLX's Trainer uses it so is
// tested in package loader.
func TestMetricIsTheMeanOverBatches(t *testing.T) {
	m := Metric("error", SquaredError{}.Losses).(metric.UpdateGo)
	evaluate := func(values ...*tensors.Tensor) []float64 {
		m.Reset(nil)
		for _, v := range values {
			m.UpdateGo(v)
		}
		return m.ReadGo().Value().([]float64)
	}
	single := func(values ...float32) *tensors.Tensor { return tensors.FromValue(values) }
	check.Equal(t, evaluate(single(1, 10), single(2, 20), single(6, 30)), []float64{3, 20}, "mean")
	// In float64: float32 would drop the 1.
	check.Equal(t, evaluate(single(1<<24), single(1)), []float64{(1<<24 + 1) / 2.}, "mean of large numbers")
	check.Equal(t, evaluate(tensors.FromValue([]float64{1, 2, 3})), []float64{1, 2, 3}, "mean of one batch")
	got := graph.MustExecOnce(conformance.Start(t, "go"), func(labels, prediction *graph.Node) *graph.Node {
		return m.UpdateGraph(nil, []*graph.Node{labels}, []*graph.Node{prediction})
	}, [][]float32{{1, 2}, {3, 4}}, [][]float32{{1, 4}, {0, 0}})
	check.Equal(t, got.Value(), any([]float32{2, 12.5}), "value of a batch")
	if m.ShortName() != "error" || m.PrettyPrint(got) != "[2 12.5]" {
		t.Errorf("%s = %s, want error = [2 12.5]", m.ShortName(), m.PrettyPrint(got))
	}
}
