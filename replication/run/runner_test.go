package run

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

func TestTrainWritesACompleteRecord(t *testing.T) {
	for i := range tiny {
		task := tinyTask(t, i)
		var seen []Status
		dir := t.TempDir()
		runner := newRunner(t, engine, dir)
		runner.Observe = func(s Status) { seen = append(seen, s) }
		runner.Rules = func(h record.Header) map[string]string { return map[string]string{h.Panel: h.Figure} }
		done := mustTrain(t, runner, task)

		if _, err := experiment.Declared(tiny, done); err != nil || done.Backend != engine || !(done.End.Seconds > 0) {
			t.Errorf("%s: the record is of another experiment, on %s, lacks a result, or took %g seconds: %v", task,
				done.Backend, done.End.Seconds, err)
		}
		check.Equal(t, done.Rules, map[string]string{done.Panel: done.Figure}, "its rules")
		points, updates := done.Series(record.Train), task.Length.Total()
		// Observed at the start, after each update, with the last point as it is in the record, after each batch of the
		// tests that follow, and at the end.
		end := updates + 1
		for _, test := range task.Tests {
			if test.Every == 0 {
				end += test.Batches
			}
		}
		check.Must(t, len(seen) == end+1 && seen[0].Update == 0 && seen[end].Update == updates,
			"%s: observed %d times", task, len(seen))
		for n, s := range seen {
			check.That(t, s.Done == (n == end) && s.Tested == min(max(0, n-updates), end-updates-1) && s.First == 0 &&
				s.Update == min(n, updates), "%s: observed %+v at %d", task, s, n)
			var want []float64
			for _, p := range points {
				if p.Update <= n {
					want = p.Values
				}
			}
			check.That(t, slices.Equal(s.Losses, want),
				"%s: observed losses %v after update %d, want %v", task, s.Losses, n, want)
		}
		check.Write(t, done.Path+".lock", nil) // of a process that was killed at the end
		mustTrain(t, runner, task)
		check.Entries(t, filepath.Dir(done.Path), 1)
		// A series of vectors ends with what the same measure has after training.
		if gates := done.Series("gates"); len(gates) > 0 {
			check.Equal(t, gates[1].Vectors, done.End.Vectors["gate_bias"], "gates at the end")
			check.That(t, !slices.Equal(gates[0].Vectors[0], gates[1].Vectors[0]), "gates do not change")
		}
		// A point is the mean over its window, of which the last is shorter.
		task.Window = 1
		each, before := mustTrain(t, newRunner(t, engine, t.TempDir()), task).Series(record.Train), 0
		for _, p := range points {
			sum := 0.
			for _, one := range each[before:p.Update] {
				sum += one.Values[0]
			}
			check.Equal(t, p.Values[0], sum/float64(p.Update-before), "%s: loss up to update %d", task, p.Update)
			before = p.Update
		}
	}
}

func TestInterruptedRunEqualsUninterrupted(t *testing.T) {
	onEngines(t, func(t *testing.T, engine string) {
		for i := range tiny {
			interrupted(t, engine, tinyTask(t, i), 5)
		}
		interrupted(t, engine, tinyTask(t, warping), 1)
	})
}

// interrupted trains a task and stops it every few updates, and once in the tests that follow, if there are any.
func interrupted(t *testing.T, engine string, task experiment.Task, every int) {
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	runner := newRunner(t, engine, t.TempDir())
	total, tested := task.Length.Total(), false
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(context.Background())
		first := -1
		runner.Observe = func(s Status) {
			first = s.First
			if s.Update == s.First+every || s.Tested > 0 && !tested {
				tested = s.Tested > 0
				cancel()
			}
		}
		got, err := runner.Train(ctx, task)
		cancel()
		check.Must(t, first == min(every*stops, total),
			"%s: began at update %d after %d stops: an update was lost or done twice", task, first, stops)
		if err == nil {
			check.Equal(t, record.Compare(want, got), nil, "%s: differences after %d interruptions", task, stops)
			wanted := total / every
			if len(task.Tests) > 0 {
				wanted++
			}
			check.That(t, stops == wanted, "%s: interrupted %d times, want %d", task, stops, wanted)
			return
		}
		check.Must(t, errors.Is(err, ErrInterrupted) && !strings.Contains(err.Error(), "\n"), "%s: %v", task, err)
	}
}

// stop begins a task and interrupts it after that update.
func stop(t testing.TB, runner *Runner, task experiment.Task, after int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	runner.Observe = func(s Status) {
		if s.Update == after {
			cancel()
		}
	}
	if _, err := runner.Train(ctx, task); !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
}
