package run

import (
	"context"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/support/xslices"
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
	exec    *model.Exec
	batches trial.Batches
	inputs  int // of a batch; the rest of exec's arguments are labels
}

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
			values = append(values, graph.ConvertDType(value, dtypes.Float64))
		}
		return values
	}
	test.exec, err = model.NewExec(t.runner.Backend, t.store, measure)
	return test, err
}

// run returns the means of every measure over the test's batches as points of an update. It calls after when it is done
// with a batch.
func (t *test) run(ctx context.Context, update int, after func()) ([]record.Point, error) {
	sums := make([][]record.Values, len(t.Measures)) // [measure][R][n]
	for n := range t.Batches {
		if ctx.Err() != nil {
			return nil, ErrInterrupted
		}
		inputs, labels, err := t.batches.Batch(n)
		if err != nil {
			return nil, err
		}
		t.inputs = len(inputs)
		batch := slices.Concat(inputs, labels)
		values, err := t.exec.Call(xslices.Map(batch, func(t *tensors.Tensor) any { return t })...)
		if err != nil {
			return nil, err
		}
		for m, value := range values {
			for r, row := range value.Value().([][]float64) {
				if n == 0 {
					sums[m] = append(sums[m], make(record.Values, len(row)))
				}
				for i, v := range row {
					sums[m][r][i] += v / float64(t.Batches)
				}
			}
			value.MustFinalizeAll()
		}
		for _, tensor := range batch {
			tensor.MustFinalizeAll()
		}
		after()
	}
	var points []record.Point
	for m, rows := range sums {
		p := record.Point{Update: update, Series: string(t.Measures[m].Name), Vectors: rows}
		if len(rows[0]) == 1 {
			p.Values, p.Vectors = slices.Concat(rows...), nil
		}
		points = append(points, p)
	}
	return points, nil
}
