package run

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// tooSmall is a learning rate at which no float32 weight moves but those at 0, and these no further than 1e-29.
const tooSmall = 0x1p-100

// ruled is a schedule that follows rule, and changed is data of which change makes others. (Declarations cannot hold
// functions.)
type (
	ruled   struct{}
	changed struct{ trial.Data }
)

var (
	rule   func(update int, series func(string) [][]float64) (factors []float64)
	change func(n int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor)
)

func (ruled) Factors(update int, series func(string) [][]float64) ([]float64, error) {
	return rule(update, series), nil
}

func (c changed) Open(seeds []uint64) (trial.Batches, error) {
	return experiment.Map(c.Data, seeds, change)
}

// A factor reaches the optimizer after the update that it is of: a sequence's losses stay as they are from then on, and
// not before.
func TestRuleReachesTheOptimizer(t *testing.T) {
	const still = 5
	e := tinyTask(t, adding)
	e.Window = 1
	adds := []task.Regression{task.Adding{T: 6}}
	e.Data = trial.Sampled[task.Regression]{Tasks: adds, Split: "train", Batch: 1, Sequences: 1}
	e.Optimizer = trial.Optimizer{Method: trial.SGD{}, Rates: []float64{0x1p-4}}
	e.Schedule = ruled{}
	rule = func(update int, _ func(string) [][]float64) []float64 {
		if update == still {
			return []float64{tooSmall}
		}
		return nil
	}
	points := mustTrain(t, newRunner(t, engine, t.TempDir()), e).Series(record.Train)
	for n, p := range points[1:] {
		check.Equal(t, slices.Equal(p.Values, points[n].Values), n >= still, "after update %d, the losses stay", n+1)
	}
}

// After every update a schedule sees the series that it asks for as it is in the record then, resumed or not.
func TestRuleSeesItsSeries(t *testing.T) {
	task := tinyTask(t, warping)
	task.Schedule = ruled{}
	var seen [][][]float64
	rule = func(_ int, series func(string) [][]float64) []float64 {
		seen = append(seen, slices.Clone(series("valid_loss")))
		return nil
	}
	dir := t.TempDir()
	stop(t, newRunner(t, engine, dir), task, 7)
	points := mustTrain(t, newRunner(t, engine, dir), task).Series("valid_loss")
	same := func(v []float64, p record.Point) bool { return slices.Equal(v, p.Values) }
	for n, got := range seen {
		check.That(t, len(got) == (n+1)/3 && slices.EqualFunc(got, points[:len(got)], same),
			"after update %d it sees %v of %v", n+1, got, points)
	}
	check.Equal(t, len(seen), 14, "how often it is asked")
}

// A test measures on the batches that it names: the data of its split, from the first batch to the last. While the
// weights stand still, its mean on the data of the training is that of the first losses.
func TestTestsMeasureTheirOwnData(t *testing.T) {
	task := tinyTask(t, warping)
	task.Window = 1
	task.Optimizer = trial.Optimizer{Method: trial.SGD{}, Rates: []float64{tooSmall}}
	task.Schedule = experiment.ConstantRate{}
	task.Tests = []experiment.Test{task.Tests[0], task.Tests[2]}
	task.Tests[0].Data = task.Data
	r := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	points, tested := r.Series(record.Train), r.Series("valid_loss")
	means := make(record.Values, len(task.Trials))
	for trial := range means {
		means[trial] = (points[0].Values[trial] + points[1].Values[trial]) / 2
	}
	// Two graphs, two orders of addition: rounding apart, 1e-7, and far more between two sets.
	check.Close(t, []record.Values{tested[0].Values, tested[3].Values}, []record.Values{means, means}, 1e-6, "losses")
	for trial, loss := range r.End.Final["test_loss"] {
		check.That(t, math.Abs(loss-means[trial]) > 1e-4, "trial %d has the loss %g on other data", trial, loss)
	}
}
