package replication

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/task"
)

// tiny are figures small enough to be trained many times in a test: one for each kind of task, and one with everything a run can have.
var tiny = []Figure{
	{Name: "tiny-copy", Panels: []Panel{
		copyPanel("copy", "Copy", 1.5, func(s Settings, _ float64) task.Task { return task.Copy{T: s.T} },
			map[string]Settings{"quick": {T: 5, Hidden: 4, Batch: 2, Steps: 13, Window: 3, Trials: 2}}),
	}},
	{Name: "tiny-adding", Panels: []Panel{
		addingPanel("adding", "Adding", map[string]Settings{"quick": {T: 6, Hidden: 4, Batch: 3, Steps: 12, Window: 5, Trials: 2}}),
	}},
	{Name: "tiny-warp", Panels: []Panel{{
		Name: "warp", Arms: []Arm{{Name: "gated", Cell: "gated", Gates: halfOpen}}, Final: "loss",
		Task:       func(s Settings, x float64) task.Task { return task.Warp{Length: s.T, Min: 1, Max: int(x)} },
		Memoryless: func(s Settings, x float64) float64 { return 1 },
		Best:       func(Settings, float64) float64 { return 0 },
		Tests: func(s Settings, x float64) []Test {
			return []Test{
				{Task: task.Warp{Length: s.T, Min: 1, Max: int(x)}, Split: "test", Loss: "test_loss", Accuracy: "test_accuracy"},
				{Task: task.Warp{Length: 2 * s.T, Min: 2, Max: 4}, Split: "test", Accuracy: TestAccuracy(4)},
			}
		},
		Scales: map[string]Settings{"quick": {T: 8, Hidden: 4, Batch: 4, Steps: 14, Window: 4, Trials: 2,
			Rate:      0.3, // too high, so that some rates are halved
			Sequences: 20, HalveAfter: 3, Valid: 8, Test: 8, Sweep: []float64{1, 3}}},
	}}},
}

func tinyRun(t testing.TB, figure int) Run {
	t.Helper()
	runs, err := tiny[figure].Runs(Options{Scale: "quick", Seed: 7})
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	return runs[0]
}

// engine is what the tests compute with that do not need both.
const engine = "simd"

// onEngines runs a test on this module's own backend and on GoMLX's.
func onEngines(t *testing.T, test func(t *testing.T, engine string)) {
	for _, engine := range []string{"simd", "go"} {
		t.Run(engine, func(t *testing.T) { test(t, engine) })
	}
}

func newRunner(t testing.TB, engine, dir string) *Runner {
	return &Runner{Backend: newBackend(t, engine), Name: engine, Dir: dir}
}

func mustTrain(t testing.TB, r *Runner, run Run) *Record {
	t.Helper()
	record, err := r.Train(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func TestTrainWritesACompleteRecord(t *testing.T) {
	for i := range tiny {
		run := tinyRun(t, i)
		var steps []int
		var done bool
		dir := t.TempDir()
		runner := newRunner(t, engine, dir)
		runner.Observe = func(s Status) {
			steps = append(steps, s.Step)
			done = s.Done
		}
		record := mustTrain(t, runner, run)

		s := run.Settings
		var points []int
		for _, p := range record.Series("train") {
			points = append(points, p.Step)
			for _, v := range p.Values {
				if !(v > 0 && v < 100) {
					t.Errorf("%s: loss %g at step %d", run, v, p.Step)
				}
			}
		}
		if last := points[len(points)-1]; last != s.Steps || points[0] != s.Window {
			t.Errorf("%s: points at %v, want every %d steps and at %d", run, points, s.Window, s.Steps)
		}
		if record.End.Steps != s.Steps || !(record.End.Seconds > 0) {
			t.Errorf("%s: ended after %d steps in %g seconds", run, record.End.Steps, record.End.Seconds)
		}
		if got, want := fmt.Sprint(record.End.Final[run.final]), fmt.Sprint(record.Series("train")[len(points)-1].Values); got != want {
			t.Errorf("%s: final %s is %s, want the last point %s", run, run.final, got, want)
		}
		if len(steps) != s.Steps+2 || steps[0] != 0 || !done {
			t.Errorf("%s: observed at %v, done %v; want the start, each step and the end", run, steps, done)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, run.Figure, "*")); len(left) != 1 {
			t.Errorf("%s: left behind %v, want the record alone", run, left)
		}
	}
}

func TestWarpRecordHasItsTests(t *testing.T) {
	run := tinyRun(t, 2)
	record := mustTrain(t, newRunner(t, engine, t.TempDir()), run)
	for _, name := range []string{"test_loss", "test_accuracy", TestAccuracy(4), "memoryless_loss", "best_loss"} {
		values := record.End.Final[name]
		if len(values) != len(run.Models) {
			t.Fatalf("final %s has %d values, want %d", name, len(values), len(run.Models))
		}
		if strings.Contains(name, "accuracy") {
			for _, v := range values {
				if v < 0 || v > 1 {
					t.Errorf("%s is %g", name, v)
				}
			}
		}
	}
	if len(record.Series("valid")) != run.Settings.Steps/run.Settings.HalveAfter {
		t.Errorf("%d evaluations, want one every %d steps", len(record.Series("valid")), run.Settings.HalveAfter)
	}
}

func TestInterruptedRunEqualsUninterrupted(t *testing.T) {
	onEngines(t, interruptedRunEqualsUninterrupted)
}

func interruptedRunEqualsUninterrupted(t *testing.T, engine string) {
	for i := range tiny {
		run := tinyRun(t, i)
		want := mustTrain(t, newRunner(t, engine, t.TempDir()), run)

		dir := t.TempDir()
		stops := 0
		for {
			ctx, cancel := context.WithCancel(context.Background())
			from := -1
			runner := newRunner(t, engine, dir)
			runner.Checkpoint = time.Hour
			runner.Observe = func(s Status) {
				if from < 0 {
					from = s.Step
				}
				if s.Step == from+5 {
					cancel()
				}
			}
			got, err := runner.Train(ctx, run)
			cancel()
			if err == nil {
				if !Equal(got, want) {
					t.Errorf("%s: the record after %d interruptions differs", run, stops)
				}
				break
			}
			if !errors.Is(err, ErrInterrupted) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%s: %v", run, err)
			}
			stops++
			if want := 5 * stops; from+5 != want {
				t.Fatalf("%s: stopped at step %d, want %d: a step was lost or done twice", run, from+5, want)
			}
		}
		if want := (run.Settings.Steps - 1) / 5; stops != want {
			t.Errorf("%s: interrupted %d times, want %d", run, stops, want)
		}
	}
}

func TestInterruptedInTheTests(t *testing.T) {
	run := tinyRun(t, 2)
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), run)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	runner := newRunner(t, engine, dir)
	tr, err := runner.open(ctx, run, run.Header(engine), RecordPath(dir, run.Header(engine)))
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.train(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := tr.finish(); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("finish: %v, want an interruption", err)
	}
	tr.close()
	runner.Observe = func(s Status) {
		if s.Step != run.Settings.Steps {
			t.Errorf("trained again from step %d", s.Step)
		}
	}
	if got := mustTrain(t, runner, run); !Equal(got, want) {
		t.Error("the record differs")
	}
}

// A process that trains, to be killed: see TestKilledRunEqualsUninterrupted.
func TestMain(m *testing.M) {
	if dir := os.Getenv("REPLICATION_TEST_TRAIN"); dir != "" {
		if err := trainForTest(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func trainForTest(dir string) error {
	engine := os.Getenv("REPLICATION_TEST_ENGINE")
	b, err := backend.New(engine)
	if err != nil {
		return err
	}
	runs, err := tiny[2].Runs(Options{Scale: "quick", Seed: 7})
	if err != nil {
		return err
	}
	every, err := time.ParseDuration(os.Getenv("REPLICATION_TEST_CHECKPOINT"))
	if err != nil {
		return err
	}
	r := Runner{Backend: b, Name: engine, Dir: dir, Checkpoint: every, Observe: func(s Status) { fmt.Println("step", s.Step, s.First) }}
	_, err = r.Train(context.Background(), runs[0])
	return err
}

func TestKilledRunEqualsUninterrupted(t *testing.T) { onEngines(t, killedRunEqualsUninterrupted) }

func killedRunEqualsUninterrupted(t *testing.T, engine string) {
	run := tinyRun(t, 2)
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), run)

	// With a checkpoint after every step, a process killed after it announced step n has saved n−1 at least, and may be killed
	// while it writes. With none, everything is done again.
	for every, lost := range map[string]int{"1ns": 1, "1h": run.Settings.Steps} {
		dir := t.TempDir()
		at := 0
		for kills := 0; kills < 4; kills++ {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "REPLICATION_TEST_TRAIN="+dir, "REPLICATION_TEST_CHECKPOINT="+every, "REPLICATION_TEST_ENGINE="+engine)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			first := -1
			for lines := bufio.NewScanner(out); lines.Scan(); {
				var step, from int
				if n, _ := fmt.Sscanf(lines.Text(), "step %d %d", &step, &from); n != 2 {
					t.Fatalf("the process says %q", lines.Text())
				}
				if first < 0 {
					if first = from; first < at-lost {
						t.Errorf("resumed at step %d after a kill at %d", first, at)
					}
				}
				if step == first+3 {
					at = step
					cmd.Process.Kill()
				}
			}
			cmd.Wait()
		}
		got := mustTrain(t, newRunner(t, engine, dir), run)
		if !Equal(got, want) {
			t.Errorf("checkpoints every %s: the record after kills differs", every)
		}
	}
}

func TestTrialAloneEqualsAmongOthers(t *testing.T) { onEngines(t, trialAloneEqualsAmongOthers) }

func trialAloneEqualsAmongOthers(t *testing.T, engine string) {
	for i := range tiny {
		run := tinyRun(t, i)
		among := mustTrain(t, newRunner(t, engine, t.TempDir()), run)
		for r := range run.Models {
			alone := mustTrain(t, newRunner(t, engine, t.TempDir()), run.only(r))
			for p := range among.Points {
				if a, b := alone.Points[p].Values[0], among.Points[p].Values[r]; a != b {
					t.Fatalf("%s, model %d, step %d: loss %.17g alone, %.17g among others", run, r, among.Points[p].Step, a, b)
				}
			}
			for name, values := range among.End.Final {
				if a, b := alone.End.Final[name][0], values[r]; a != b {
					t.Errorf("%s, model %d: %s %.17g alone, %.17g among others", run, r, name, a, b)
				}
			}
		}
	}
}

// only returns a run of one of the models.
func (r Run) only(i int) Run {
	r.Models, r.tasks, r.inits, r.rates, r.memoryless = r.Models[i:i+1], r.tasks[i:i+1], r.inits[i:i+1], r.rates[i:i+1], r.memoryless[i:i+1]
	if r.best != nil {
		r.best = r.best[i : i+1]
	}
	var tests [][]Test
	for _, test := range r.tests {
		tests = append(tests, test[i:i+1])
	}
	r.tests = tests
	return r
}

func TestDivergingTrialStopsNoOther(t *testing.T) {
	run := tinyRun(t, 1)
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), run)
	run.rates = append([]float64{1e38}, run.rates[1:]...)
	got := mustTrain(t, newRunner(t, engine, t.TempDir()), run)
	last, lastWant := got.End.Final["mse"], want.End.Final["mse"]
	if v := last[0]; !math.IsNaN(v) && !math.IsInf(v, 0) && v < 1e6 {
		t.Errorf("a trial with a rate of 1e38 has an error of %g", v)
	}
	for r := 1; r < len(last); r++ {
		if last[r] != lastWant[r] {
			t.Errorf("trial %d: %g beside a diverging one, %g else", r, last[r], lastWant[r])
		}
	}
}

func TestTrainLeavesOtherRecordsAlone(t *testing.T) {
	run := tinyRun(t, 0)
	dir := t.TempDir()
	runner := newRunner(t, engine, dir)
	first := mustTrain(t, runner, run)
	data, err := os.ReadFile(first.Path)
	if err != nil {
		t.Fatal(err)
	}

	again := mustTrain(t, &Runner{Dir: dir, Name: "xla:cpu"}, run) // without a backend: it must not train
	if !Equal(first, again) {
		t.Error("a complete record was not returned as it is")
	}

	check := func(what string, run Run, contents []byte) {
		t.Helper()
		_, err := runner.Train(context.Background(), run)
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), first.Path) {
			t.Errorf("%s: error %v, want one line that names %s", what, err, first.Path)
		}
		if now, err := os.ReadFile(first.Path); err != nil || string(now) != string(contents) {
			t.Errorf("%s: the record was changed", what)
		}
	}
	other, err := tiny[0].Runs(Options{Scale: "quick", Seed: 8})
	if err != nil {
		t.Fatal(err)
	}
	check("another seed", other[0], data)

	edited := []byte(strings.Replace(string(data), `"step":3`, `"step":4`, 1))
	truncated := data[:len(data)-20]
	for what, contents := range map[string][]byte{"an edited record": edited, "a truncated record": truncated} {
		if err := os.WriteFile(first.Path, contents, 0o666); err != nil {
			t.Fatal(err)
		}
		check(what, run, contents)
	}
}

func TestOneProcessTrainsARun(t *testing.T) {
	run := tinyRun(t, 0)
	dir := t.TempDir()
	runner := newRunner(t, engine, dir)
	first, err := runner.open(context.Background(), run, run.Header(engine), RecordPath(dir, run.Header(engine)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runner.Train(context.Background(), run); !errors.Is(err, ErrBusy) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a second training: %v, want one line with ErrBusy", err)
	}
	first.close()
	mustTrain(t, runner, run)
}

func TestResumeRefusesOtherSettings(t *testing.T) {
	dir := t.TempDir()
	run := tinyRun(t, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // done after the first step
	runner := newRunner(t, engine, dir)
	if _, err := runner.Train(ctx, run); !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
	before, err := os.ReadFile(PartialPath(RecordPath(dir, run.Header(engine))))
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*Run, *Runner){
		"another backend": func(_ *Run, r *Runner) { r.Name = "xla:cuda" },
		"more trials": func(run *Run, _ *Runner) {
			runs, err := tiny[0].Runs(Options{Scale: "quick", Seed: 7, Trials: 3})
			if err != nil {
				t.Fatal(err)
			}
			*run = runs[0]
		},
	} {
		changedRun, changedRunner := run, *runner
		change(&changedRun, &changedRunner)
		if _, err := changedRunner.Train(context.Background(), changedRun); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line", what, err)
		}
		if after, err := os.ReadFile(PartialPath(RecordPath(dir, run.Header(engine)))); err != nil || string(after) != string(before) {
			t.Errorf("%s: the unfinished record was changed", what)
		}
	}
	mustTrain(t, runner, run) // nothing was lost
}

func TestDamagedCheckpointIsOneLine(t *testing.T) {
	run := tinyRun(t, 0)
	for what, damage := range map[string]func(file string) bool{
		"weights cut off": func(file string) bool { return filepath.Ext(file) == ".bin" },
		"weights' list cut off": func(file string) bool {
			return filepath.Ext(file) == ".json" && filepath.Base(file) != stateFile
		},
		"state cut off": func(file string) bool { return filepath.Base(file) == stateFile },
	} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		runner := newRunner(t, engine, dir)
		if _, err := runner.Train(ctx, run); !errors.Is(err, ErrInterrupted) {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(checkpointDir(RecordPath(dir, run.Header(engine))), "*"))
		damaged := 0
		for _, file := range files {
			if damage(file) {
				damaged++
				if err := os.Truncate(file, 10); err != nil {
					t.Fatal(err)
				}
			}
		}
		if damaged != 1 {
			t.Fatalf("%s: damaged %d of %v", what, damaged, files)
		}
		if _, err := runner.Train(context.Background(), run); err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "checkpoint") {
			t.Errorf("%s: error %v, want one line about the checkpoint", what, err)
		}
	}
}

func TestUnwritableDirectoryIsOneLine(t *testing.T) {
	run := tinyRun(t, 0)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := (newRunner(t, engine, filepath.Join(file, "records"))).Train(context.Background(), run)
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v, want one line that names %s", err, file)
	}
}

func TestRunnerTakesInitsFromTheArms(t *testing.T) {
	run := tinyRun(t, 0)
	network, err := newNetwork(run)
	if err != nil {
		t.Fatal(err)
	}
	for r, m := range run.Models {
		b := network.inits[r](chrono.RNG(1), 50)
		isChrono := b.Input[0] == -b.Forget[0] && b.Forget[0] != b.Forget[1]
		isStandard := b.Input[0] == 0 && b.Forget[0] == 1
		if m.Arm == "chrono" != isChrono || m.Arm == "standard" != isStandard {
			t.Errorf("arm %s starts with biases %v, %v", m.Arm, b.Forget[:2], b.Input[:2])
		}
	}
}

// The engines compute the same but for the order of their additions and their approximations of exp and tanh. Over these few steps losses
// in float32, exact to 1e-7, drift apart by no more than 1e-5 of their size.
func TestEnginesAgree(t *testing.T) {
	for i := range tiny {
		run := tinyRun(t, i)
		run.rates = make([]float64, len(run.Models))
		for r := range run.rates {
			run.rates[r] = 1e-3 // at a high rate the differences would grow
		}
		ours := mustTrain(t, newRunner(t, "simd", t.TempDir()), run)
		theirs := mustTrain(t, newRunner(t, "go", t.TempDir()), run)
		for p := range ours.Points {
			for r, v := range ours.Points[p].Values {
				if w := theirs.Points[p].Values[r]; math.Abs(v-w) > 1e-5*math.Abs(w) {
					t.Errorf("%s, model %d, step %d of %s: simd %g, go %g", run, r, ours.Points[p].Step, ours.Points[p].Series, v, w)
				}
			}
		}
	}
}
