package replication

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/dataset"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/metric"

	"github.com/warptime/warptime/chrono/task"
)

// A Runner trains runs and writes their records.
type Runner struct {
	Backend compute.Backend
	Name    string // of the backend, as in the record: "xla:cpu"
	Dir     string // of the records; see RecordPath

	// Checkpoint is the time between two checkpoints: what a killed run has to do again. A minute if it is 0.
	Checkpoint time.Duration

	// Observe, if not nil, is called after every step of training and at its start and end.
	Observe func(Status)
}

// Status is how far a run is.
type Status struct {
	Run    *Run
	Step   int       // steps of training done
	First  int       // of them, in an earlier process
	Losses []float64 // [R], of the last step; nil at the start
	Done   bool      // the record is complete
}

// ErrInterrupted is returned, wrapped, by Train if its context is done. The run is then saved to be resumed from where it stopped.
var ErrInterrupted = errors.New("interrupted")

// Train trains a run and returns its complete record. A record that is already there is returned as it is; a run that was
// interrupted, or killed, goes on from its last checkpoint, and its record will be the same, bit for bit, as if nothing had
// happened (as far as the backend computes the same twice; GoMLX's Go backend does).
//
// When ctx is done, Train finishes the step it is at, saves a checkpoint and returns ErrInterrupted.
//
// Any other error is one line. A record of other settings, an edited one, or one that another process is writing is left as it is.
func (r *Runner) Train(ctx context.Context, run Run) (*Record, error) {
	header := run.Header(r.Name)
	path := RecordPath(r.Dir, header)
	if record, err := r.complete(path, header); record != nil || err != nil {
		return record, err
	}
	t, err := r.open(ctx, run, header, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run, err)
	}
	defer t.close()
	err = t.train()
	if err == nil {
		err = t.finish()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run, oneLine(err))
	}
	return Read(path)
}

// complete returns the record at path if it is that of the run, nil if there is none, and an error if it is another's.
func (r *Runner) complete(path string, h Header) (*Record, error) {
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	record, err := Read(path)
	if err != nil {
		return nil, err
	}
	there := record.Header
	there.Backend = h.Backend // evidence from any backend is evidence
	if !sameRun(there, h) {
		return nil, fmt.Errorf("record %s is of a run with other settings, trials or seeds: move it away, or choose another directory", path)
	}
	// Left behind by a process that died between the two.
	return record, os.RemoveAll(checkpointDir(path))
}

// training is a run in progress.
type training struct {
	ctx    context.Context
	runner *Runner
	run    Run

	store     *model.Store
	network   *network
	optimizer RMSprop
	trainer   *train.Trainer
	loop      *train.Loop
	loss      int // place of the losses of each trial among the training metrics

	record *Writer
	saved  *checkpoints
	progress
	first     int       // step at which this process started
	started   time.Time // when Seconds was last brought up to date
	lastSaved time.Time
	failed    error // why step ended the loop
}

// open builds the model and loads the checkpoint of the run if it has one.
func (r *Runner) open(ctx context.Context, run Run, h Header, path string) (*training, error) {
	t := &training{ctx: ctx, runner: r, run: run, store: model.NewStore()}
	var err error
	if t.network, err = newNetwork(run); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	saved, err := readProgress(checkpointDir(path)) // looked at before it is touched
	if err != nil {
		return nil, err
	}
	h.Environment, h.Started = environment(r.Backend), time.Now().UTC().Format(time.RFC3339)
	if saved == nil {
		t.record, err = Create(path, h, false)
	} else {
		t.record, err = Resume(path, h, saved.Step, false)
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("checkpoint %s has lost its record; without that directory the run starts anew", checkpointDir(path))
		}
	}
	if err != nil {
		return nil, err
	}
	if t.saved, saved, err = openCheckpoints(checkpointDir(path), t.store); err != nil {
		t.record.Close()
		return nil, err
	}
	if saved != nil {
		t.progress = *saved
	} else {
		t.progress = progress{Sum: make(Values, len(run.Models)), Halving: halving{Rates: slices.Clone(run.rates)}}
	}
	t.first = t.Step
	t.build()
	if n := t.trainer.GlobalStep(); n != int64(t.Step) {
		t.close()
		return nil, fmt.Errorf("checkpoint %s has weights of step %d and a record of step %d", checkpointDir(path), n, t.Step)
	}
	return t, nil
}

// build makes GoMLX's trainer and loop.
func (t *training) build() {
	s := t.run.Settings
	t.optimizer = RMSprop{Rates: t.run.rates, Alpha: s.Alpha, Epsilon: s.Epsilon}
	evaluated := []metric.Interface{&perTrial{name: "loss", value: losses}}
	if _, ok := t.run.tasks[0].(task.Symbols); ok {
		evaluated = append(evaluated, &perTrial{name: "accuracy", value: accuracies})
	}
	t.trainer = train.NewTrainer(t.runner.Backend, t.store, t.network.predict, t.network.loss, t.optimizer,
		[]metric.Interface{&perTrial{name: "loss", value: losses}}, evaluated)
	t.loss = len(t.trainer.TrainMetrics()) - 1
	t.loop = train.NewLoop(t.trainer)
	t.loop.OnStep("step", 0, func(_ *train.Loop, metrics []*tensors.Tensor) error {
		t.failed = t.step(toFloat64(metrics[t.loss]))
		return t.failed
	})
}

func (t *training) close() {
	t.record.Close()
	t.store.Finalize()
}

// train does the steps that are left.
func (t *training) train() error {
	stream, err := task.Dataset(t.run.tasks, t.seeds(), t.run.Settings.Batch, t.Step, "train")
	if err != nil {
		return err
	}
	if n := t.run.Settings.Sequences; n > 0 {
		stream.Sequences(n)
	}
	t.started, t.lastSaved = time.Now(), time.Now()
	t.observe(nil, false)
	if _, err = t.loop.RunSteps(stream, t.run.Settings.Steps-t.Step); t.failed != nil {
		return t.failed // without what GoMLX puts around it
	}
	if err == nil && t.first < t.Step {
		err = t.save() // so that tests which are interrupted start with the trained model
	}
	return err
}

// step is called after each step of training with the loss of each trial, [R].
func (t *training) step(losses []float64) error {
	t.Step++
	for r, loss := range losses {
		t.Sum[r] += loss
	}
	t.Count++
	if t.Step%t.run.Settings.Window == 0 || t.Step == t.run.Settings.Steps {
		if err := t.point(); err != nil {
			return err
		}
	}
	t.observe(losses, false)
	if n := t.run.Settings.HalveAfter; n > 0 && t.Step%n == 0 {
		if err := t.halve(); err != nil {
			return err
		}
	}
	if t.ctx.Err() != nil {
		if err := t.save(); err != nil {
			return err
		}
		return fmt.Errorf("%w at step %d of %d", ErrInterrupted, t.Step, t.run.Settings.Steps)
	}
	every := t.runner.Checkpoint
	if every == 0 {
		every = time.Minute
	}
	if time.Since(t.lastSaved) >= every && t.Step < t.run.Settings.Steps {
		return t.save()
	}
	return nil
}

// point records the mean loss of each trial since the last point.
func (t *training) point() error {
	t.Last = make(Values, len(t.Sum))
	for r, sum := range t.Sum {
		t.Last[r] = sum / float64(t.Count)
		t.Sum[r] = 0
	}
	t.Count = 0
	return t.record.Point(t.Step, "train", t.Last)
}

// halve evaluates the trials on the validation set and adjusts their learning rates.
func (t *training) halve() error {
	s := t.run.Settings
	results, err := t.evaluate(context.Background(), t.run.tasks, s.Valid, "valid") // a part of the step, and as short
	if err != nil {
		return err
	}
	if err := t.record.Point(t.Step, "valid", results[0]); err != nil {
		return err
	}
	if !t.Halving.evaluate(results[0]) {
		return nil
	}
	rates := make([]float32, len(t.Halving.Rates))
	for r, rate := range t.Halving.Rates {
		rates[r] = float32(rate)
	}
	return t.optimizer.LearningRates(t.store).SetValue(tensors.FromValue(rates))
}

// evaluate returns the mean loss and, for symbols, the accuracy of each trial, [R] each, on the given number of sequences of a split.
func (t *training) evaluate(ctx context.Context, tasks []task.Task, sequences int, split string) ([][]float64, error) {
	stream, err := task.Dataset(tasks, t.seeds(), t.run.Settings.Batch, 0, split)
	if err != nil {
		return nil, err
	}
	batches := dataset.Take(stream, sequences/t.run.Settings.Batch)
	values, err := t.trainer.Eval(until{ctx, batches})
	if err != nil {
		return nil, err
	}
	var results [][]float64
	for _, v := range values[1:] { // the first is GoMLX's own, the sum over trials
		results = append(results, toFloat64(v))
	}
	return results, nil
}

// until is a dataset that fails with ErrInterrupted once its context is done.
type until struct {
	ctx context.Context
	train.Dataset
}

func (u until) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		for batch, err := range u.Dataset.Iter() {
			if u.ctx.Err() != nil {
				err = ErrInterrupted
			}
			if !yield(batch, err) || err != nil {
				return
			}
		}
	}
}

// finish tests the trained models and completes the record.
func (t *training) finish() error {
	final := map[string][]float64{t.run.final: t.Last}
	for _, tests := range t.run.tests {
		var tasks []task.Task
		for _, test := range tests {
			tasks = append(tasks, test.Task)
		}
		results, err := t.evaluate(t.ctx, tasks, t.run.Settings.Test, tests[0].Split)
		if errors.Is(err, ErrInterrupted) {
			return fmt.Errorf("%w in the tests after training", ErrInterrupted)
		}
		if err != nil {
			return err
		}
		for i, name := range []string{tests[0].Loss, tests[0].Accuracy} {
			if name != "" {
				final[name] = results[i]
			}
		}
	}
	if t.run.Settings.Sweep != nil { // what to compare the losses with at each x; else the settings say it
		final["memoryless_loss"] = t.run.memoryless
		final["best_loss"] = t.run.best
	}
	t.clock()
	if err := t.record.Finish(t.Step, t.Seconds, final); err != nil {
		return err
	}
	t.observe(nil, true)
	return t.saved.remove()
}

// save writes a checkpoint of this step.
func (t *training) save() error {
	if err := t.record.Sync(); err != nil {
		return err
	}
	t.clock()
	err := t.saved.save(t.progress, t.store)
	t.lastSaved = time.Now()
	return err
}

// clock brings Seconds up to date.
func (t *training) clock() {
	now := time.Now()
	t.Seconds += now.Sub(t.started).Seconds()
	t.started = now
}

func (t *training) seeds() []uint64 {
	seeds := make([]uint64, len(t.run.Models))
	for r, m := range t.run.Models {
		seeds[r] = m.Seed
	}
	return seeds
}

func (t *training) observe(losses []float64, done bool) {
	if t.runner.Observe != nil {
		t.runner.Observe(Status{Run: &t.run, Step: t.Step, First: t.first, Losses: losses, Done: done})
	}
}

// oneLine cuts an error that came through GoMLX down to its first line.
func oneLine(err error) error {
	if line := firstLine(err); line != err.Error() {
		return errors.New(line)
	}
	return err
}
