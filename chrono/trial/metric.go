package trial

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/metric"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/internal/axis"
)

// Metric is a metric of GoMLX's Trainer with one value per trial, [R]; GoMLX's own metrics are scalars. value computes
// it for a batch from the first of the labels and the first of the predictions, as the Losses method of a [Loss] does.
// Building the graph panics unless the result is [R] of float32 or float64, and R the graph's number of trials; Metric
// panics if value is nil.
//
// As a training metric, it is the value at the last update. As an evaluation metric, it is the mean over the batches of
// an evaluation, which must all have the same size, taken in float64 on the host.
func Metric(name string, value func(labels, prediction *graph.Node) *graph.Node) metric.Interface {
	if value == nil {
		exceptions.Panicf("trial: metric %q of a nil function, want one such as trial.Accuracy{}.Losses", name)
	}
	return &batchMean{name: name, value: value}
}

type batchMean struct {
	name    string
	value   func(labels, prediction *graph.Node) *graph.Node
	sum     []float64 // [R]
	batches int
}

var _ metric.UpdateGo = (*batchMean)(nil)

func (m *batchMean) Name() string       { return m.name + " of each trial" }
func (m *batchMean) ShortName() string  { return m.name }
func (m *batchMean) ScopeName() string  { return m.name }
func (m *batchMean) MetricType() string { return m.name }

func (m *batchMean) UpdateGraph(_ *model.Scope, labels, predictions []*graph.Node) *graph.Node {
	value := m.value(labels[0], predictions[0])
	if s := value.Shape(); s.Rank() != 1 || (s.DType != dtypes.Float32 && s.DType != dtypes.Float64) {
		exceptions.Panicf("trial: metric %q has the value %s, want one for each trial, [R] of float32 or float64",
			m.name, s)
	}
	axis.Agree(value.Graph(), value.Shape().Dim(0), fmt.Sprintf("trial: metric %q", m.name))
	return value
}

func (m *batchMean) PrettyPrint(value *tensors.Tensor) string {
	return fmt.Sprintf("%.4g", value.Value())
}

// Reset starts a new evaluation.
func (m *batchMean) Reset(*model.Scope) { m.sum, m.batches = nil, 0 }

// UpdateGo adds a batch of an evaluation.
func (m *batchMean) UpdateGo(value *tensors.Tensor) {
	values := toFloat64(value)
	if m.sum == nil {
		m.sum = make([]float64, len(values))
	}
	for r, v := range values {
		m.sum[r] += v
	}
	m.batches++
}

// ReadGo returns the evaluation's mean, [R] in float64.
func (m *batchMean) ReadGo() *tensors.Tensor {
	mean := make([]float64, len(m.sum))
	for r, sum := range m.sum {
		mean[r] = sum / float64(m.batches)
	}
	return tensors.FromValue(mean)
}

// toFloat64 copies a vector of float32 or float64.
func toFloat64(t *tensors.Tensor) []float64 {
	switch values := t.Value().(type) {
	case []float64:
		return values
	case []float32:
		out := make([]float64, len(values))
		for i, v := range values {
			out[i] = float64(v)
		}
		return out
	default:
		panic(fmt.Errorf("trial: metric of type %T, want a vector of floats", values))
	}
}
