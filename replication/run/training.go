package run

import (
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/support/xslices"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/metric"

	"github.com/warptime/warptime/chrono/loader"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

type training struct {
	ctx    context.Context
	runner *Runner
	task   experiment.Task

	store   *model.Store
	trainer *train.Trainer
	loop    *train.Loop
	tests   []*test

	record *record.Writer
	loaded int // variables of the checkpoint
	Update int // updates done
	state
	first     int       // update at which this process started
	started   time.Time // when Seconds was last brought up to date
	lastSaved time.Time
	saving    time.Duration // the last checkpoint took
	failed    error         // why an update ended the loop
	tested    int           // see Status
}

// state is what a run needs to go on from an update, besides its variables and its record.
type state struct {
	Seconds float64       // the updates took
	Sum     record.Values // [R] losses since the last point of the curve, added up
}

// open takes the record's lock, then reads the checkpoint if there is one, and builds the model.
func (r *Runner) open(ctx context.Context, task experiment.Task, h record.Header, path string) (*training, error) {
	t := &training{
		ctx: ctx, runner: r, task: task, store: model.NewStore(),
		state: state{Sum: make(record.Values, len(task.Trials))},
	}
	h.Environment, h.Started = environment(r.Backend), time.Now().UTC().Format(time.RFC3339)
	if r.Rules != nil {
		h.Rules = r.Rules(h)
	}
	var err error
	if t.record, err = record.Open(path, h); err != nil {
		return nil, err
	}
	if err = t.load(); err != nil {
		err = fmt.Errorf("checkpoint %s cannot be resumed from: %w; delete it to start over",
			record.CheckpointPath(path), oneLine(err))
	} else {
		err = t.build()
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// load resumes from the checkpoint that the record has opened, if there was one.
func (t *training) load() error {
	update, saved := t.record.Checkpoint()
	if saved == nil {
		return nil
	}
	var err error
	if t.state, err = decode(saved, t.store); err != nil {
		return err
	}
	if fits := record.Finite(t.Seconds) && t.Seconds >= 0 && len(t.Sum) == len(t.task.Trials); !fits {
		return errors.New("it does not fit the experiment")
	}
	t.Update, t.first, t.loaded = update, update, t.store.NumVariables()
	return nil
}

func (t *training) series(name string) [][]float64 {
	return xslices.Map(t.record.Record().Series(name), func(p record.Point) []float64 { return p.Values })
}

// resumed returns an error if the training has made a variable that the checkpoint does not have. Nothing is saved
// then: the variable has its initial value, in the middle of a training. Tests may have variables of their own, which
// are not trained.
func (t *training) resumed(tests bool) error {
	n := 0
	for v := range t.store.IterVariables() {
		if n++; t.loaded > 0 && n > t.loaded && !isMetric(v) && (v.Trainable || !tests) {
			checkpoint := record.CheckpointPath(record.Path(t.runner.Dir, t.record.Record().Header))
			return fmt.Errorf("checkpoint %s cannot be resumed from: it is of another version of this program, "+
				"without the variable %s; go on with that version, or choose another directory", checkpoint, v.Path())
		}
	}
	return nil
}

func (t *training) build() error {
	predict := func(scope *model.Scope, inputs []*graph.Node) *graph.Node {
		return t.task.Network.Build(scope, t.task.Seeds(), inputs).Prediction
	}
	loss := func(labels, predictions []*graph.Node) *graph.Node {
		return trial.Total(t.task.Loss.Losses(labels[0], predictions[0]))
	}
	losses := []metric.Interface{trial.Metric("loss", func(labels, prediction *graph.Node) *graph.Node {
		return graph.ConvertDType(t.task.Loss.Losses(labels, prediction), dtypes.Float64)
	})}
	t.trainer = train.NewTrainer(t.runner.Backend, t.store, predict, loss, t.task.Optimizer, losses, nil)
	place := len(t.trainer.TrainMetrics()) - 1
	t.loop = train.NewLoop(t.trainer)
	t.loop.OnStep("update", 0, func(loop *train.Loop, metrics []*tensors.Tensor) error {
		t.failed = t.update(metrics[place].Value().([]float64))
		return t.failed
	})
	for _, e := range t.task.Tests {
		test, err := t.newTest(e)
		if err != nil {
			return err
		}
		t.tests = append(t.tests, test)
	}
	return nil
}

func (t *training) close() {
	t.record.Close()
	if t.trainer != nil {
		t.trainer.ResetComputationGraphs()
	}
	for _, test := range t.tests {
		test.exec.Finalize()
	}
	t.store.Finalize()
}

// train does the updates that are left.
func (t *training) train() error {
	batches, err := t.task.Data.Open(t.task.Seeds())
	if err != nil {
		return err
	}
	t.started, t.lastSaved = time.Now(), time.Now()
	if t.Update == 0 {
		if err := t.save(); err != nil { // for those who watch; and a full disk is noticed now
			return err
		}
	}
	t.observe(false)
	if _, err = t.loop.RunSteps(loader.New(batches, t.Update), t.task.Length.Total()-t.Update); t.failed != nil {
		return t.failed // without what GoMLX puts around it
	}
	if err == nil && t.first < t.Update {
		err = t.save() // so that tests which are interrupted start with the trained model
	}
	return err
}

// update is called after each update with the loss of each trial, [R].
func (t *training) update(losses []float64) error {
	if t.Update == t.first {
		if err := t.resumed(false); err != nil {
			return err
		}
	}
	t.Update++
	for r, loss := range losses {
		if slices.ContainsFunc(t.record.Record().Diverged, func(d record.Diverged) bool { return d.Trial == r }) {
			loss = math.NaN() // even if it should be a number again
		} else if math.IsNaN(loss) || math.IsInf(loss, 0) {
			if err := t.diverge(r); err != nil {
				return err
			}
		}
		t.Sum[r] += loss
	}
	if t.Update%t.task.Window == 0 || t.Update == t.task.Length.Total() {
		t.mean()
	}
	t.observe(false)
	if err := t.runTests(); err != nil {
		return err
	}
	if err := t.changeRates(); err != nil {
		return err
	}
	if m := t.runner.moves; m != nil && t.Update >= m.since {
		if err := t.move(m.seed); err != nil {
			return err
		}
	}
	if t.ctx.Err() != nil {
		if err := t.save(); err != nil {
			return err
		}
		return fmt.Errorf("%w at update %d of %d", ErrInterrupted, t.Update, t.task.Length.Total())
	}
	if (saveAlways || time.Since(t.lastSaved) >= t.interval()) && t.Update < t.task.Length.Total() {
		return t.save()
	}
	return nil
}

// interval is the time between two checkpoints. It is short at first, for those who watch, and later a minute, which is
// what a killed run has to do again. Where saving is slow it is up to ten minutes, so that saving takes at most a
// twentieth of the time; but not more, because a slow save may have been the file system's bad moment.
func (t *training) interval() time.Duration {
	tenth := time.Duration(t.Seconds * float64(time.Second) / 10)
	return max(2*time.Second, min(time.Minute, tenth), min(10*time.Minute, 20*t.saving))
}

// saveAlways is set by tests that want a checkpoint after every update.
var saveAlways bool

func (t *training) diverge(r int) error {
	value, err := t.task.Optimizer.GradientNorms(t.store).Value()
	if err != nil {
		return err
	}
	norms, so := value.Value().([][]float64), t.record.Record()
	so.Diverged = append(so.Diverged, record.Diverged{
		Update: t.Update, Trial: r, Norms: record.Values{norms[0][r], norms[1][r]},
	})
	return nil
}

func (t *training) mean() {
	means := make([]float64, len(t.Sum))
	count := cmp.Or(t.Update%t.task.Window, t.task.Window) // the last window may be a shorter one
	for r, sum := range t.Sum {
		means[r] = sum / float64(count)
		t.Sum[r] = 0
	}
	t.add(record.Point{Update: t.Update, Series: record.Train, Values: means})
}

func (t *training) add(points ...record.Point) {
	so := t.record.Record()
	so.Points = append(so.Points, points...)
}

// runTests runs the tests that are due after this update. They are a part of it, and not interrupted.
func (t *training) runTests() error {
	for _, test := range t.tests {
		if test.Every == 0 || t.Update%test.Every != 0 {
			continue
		}
		points, err := test.run(context.Background(), t.Update, func() {})
		if err != nil {
			return err
		}
		t.add(points...)
	}
	return nil
}

// changeRates multiplies the learning rates, which the optimizer keeps, by what the rule says.
func (t *training) changeRates() error {
	factors, err := t.task.Schedule.Factors(t.Update, t.series)
	if err != nil || factors == nil {
		return err
	}
	return t.task.Optimizer.Multiply(t.store, factors)
}

func (t *training) move(seed uint64) error {
	random := rand.New(rand.NewPCG(seed, uint64(t.Update)))
	for v := range t.store.IterVariables() {
		if !v.Trainable {
			continue
		}
		value, err := v.Value()
		if err == nil {
			err = tensors.MutableFlatData(value, func(weights []float32) {
				for i, w := range weights {
					weights[i] = math.Nextafter32(w, float32(math.Inf(1-2*random.IntN(2))))
				}
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finish tests the trained models and completes the record. An executable keeps its memory, which for tests on long
// sequences is gigabytes: training's is given back before they begin, and each test's before the next takes as much.
func (t *training) finish() error {
	t.trainer.ResetComputationGraphs()
	final := map[string]record.Values{record.Loss: t.losses()}
	lists := map[string][]record.Values{}
	for _, test := range t.tests {
		if test.Every > 0 {
			continue
		}
		points, err := test.run(t.ctx, t.Update, func() {
			t.tested++
			t.observe(false)
		})
		test.exec.Finalize()
		debug.FreeOSMemory()
		if err == nil {
			err = t.resumed(true)
		}
		if errors.Is(err, ErrInterrupted) {
			return fmt.Errorf("%w in the tests after training", ErrInterrupted)
		}
		if err != nil {
			return err
		}
		for _, p := range points {
			if p.Values != nil {
				final[p.Series] = p.Values
			} else {
				lists[p.Series] = p.Vectors
			}
		}
	}
	t.clock()
	if err := t.record.Finish(t.Seconds, final, lists); err != nil {
		return err
	}
	t.observe(true)
	return nil
}

// save writes a checkpoint of this update.
func (t *training) save() error {
	began := time.Now()
	t.clock()
	err := t.record.Save(t.Update, func(e *gob.Encoder) error {
		return encode(e, t.state, t.store)
	})
	t.lastSaved = time.Now()
	t.saving = t.lastSaved.Sub(began)
	return err
}

func (t *training) clock() {
	now := time.Now()
	t.Seconds += now.Sub(t.started).Seconds()
	t.started = now
}

func (t *training) observe(done bool) {
	if t.runner.Observe == nil {
		return
	}
	t.runner.Observe(Status{
		Task: &t.task, Update: t.Update, First: t.first, Tested: t.tested, Done: done,
		Record: t.record.Record(), Losses: t.losses(),
	})
}

// losses is the last point of the training curve; nil before the first.
func (t *training) losses() []float64 {
	for _, p := range slices.Backward(t.record.Record().Points) {
		if p.Series == record.Train {
			return p.Values
		}
	}
	return nil
}
