package replication

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/metric"
)

// perTrial is a GoMLX metric with a value for each trial, [R]; GoMLX's own are scalars. After a step of training it is that step's
// value; after an evaluation it is the mean over the batches, which all have the same size, taken in float64 on the host.
type perTrial struct {
	name    string
	value   func(scope *model.Scope, labels, predictions []*graph.Node) *graph.Node // [R]
	sum     []float64
	batches int
}

var _ metric.UpdateGo = (*perTrial)(nil)

func (m *perTrial) Name() string       { return m.name + " of each trial" }
func (m *perTrial) ShortName() string  { return m.name }
func (m *perTrial) ScopeName() string  { return m.name }
func (m *perTrial) MetricType() string { return m.name }

func (m *perTrial) UpdateGraph(scope *model.Scope, labels, predictions []*graph.Node) *graph.Node {
	return m.value(scope, labels, predictions)
}

func (m *perTrial) PrettyPrint(value *tensors.Tensor) string {
	return fmt.Sprintf("%.4g", value.Value())
}

// Reset starts a new evaluation.
func (m *perTrial) Reset(*model.Scope) { m.sum, m.batches = nil, 0 }

// UpdateGo adds a batch of an evaluation.
func (m *perTrial) UpdateGo(value *tensors.Tensor) {
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
func (m *perTrial) ReadGo() *tensors.Tensor {
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
		panic(fmt.Sprintf("metric of type %T, want a vector of floats", values))
	}
}
