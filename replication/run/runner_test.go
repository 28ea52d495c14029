package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/trial"
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
		done := mustTrain(t, runner, task)

		if !done.SameExperiment(task.Header("")) || done.Backend != engine {
			t.Errorf("%s: the record is of another experiment, on %s", task, done.Backend)
		}
		points, updates := done.Series(record.Train), task.Length.Total()
		for _, p := range points {
			for _, v := range p.Values {
				if !(v > 0 && v < 100) {
					t.Errorf("%s: loss %g after update %d", task, v, p.Update)
				}
			}
		}
		if done.End.Updates != updates || !(done.End.Seconds > 0) {
			t.Errorf("%s: ended after %d updates in %g seconds", task, done.End.Updates, done.End.Seconds)
		}
		if last := points[len(points)-1].Values; !slices.Equal(done.End.Final["loss"], last) {
			t.Errorf("%s: final loss is %v, want the last point %v", task, done.End.Final["loss"], last)
		}
		// Observed at the start, after each update, with the last point as it is in the record, and at the end.
		if len(seen) != updates+2 || seen[0].Update != 0 || seen[updates+1].Update != updates {
			t.Fatalf("%s: observed %d times", task, len(seen))
		}
		for n, s := range seen {
			if s.Done != (n == updates+1) || s.First != 0 || s.Update != min(n, updates) {
				t.Errorf("%s: observed %+v at %d", task, s, n)
			}
			var want []float64
			for _, p := range points {
				if p.Update <= n {
					want = p.Values
				}
			}
			if !slices.Equal(s.Losses, want) {
				t.Errorf("%s: observed losses %v after update %d, want %v", task, s.Losses, n, want)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*")); len(left) != 1 {
			t.Errorf("%s: left behind %v, want the record alone", task, left)
		}
	}
}

// The record promises its series and the reader holds it to them; what no header promises is the results.
func TestWarpRecordHasItsTests(t *testing.T) {
	task := tinyTask(t, warping)
	done := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	for _, name := range []string{"loss", "test_loss", "test_accuracy", "accuracy@4"} {
		values := done.End.Final[name]
		if len(values) != len(task.Trials) {
			t.Fatalf("final %s has %d values, want %d", name, len(values), len(task.Trials))
		}
		for _, v := range values {
			if v < 0 || strings.Contains(name, "accuracy") && v > 1 {
				t.Errorf("%s is %g", name, v)
			}
		}
	}
	for _, name := range []string{"gate_bias", "gate_at_change"} {
		if v := done.End.Vectors[name]; len(v) != len(task.Trials) || len(v[0]) != task.Network.Units() {
			t.Errorf("final %s is %v, want a number for each unit of each trial", name, v)
		}
	}
	if n := len(done.Series("valid_loss")); n != 4 { // 14 updates, one test every 3
		t.Errorf("%d points of valid_loss, want 4", n)
	}
}

func TestInterruptedRunEqualsUninterrupted(t *testing.T) {
	onEngines(t, func(t *testing.T, engine string) {
		for i := range tiny {
			for _, every := range []int{1, 5} {
				interrupted(t, engine, tinyTask(t, i), every)
			}
		}
	})
}

// interrupted trains a task in so many updates at a time.
func interrupted(t *testing.T, engine string, task experiment.Task, every int) {
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	runner := newRunner(t, engine, t.TempDir())
	runner.Checkpoint = time.Hour
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(context.Background())
		first := -1
		runner.Observe = func(s Status) {
			first = s.First
			if s.Update == s.First+every {
				cancel()
			}
		}
		got, err := runner.Train(ctx, task)
		cancel()
		if first != every*stops {
			t.Fatalf("%s: began at update %d, want %d: an update was lost or done twice", task, first, every*stops)
		}
		if err == nil {
			if !record.Equal(got, want) {
				t.Errorf("%s: after %d interruptions it differs: %v", task, stops, record.Compare(want, got))
			}
			if wanted := task.Length.Total() / every; stops != wanted {
				t.Errorf("%s: interrupted %d times, want %d", task, stops, wanted)
			}
			return
		}
		if !errors.Is(err, ErrInterrupted) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%s: %v", task, err)
		}
	}
}

func TestInterruptedInTheTests(t *testing.T) {
	task := tinyTask(t, warping)
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	runner := newRunner(t, engine, dir)
	training, err := runner.open(ctx, task, task.Header(engine), record.Path(dir, task.Header(engine)))
	if err != nil {
		t.Fatal(err)
	}
	if err := training.train(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := training.finish(); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("finish: %v, want an interruption", err)
	}
	training.close()
	runner.Observe = func(s Status) {
		if s.Update != task.Length.Total() {
			t.Errorf("trained again from update %d", s.Update)
		}
	}
	if got := mustTrain(t, runner, task); !record.Equal(got, want) {
		t.Errorf("the record differs: %v", record.Compare(want, got))
	}
}

// sameTrial compares everything that two records say of a trial each, bit for bit.
func sameTrial(t *testing.T, a *record.Record, ra int, b *record.Record, rb int) {
	t.Helper()
	compare := func(what string, x, y []float64) {
		for i := range x {
			if math.Float64bits(x[i]) != math.Float64bits(y[i]) && !(math.IsNaN(x[i]) && math.IsNaN(y[i])) {
				t.Errorf("%s, trials %d and %d: %s is %.17g and %.17g", a.Name(), ra, rb, what, x[i], y[i])
				return
			}
		}
	}
	if len(a.Points) != len(b.Points) {
		t.Fatalf("%d and %d points", len(a.Points), len(b.Points))
	}
	for p := range a.Points {
		what := fmt.Sprintf("%s after update %d", a.Points[p].Series, a.Points[p].Update)
		compare(what, a.Points[p].Values[ra:ra+1], b.Points[p].Values[rb:rb+1])
	}
	for name := range a.End.Final {
		compare("final "+name, a.End.Final[name][ra:ra+1], b.End.Final[name][rb:rb+1])
	}
	for name := range a.End.Vectors {
		compare("final "+name, a.End.Vectors[name][ra], b.End.Vectors[name][rb])
	}
}

// only returns a task of one of its trials.
func only(task experiment.Task, r int) experiment.Task {
	task.Trials = task.Trials[r : r+1]
	network := task.Network.(experiment.Recurrent)
	network.GateInit = one(network.GateInit, r)
	task.Network = network
	task.Optimizer.Rates = one(task.Optimizer.Rates, r)
	data := func(d experiment.Data) experiment.Data {
		if symbols, ok := d.(trial.Symbols); ok {
			symbols.Tasks = one(symbols.Tasks, r)
			return symbols
		}
		return d
	}
	task.Data, task.Tests = data(task.Data), slices.Clone(task.Tests)
	for i := range task.Tests {
		task.Tests[i].Data = data(task.Tests[i].Data)
	}
	return task
}

// one is trial r's, of one for each trial or one for all.
func one[T any](all []T, r int) []T {
	if len(all) == 1 {
		return all
	}
	return all[r : r+1]
}

// A trial whose rate is absurd diverges. Its curve says so from that window on, and no other trial changes by a bit.
func TestDivergingTrialTouchesNoOther(t *testing.T) {
	onEngines(t, func(t *testing.T, engine string) {
		for i := range tiny {
			task := tinyTask(t, i)
			task.Window = 1 // so that the curve has every update
			calm := slices.Repeat(task.Optimizer.Rates, len(task.Trials))
			task.Optimizer.Rates = calm
			want := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
			for r := range task.Trials {
				wild := slices.Clone(calm)
				wild[r] = 3e38
				task.Optimizer.Rates = wild
				got := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
				curve := got.Series(record.Train)
				if v := curve[0].Values[r]; v != want.Series(record.Train)[0].Values[r] {
					t.Errorf("%s, trial %d: the first loss, before any update, is %g", task, r, v)
				}
				// The first update makes weights infinite, so that the second sees NaN and so do all that follow.
				for _, p := range curve[1:] {
					if v := p.Values[r]; !math.IsNaN(v) && !math.IsInf(v, 0) {
						t.Errorf("%s, trial %d: a loss of %g after update %d at a rate of 3e38", task, r, v, p.Update)
						break
					}
				}
				for other := range task.Trials {
					if other != r {
						sameTrial(t, got, other, want, other)
					}
				}
			}
		}
	})
}

// Neither how many threads compute nor what else trains at the same time changes a number.
func TestThreadsAndJobsChangeNothing(t *testing.T) {
	var want []*record.Record
	for i := range tiny {
		want = append(want, mustTrain(t, newRunner(t, "simd:threads=1", t.TempDir()), tinyTask(t, i)))
	}
	for _, threads := range []string{"simd:threads=2", "simd:threads=5", backend.Share("simd", 3)} {
		dir := t.TempDir()
		var wg sync.WaitGroup
		for i := range tiny {
			task := tinyTask(t, i)
			b := newBackend(t, threads)
			wg.Go(func() {
				runner := &Runner{Backend: b, Name: "simd:threads=1", Dir: dir} // the name is a part of the record
				got, err := runner.Train(context.Background(), task)
				if err != nil || !record.Equal(got, want[i]) {
					t.Errorf("%s on %s, three at a time: it differs from one thread's, or %v", task, threads, err)
				}
			})
		}
		wg.Wait()
	}
}

func TestTrainLeavesOtherRecordsAlone(t *testing.T) {
	task := tinyTask(t, copying)
	dir := t.TempDir()
	runner := newRunner(t, engine, dir)
	first := mustTrain(t, runner, task)
	data, err := os.ReadFile(first.Path)
	if err != nil {
		t.Fatal(err)
	}

	again := mustTrain(t, &Runner{Dir: dir, Name: "xla:cpu"}, task) // without a backend: it must not train
	if !record.Equal(first, again) {
		t.Error("a complete record was not returned as it is")
	}

	check := func(what string, task experiment.Task, contents []byte) {
		t.Helper()
		_, err := runner.Train(context.Background(), task)
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), first.Path) {
			t.Errorf("%s: error %v, want one line that names %s", what, err, first.Path)
		}
		if now, err := os.ReadFile(first.Path); err != nil || string(now) != string(contents) {
			t.Errorf("%s: the record was changed", what)
		}
	}
	others, err := tiny[copying].Tasks(experiment.Options{Scale: "quick", Seed: 8})
	if err != nil {
		t.Fatal(err)
	}
	check("another seed", others[0], data)

	edited := []byte(strings.Replace(string(data), `"update":3`, `"update":4`, 1))
	truncated := data[:len(data)-20]
	for what, contents := range map[string][]byte{"an edited record": edited, "a truncated record": truncated} {
		if err := os.WriteFile(first.Path, contents, 0o666); err != nil {
			t.Fatal(err)
		}
		check(what, task, contents)
	}
}

// Two processes train one run: while one does, the other is refused, and once that is interrupted it resumes from there.
func TestOneProcessTrainsARun(t *testing.T) {
	task := tinyTask(t, warping)
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	dir := t.TempDir()
	for begun := 0; begun < task.Length.Total(); begun++ {
		ctx, cancel := context.WithCancel(context.Background())
		first := newRunner(t, engine, dir)
		first.Observe = func(s Status) {
			if s.Update > begun {
				_, err := newRunner(t, engine, dir).Train(context.Background(), task)
				if !errors.Is(err, record.ErrBusy) || strings.Contains(err.Error(), "\n") {
					t.Errorf("a second training: %v, want one line with ErrBusy", err)
				}
				cancel()
			}
		}
		if _, err := first.Train(ctx, task); !errors.Is(err, ErrInterrupted) {
			t.Fatal(err)
		}
	}
	if got := mustTrain(t, newRunner(t, engine, dir), task); !record.Equal(got, want) {
		t.Errorf("the record differs: %v", record.Compare(want, got))
	}
}

// stop begins a task and interrupts it after so many updates.
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

func TestResumeRefusesOtherExperiments(t *testing.T) {
	dir := t.TempDir()
	task := tinyTask(t, copying)
	stop(t, newRunner(t, engine, dir), task, 4)
	checkpoint := record.CheckpointPath(record.Path(dir, task.Header(engine)))
	before, err := os.ReadFile(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*experiment.Task, *Runner){
		"another backend": func(_ *experiment.Task, r *Runner) { r.Name = "xla:cuda" },
		"another rate":    func(e *experiment.Task, _ *Runner) { e.Optimizer.Rates = []float64{2e-2} },
		"a longer run":    func(e *experiment.Task, _ *Runner) { e.Length.Updates++ },
		"one trial fewer": func(e *experiment.Task, _ *Runner) { *e = only(*e, 0) },
	} {
		changed, runner := task, newRunner(t, engine, dir)
		change(&changed, runner)
		if _, err := runner.Train(context.Background(), changed); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line", what, err)
		}
		if after, err := os.ReadFile(checkpoint); err != nil || string(after) != string(before) {
			t.Errorf("%s: the checkpoint was changed", what)
		}
	}
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	if got := mustTrain(t, newRunner(t, engine, dir), task); !record.Equal(got, want) {
		t.Error("the refusals changed the record")
	}
}

func TestUnwritableDirectoryIsOneLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	runner := newRunner(t, engine, filepath.Join(file, "records"))
	_, err := runner.Train(context.Background(), tinyTask(t, copying))
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v, want one line that names %s", err, file)
	}
}

// A path is a path, whatever is in it: none of these is a pattern, an option or somebody's home.
func TestAnyPathWorks(t *testing.T) {
	t.Chdir(t.TempDir())
	task := tinyTask(t, copying)
	want := mustTrain(t, newRunner(t, engine, "records"), task)
	for _, dir := range []string{"[a-z]", "a b", "~", "~root", "-out", "two\nlines", "ä*?", "per%cent", `back\slash`} {
		stop(t, newRunner(t, engine, dir), task, 4)
		stop(t, newRunner(t, engine, dir), task, 9)
		if got := mustTrain(t, newRunner(t, engine, dir), task); !record.Equal(got, want) {
			t.Errorf("in %q: the record differs", dir)
		}
		if left, _ := os.ReadDir(filepath.Join(dir, "test", "tiny-copy")); len(left) != 1 {
			t.Errorf("in %q: left behind %v", dir, left)
		}
	}
}
