package run

import (
	"context"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// engine is what the tests compute with that do not need two.
const engine = "simd"

// onEngines runs a test on this module's own backend and on GoMLX's.
func onEngines(t *testing.T, test func(t *testing.T, engine string)) {
	for _, engine := range []string{"simd", "go"} {
		t.Run(engine, func(t *testing.T) { test(t, engine) })
	}
}

func newRunner(t *testing.T, engine, dir string) *Runner {
	return &Runner{Backend: conformance.Start(t, engine), Name: engine, Dir: dir}
}

func mustTrain(t testing.TB, r *Runner, task experiment.Task) *record.Record {
	t.Helper()
	return check.Got(r.Train(context.Background(), task))(t)
}

// tiny are figures small enough to be trained many times in a test: one for each kind of task, and one with everything
// a run can have.
var tiny = []experiment.Figure{
	tinyFigure("copy", []experiment.Arm{{Name: "standard"}, {Name: "chrono"}}, tinyCopy),
	tinyFigure("adding", []experiment.Arm{{Name: "standard"}, {Name: "chrono"}}, tinyAdding),
	tinyFigure("warp", []experiment.Arm{{Name: "gated"}}, tinyWarp),
}

// The places of tiny.
const (
	copying = iota
	adding
	warping
)

func tinyFigure(name string, arms []experiment.Arm, of func(seeds []uint64) experiment.Experiment) experiment.Figure {
	size := experiment.Size{Trials: 2, Runs: func(seeds []uint64) []experiment.Run {
		return []experiment.Run{{Experiment: of(seeds)}}
	}}
	return experiment.Figure{Paper: "test", Name: "tiny-" + name, Panels: []experiment.Panel{{
		Name: name, Arms: arms, Sizes: map[record.Scale]experiment.Size{"quick": size},
	}}}
}

// tinyTask returns a tiny figure's only task. Its trials have the seeds 7000 and 7001.
func tinyTask(t testing.TB, figure int) experiment.Task {
	t.Helper()
	tasks, err := tiny[figure].Tasks(experiment.Options{Scale: "quick", Seed: 7})
	check.Must(t, err == nil && len(tasks) == 1, "%d tasks, %v", len(tasks), err)
	return tasks[0]
}

var rmsprop = trial.RMSprop{Alpha: 0.9, Epsilon: 1e-8}

// tinyCopy has standard and chrono initialization, with the same seeds.
func tinyCopy(seeds []uint64) experiment.Experiment {
	var trials []record.Trial
	var biases []chrono.GateInit
	for i, arm := range []string{"standard", "chrono"} {
		for k, seed := range seeds {
			trials = append(trials, record.Trial{Arm: arm, Number: k, Seed: seed})
			biases = append(biases, []chrono.GateInit{chrono.Standard{Forget: 1}, chrono.Chrono{Tmax: 9}}[i])
		}
	}
	copies := task.Copy{T: 5}
	return experiment.Experiment{
		Trials: trials,
		Network: experiment.Recurrent{
			Inputs: experiment.OneHot{Symbols: copies.Alphabet()}, Cell: cell.LSTM{Hidden: 4}, GateInit: biases,
			WeightInit: cell.Orthogonal{}, InitialState: cell.Zero{},
			ReadOut: experiment.ClassAtEachStep{Units: copies.Classes()},
		},
		Data:      trial.Sampled[task.Symbols]{Tasks: []task.Symbols{copies}, Split: "train", Batch: 2},
		Loss:      experiment.CrossEntropy{},
		Optimizer: trial.Optimizer{Method: rmsprop, Rates: []float64{1e-2}},
		Schedule:  experiment.ConstantRate{},
		Length:    experiment.Length{Epochs: 1, Updates: 13},
		Window:    3,
	}
}

func tinyAdding(seeds []uint64) experiment.Experiment {
	e := tinyCopy(seeds)
	network := e.Network.(experiment.Recurrent)
	network.Inputs, network.ReadOut = experiment.AsIs{}, experiment.ScalarAtEnd{}
	e.Network = network
	e.Data = trial.Sampled[task.Regression]{Tasks: []task.Regression{task.Adding{T: 6}}, Split: "train", Batch: 3}
	e.Loss, e.Optimizer.Rates = experiment.SquaredError{}, []float64{1e-3}
	e.Length.Updates, e.Window = 12, 5
	return e
}

// tinyWarp is a sweep with a series, results and vectors. Its rate is so high that some trials' are halved.
func tinyWarp(seeds []uint64) experiment.Experiment {
	const length = 8
	var trials []record.Trial
	var tasks []task.Symbols
	for _, longest := range []float64{1, 3} {
		for k, seed := range seeds {
			trials = append(trials, record.Trial{Arm: "gated", X: &longest, Number: k, Seed: seed})
			tasks = append(tasks, task.Warp{Length: length, Min: 1, Max: int(longest)})
		}
	}
	loss := experiment.Mean{Of: experiment.CrossEntropy{}}
	return experiment.Experiment{
		Trials: trials,
		Network: experiment.Recurrent{
			Inputs: experiment.OneHot{Symbols: task.WarpCharacters + 1}, Cell: cell.Gated{Hidden: 4},
			GateInit:   []chrono.GateInit{chrono.Standard{Forget: 0}},
			WeightInit: cell.Uniform{}, InitialState: cell.Zero{},
			ReadOut: experiment.ClassAtEachStep{Units: task.WarpCharacters + 1},
		},
		Data:      trial.Sampled[task.Symbols]{Tasks: tasks, Split: "train", Batch: 4, Sequences: 20},
		Loss:      experiment.CrossEntropy{},
		Optimizer: trial.Optimizer{Method: rmsprop, Rates: []float64{0.3}},
		Schedule:  experiment.ReduceOnPlateau{Every: 3, Series: "valid_loss"},
		Length:    experiment.Length{Epochs: 1, Updates: 14},
		Window:    4,
		Tests: []experiment.Test{{
			Data: trial.Sampled[task.Symbols]{Tasks: tasks, Split: "valid", Batch: 8}, Batches: 2, Every: 3,
			Measures: []experiment.Measure{{Name: "valid_loss", Of: loss}},
		}, {
			Data: trial.Sampled[task.Symbols]{Tasks: tasks, Split: "valid", Batch: 8}, Batches: 1, Every: 7,
			Measures: []experiment.Measure{{Name: "gates", Of: experiment.GateBias{Gate: "gate"}}},
		}, {
			Data: trial.Sampled[task.Symbols]{Tasks: tasks, Split: "test", Batch: 8}, Batches: 2,
			Measures: []experiment.Measure{
				{Name: "test_loss", Of: loss}, {Name: "test_accuracy", Of: experiment.Mean{Of: experiment.Accuracy{}}},
				{Name: "gate_bias", Of: experiment.GateBias{Gate: "gate"}},
				{Name: "gate_at_change", Of: experiment.GateAtChange{Gate: "gate"}},
			},
		}, {
			Data: trial.Sampled[task.Symbols]{
				Tasks: []task.Symbols{task.Warp{Length: 2 * length, Min: 2, Max: 4}}, Split: "test", Batch: 8,
			},
			Batches:  1,
			Measures: []experiment.Measure{{Name: "accuracy@4", Of: experiment.Mean{Of: experiment.Accuracy{}}}},
		}},
	}
}
