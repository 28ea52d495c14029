package run

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// wild is a task one of whose trials has a rate at which its first update makes its weights infinite.
func wild(task experiment.Task, trial int) experiment.Task {
	task.Optimizer.Rates = slices.Repeat(task.Optimizer.Rates, len(task.Trials))
	task.Optimizer.Rates[trial] = 3e38
	return task
}

// A trial whose loss is NaN from update 2 on is on record with that update and with the norm of the gradients that led
// there, the same whether the run was interrupted before, at or after it.
func TestDivergedTrialIsOnRecord(t *testing.T) {
	onEngines(t, func(t *testing.T, engine string) {
		for i := range tiny {
			for r := range tinyTask(t, i).Trials {
				task := wild(tinyTask(t, i), r)
				done := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
				if len(done.Diverged) != 1 {
					t.Fatalf("%s: diverged %+v, want trial %d alone", task, done.Diverged, r)
				}
				d := done.Diverged[0]
				if norm := d.Norms[0]; d.Trial != r || d.Update != 2 || !(norm > 1e-3 && norm < 100) {
					t.Errorf("%s: diverged %+v, want trial %d at update 2, after a gradient of moderate norm",
						task, d, r)
				}
			}
			interrupted(t, engine, wild(tinyTask(t, i), 1), 1)
		}
	})
}

// oneLarge is data of regression with one label so large that its squared error is infinite in float32.
type oneLarge struct {
	Data         experiment.Data
	Batch, Trial int
}

var _ = experiment.Name("test.oneLarge", oneLarge{})

func (o oneLarge) Shape() (batch, steps int) { return o.Data.Shape() }

func (o oneLarge) Open(seeds []uint64) (trial.Batches, error) {
	batches, err := o.Data.Open(seeds)
	return withOneLarge{batches, o}, err
}

type withOneLarge struct {
	trial.Batches
	oneLarge
}

func (w withOneLarge) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	inputs, labels, err = w.Batches.Batch(n)
	if err == nil && n == w.oneLarge.Batch {
		values := labels[0].Value().([][]float32)
		values[w.Trial][0] = 1e30
		labels[0] = tensors.FromValue(values)
	}
	return inputs, labels, err
}

// A loss that is infinite once ends a trial's curve, even though it is left out of the gradient and the next is a
// number again. The norms say that nothing was wrong with the weights. All others are as if nothing had been.
func TestCurveStopsAtInfinity(t *testing.T) {
	const large, at = 2, 5 // the last update of the first window
	onEngines(t, func(t *testing.T, engine string) {
		task := tinyTask(t, adding)
		want := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
		task.Data = oneLarge{task.Data, at - 1, large}
		got := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
		if d := got.Diverged; len(d) != 1 || d[0].Trial != large || d[0].Update != at || !(d[0].Norms[0] > 1e-3) ||
			d[0].Norms[1] != 0 {
			t.Errorf("diverged %+v, want trial %d at update %d, after a gradient above 0 and with one of 0", d, large,
				at)
		}
		for n, p := range got.Series(record.Train) {
			if v := p.Values[large]; n == 0 && !math.IsInf(v, 1) || n > 0 && !math.IsNaN(v) {
				t.Errorf("point %d of its curve is %g, want +Inf and then NaN", n, v)
			}
		}
		for n, p := range got.Series(record.Train) {
			calm := want.Series(record.Train)[n].Values
			for r, v := range p.Values {
				if r != large && v != calm[r] {
					t.Errorf("update %d: another trial's loss is %g, want %g", p.Update, v, calm[r])
				}
			}
		}
	})
}

// GoMLX's loop keeps how long each update took, 8 bytes an update, and nobody asks.
func TestNothingGrowsWithTheUpdates(t *testing.T) {
	task, runner := tinyTask(t, adding), newRunner(t, engine, t.TempDir())
	header := task.Header(engine)
	training, err := runner.open(context.Background(), task, header, record.Path(runner.Dir, header))
	check.OK(t, err)
	defer training.close()
	check.OK(t, training.train())
	if n := cap(training.loop.TrainStepDurations); n > 1 {
		t.Errorf("room for the durations of %d updates", n)
	}
}
