package trial

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/metric"

	"github.com/warptime/warptime/chrono/internal/axis"
	"github.com/warptime/warptime/chrono/internal/numeric"
	"github.com/warptime/warptime/chrono/internal/require"
)

// Metric is a metric of GoMLX's Trainer with one value per trial, [R]; GoMLX's own metrics are scalars. value computes
// it for a batch from the first of the labels and the first of the predictions, as [CrossEntropy] and [Accuracy] do.
// Building the graph panics unless the result is [R] of float32 or float64, and R the graph's number of trials; Metric
// panics if value is nil.
//
// As a training metric, it is the value at the last update. As an evaluation metric, it is the mean over the batches of
// an evaluation, taken in float64 on the host. A batch counts as often as it has labels of the trial; negative
// classes, such as −1 for padding, do not count. So value must be a mean over labels. [SumOverSteps] is one over
// sequences: its mean is wrong if batches differ in steps or padding. (What Trainer.EvalStep returns is values and
// counts, [2, R].)
func Metric(name string, value func(labels, prediction *graph.Node) *graph.Node) metric.Interface {
	require.That(value != nil, "trial: metric %q of a nil function, want one such as trial.Accuracy", name)
	return &batchMean{name: name, value: value}
}

type batchMean struct {
	name  string
	value func(labels, prediction *graph.Node) *graph.Node
	sum   []float64 // [R]
	count []float64 // [R], of labels
}

var _ metric.UpdateGo = (*batchMean)(nil)

func (m *batchMean) Name() string       { return m.name + " of each trial" }
func (m *batchMean) ShortName() string  { return m.name }
func (m *batchMean) ScopeName() string  { return m.name }
func (m *batchMean) MetricType() string { return m.name }

func (m *batchMean) UpdateGraph(scope *model.Scope, labels, predictions []*graph.Node) *graph.Node {
	value := m.value(labels[0], predictions[0])
	s := value.Shape()
	require.That(s.Rank() == 1 && (s.DType == dtypes.Float32 || s.DType == dtypes.Float64),
		"trial: metric %q has the value %s, want one for each trial, [R] of float32 or float64", m.name, s)
	trials := s.Dim(0)
	axis.Agree(value.Graph(), trials, fmt.Sprintf("trial: metric %q", m.name))
	if scope.IsTraining(value.Graph()) {
		return value
	}
	return graph.Stack([]*graph.Node{value, counted(labels[0], predictions[0], trials, value.DType())}, 0)
}

func (m *batchMean) PrettyPrint(value *tensors.Tensor) string {
	return fmt.Sprintf("%.4g", value.Value())
}

func (m *batchMean) Reset(*model.Scope) { m.sum, m.count = nil, nil }

// UpdateGo adds a batch of an evaluation: values and counts, [2, R].
func (m *batchMean) UpdateGo(batch *tensors.Tensor) {
	trials := batch.Shape().Dim(1)
	if m.sum == nil {
		m.sum, m.count = make([]float64, trials), make([]float64, trials)
	}
	all := numeric.Of(batch)
	for r, count := range all[trials:] {
		if count != 0 { // NaN shows
			m.sum[r] += count * all[r]
			m.count[r] += count
		}
	}
}

// ReadGo returns the evaluation's mean, [R] in float64.
func (m *batchMean) ReadGo() *tensors.Tensor {
	mean := make([]float64, len(m.sum))
	for r, sum := range m.sum {
		mean[r] = sum / m.count[r]
	}
	return tensors.FromValue(mean)
}
