package run

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

// A trial whose loss is NaN from update 2 on is on record with that update and with the norm of the gradients that led
// there, the same whether the run was interrupted before, at or after it.
func TestDivergedTrialIsOnRecord(t *testing.T) {
	onEngines(t, func(t *testing.T, engine string) {
		for i := range tiny {
			task := tinyTask(t, i)
			task.Optimizer.Rates = slices.Repeat(task.Optimizer.Rates, len(task.Trials))
			task.Optimizer.Rates[1] = 3e38 // at which the first update makes weights infinite
			task.Length.Updates = 5
			done := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
			if d := done.Diverged; len(d) != 1 || d[0].Trial != 1 || d[0].Update != 2 ||
				!(d[0].Norms[0] > 1e-3 && d[0].Norms[0] < 100) {
				t.Errorf("%s: diverged %+v, want trial 1 at update 2, after a gradient of moderate norm", task, d)
			}
			interrupted(t, engine, task, 1)
		}
	})
}

// A loss that is infinite once ends a trial's curve, even though it is left out of the gradient and the next is a
// number again. The norms say that nothing was wrong with the weights.
func TestCurveStopsAtInfinity(t *testing.T) {
	const large, at = 2, 5 // the last update of the first window
	onEngines(t, func(t *testing.T, engine string) {
		task := tinyTask(t, adding)
		task.Data = changed{task.Data}
		change = func(n int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor) {
			if n == at-1 { // a label whose squared error is infinite in float32
				values := labels[0].Value().([][]float32)
				values[large][0] = 1e30
				labels[0] = tensors.FromValue(values)
			}
			return inputs, labels
		}
		got := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
		d := got.Diverged
		check.That(t, len(d) == 1 && d[0].Trial == large && d[0].Update == at && d[0].Norms[0] > 1e-3 &&
			d[0].Norms[1] == 0, "diverged %+v, want trial %d at update %d, after a gradient above 0 and with one of 0",
			d, large, at)
		for n, p := range got.Series(record.Train) {
			if v := p.Values[large]; n == 0 && !math.IsInf(v, 1) || n > 0 && !math.IsNaN(v) {
				t.Errorf("point %d of its curve is %g, want +Inf and then NaN", n, v)
			}
		}
	})
}
