package run

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// tooSmall is a learning rate at which no float32 weight moves but those at 0, and these no further than 1e-29.
const tooSmall = 0x1p-100

// ruled is a schedule that follows rule, and changed is data whose batches come from nextBatch. (Declarations cannot
// hold functions.)
type (
	ruled   struct{}
	changed struct{ Data experiment.Data }
)

var (
	rule      func(update int, series func(string) [][]float64) (factors []float64)
	nextBatch func(of trial.Batches, n int) (inputs, labels []*tensors.Tensor, err error)

	_ = experiment.Name("test.ruled", ruled{})
	_ = experiment.Name("test.changed", changed{})
)

func (ruled) Factors(update int, series func(string) [][]float64) ([]float64, error) {
	return rule(update, series), nil
}

func (c changed) Shape() (batch, steps int) { return c.Data.Shape() }

func (c changed) Open(seeds []uint64) (trial.Batches, error) {
	batches, err := c.Data.Open(seeds)
	return changedBatches{batches}, err
}

type changedBatches struct{ trial.Batches }

func (c changedBatches) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	return nextBatch(c.Batches, n)
}

// A factor reaches the optimizer, exactly: a model that does not move until the rule raises its rate is then trained as
// one that begins there with the raised rate. Gradient descent alone has no memory of the updates before.
func TestRuleReachesTheOptimizer(t *testing.T) {
	const still = 5
	task := tinyTask(t, adding)
	task.Window = 1
	task.Optimizer = trial.Optimizer{Method: trial.SGD{}, Rates: []float64{0x1p-4}}
	begins := task
	begins.Data, begins.Length.Updates = changed{task.Data}, task.Length.Updates-still
	nextBatch = func(of trial.Batches, n int) (inputs, labels []*tensors.Tensor, err error) {
		return of.Batch(n + still)
	}
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), begins).Series(record.Train)

	task.Optimizer.Rates = []float64{tooSmall}
	task.Schedule = ruled{}
	rule = func(update int, _ func(string) [][]float64) []float64 {
		if update == still {
			return []float64{0x1p-4 / tooSmall}
		}
		return nil
	}
	got := mustTrain(t, newRunner(t, engine, t.TempDir()), task).Series(record.Train)[still:]
	for n := range want {
		check.Equal(t, got[n].Values, want[n].Values, "losses %d updates after the rule", n+1)
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

// A test measures on the batches that it names: the data of its split, from the first batch to the last. What a
// training on these batches has for losses, while the weights stand still, is the measure.
func TestTestsMeasureTheirOwnData(t *testing.T) {
	task := tinyTask(t, warping)
	task.Window = 1
	task.Optimizer = trial.Optimizer{Method: trial.SGD{}, Rates: []float64{tooSmall}}
	task.Schedule = trial.ConstantRate{}
	task.Tests = []experiment.Test{task.Tests[0], task.Tests[2]}
	got := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	means := map[string][]float64{}
	for _, split := range []string{"train", "valid", "test"} {
		on := task
		data := on.Tests[0].Data.(symbolData)
		data.Split = split
		on.Data, on.Tests, on.Length.Updates = data, nil, 2
		points := mustTrain(t, newRunner(t, engine, t.TempDir()), on).Series(record.Train)
		for r := range task.Trials {
			means[split] = append(means[split], (points[0].Values[r]+points[1].Values[r])/2)
		}
	}
	for _, test := range []struct {
		name, split string
		values      []float64
	}{
		{"valid_loss", "valid", got.Series("valid_loss")[0].Values},
		{"valid_loss", "valid", got.Series("valid_loss")[3].Values},
		{"test_loss", "test", got.End.Final["test_loss"]},
	} {
		for split, want := range means {
			for r, v := range test.values {
				// Two graphs, two orders of addition: rounding apart, 1e-7, and far more between two sets.
				if near := math.Abs(v-want[r]) < 1e-6*want[r]; near != (split == test.split) {
					t.Errorf("%s of trial %d is %.9g, the mean loss on %s data %.9g", test.name, r, v, split, want[r])
				}
			}
		}
	}
}
