package run

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A test of an experiment, ready to be run. GoMLX's Trainer.Eval does not fit: it takes the same metrics on every
// dataset, and computes them from labels and predictions alone.
type test struct {
	experiment.Test
	exec     *model.Exec
	batches  trial.Batches
	inputs   int // of a batch; the rest of exec's arguments are labels
	compiled bool
}

// newTest builds what a test needs, once.
func (t *training) newTest(e experiment.Test) (*test, error) {
	batches, err := e.Data.Open(t.task.Seeds())
	if err != nil {
		return nil, err
	}
	test := &test{Test: e, batches: batches}
	measure := func(scope *model.Scope, batch []*graph.Node) []*graph.Node {
		inputs, labels := batch[:test.inputs], batch[test.inputs:]
		output := t.task.Network.Build(scope, t.task.Seeds(), inputs)
		var values []*graph.Node
		for _, m := range e.Measures {
			value := m.Of.Measure(inputs, labels, output)
			if value.Rank() == 1 {
				value = graph.InsertAxes(value, -1)
			}
			value.AssertDims(len(t.task.Trials), -1)
			values = append(values, value)
		}
		return values
	}
	test.exec, err = model.NewExec(t.runner.Backend, t.store, measure)
	return test, err
}

// run returns the means of every measure over the test's batches, in float64: [measure][R][n].
func (t *test) run(ctx context.Context) ([][][]float64, error) {
	sums := make([][][]float64, len(t.Measures))
	for n := range t.Batches {
		if ctx.Err() != nil {
			return nil, ErrInterrupted
		}
		inputs, labels, err := t.batches.Batch(n)
		if err != nil {
			return nil, err
		}
		t.inputs = len(inputs)
		var arguments []any
		for _, tensor := range append(inputs, labels...) {
			arguments = append(arguments, tensor)
		}
		values, err := t.exec.Call(arguments...)
		if err != nil {
			return nil, err
		}
		for m, value := range values {
			rows := rows(value)
			if n == 0 {
				sums[m] = make([][]float64, len(rows))
			}
			for r, row := range rows {
				if n == 0 {
					sums[m][r] = make([]float64, len(row))
				}
				for i, v := range row {
					sums[m][r][i] += v / float64(t.Batches)
				}
			}
			value.MustFinalizeAll()
		}
		for _, tensor := range append(inputs, labels...) {
			tensor.MustFinalizeAll()
		}
	}
	return sums, nil
}

// rows copies a matrix of floats.
func rows(t *tensors.Tensor) [][]float64 {
	switch values := t.Value().(type) {
	case [][]float64:
		return values
	case [][]float32:
		out := make([][]float64, len(values))
		for r, row := range values {
			out[r] = widen(row)
		}
		return out
	default:
		panic(fmt.Sprintf("a measure gave a %T, want a matrix of floats", values))
	}
}

// vector copies a vector of floats.
func vector(t *tensors.Tensor) []float64 {
	switch values := t.Value().(type) {
	case []float64:
		return values
	case []float32:
		return widen(values)
	default:
		panic(fmt.Sprintf("the trials' losses are a %T, want a vector of floats", values))
	}
}

func widen(values []float32) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

// column is the first number of each trial.
func column(rows [][]float64) []float64 {
	out := make([]float64, len(rows))
	for r, row := range rows {
		out[r] = row[0]
	}
	return out
}

// vectors are the numbers of each trial, as a record has them.
func vectors(rows [][]float64) []record.Values {
	out := make([]record.Values, len(rows))
	for r, row := range rows {
		out[r] = row
	}
	return out
}
