package trial

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/metric"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/internal/check"
)

// The mean over the labels of an evaluation, of each trial; Reset begins the next. That GoMLX's Trainer uses it so is
// tested in package loader.
func TestMetricIsTheMeanOverLabels(t *testing.T) {
	b, store := conformance.Start(t, "go"), model.NewStore()
	batch := func(m metric.Interface, labels, prediction any) *tensors.Tensor {
		return model.MustCallOnce(b, store, func(s *model.Scope, labels, prediction *graph.Node) *graph.Node {
			return m.UpdateGraph(s, []*graph.Node{labels}, []*graph.Node{prediction})
		}, labels, prediction)
	}
	mean := func(m metric.Interface, batches ...*tensors.Tensor) []float64 {
		m.Reset(nil)
		for _, b := range batches {
			m.(metric.UpdateGo).UpdateGo(b)
		}
		return m.(metric.UpdateGo).ReadGo().Value().([]float64)
	}
	numbers := Metric("error", SquaredError{}.Losses)
	three := batch(numbers, [][]float32{{1, 2, 3}, {0, 0, 0}}, [][]float32{{0, 0, 0}, {1, 1, 4}}) // 14/3, 18/3
	one := batch(numbers, [][]float32{{4}, {0}}, [][]float32{{0}, {6}})
	check.Near(t, mean(numbers, three, one), []float64{30. / 4, 54. / 4}, 1e-6, "batches of three and one")
	check.Equal(t, mean(numbers, one), []float64{16, 36}, "one batch")
	// In float64: float32 would drop the 1.
	large := batch(numbers, [][]float64{{1 << 12}}, [][]float64{{0}})
	small := batch(numbers, [][]float64{{1}}, [][]float64{{0}})
	check.Equal(t, mean(numbers, large, small), []float64{(1<<24 + 1) / 2.}, "mean of large numbers")

	logits := [][][]float32{{{0, 1}, {0, 1}, {0, 1}}, {{0, 1}, {0, 1}, {0, 1}}}
	classes := Metric("right", Accuracy{}.Losses)
	all, some := batch(classes, [][]int8{{1, 1, 0}, {0, 0, 0}}, logits), batch(classes, [][]int8{{0, -1, -1},
		{-1, -1, -1}}, logits)
	check.Near(t, mean(classes, all, some), []float64{2. / 4, 0}, 1e-6, "labels that are a class")

	norms := Metric("norm", func(_, prediction *graph.Node) *graph.Node { return graph.ReduceMax(prediction, 1) })
	ones := batch(norms, float32(0), [][]float32{{1, 2}, {3, 1}})
	check.Equal(t, mean(norms, ones, ones), []float64{2, 3}, "labels that are not the trials'")

	got := model.MustCallOnce(b, store, func(s *model.Scope, labels, prediction *graph.Node) *graph.Node {
		s.Store().SetTraining(labels.Graph(), true)
		return numbers.UpdateGraph(s, []*graph.Node{labels}, []*graph.Node{prediction})
	}, [][]float32{{1, 2}, {3, 4}}, [][]float32{{1, 4}, {0, 0}})
	check.Equal(t, got.Value(), any([]float32{2, 12.5}), "value of a batch in training")
	if numbers.ShortName() != "error" || numbers.PrettyPrint(got) != "[2 12.5]" {
		t.Errorf("%s = %s, want error = [2 12.5]", numbers.ShortName(), numbers.PrettyPrint(got))
	}
}
