package experiment_test

import (
	"math"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// example is an experiment that can be trained.
func example() experiment.Experiment {
	copying := trial.Sampled[task.Symbols]{Tasks: []task.Symbols{task.Copy{T: 20}}, Split: "train", Batch: 4}
	return experiment.Experiment{
		Trials: []record.Trial{{Arm: "a", Number: 0, Seed: 7}, {Arm: "b", Number: 1, Seed: 8}},
		Network: experiment.Recurrent{
			Inputs: experiment.OneHot{Symbols: 10}, Cell: cell.LSTM{Hidden: 3},
			GateInit:   []chrono.GateInit{chrono.Standard{Forget: 1}, chrono.Chrono{Tmax: 30}},
			WeightInit: cell.Orthogonal{}, InitialState: cell.Zero{},
			ReadOut: experiment.ClassAtEachStep{Units: 10},
		},
		Data:      copying,
		Loss:      experiment.CrossEntropy{},
		Optimizer: trial.Optimizer{Method: trial.SGD{}, Rates: []float64{1e-3}},
		Schedule:  experiment.ConstantRate{},
		Length:    experiment.Length{Epochs: 2, Updates: 10},
		Window:    5,
		Tests: []experiment.Test{{
			Data: copying, Batches: 1, Every: 2,
			Measures: []experiment.Measure{{Name: "valid", Of: experiment.Mean{Of: experiment.CrossEntropy{}}}},
		}},
	}
}

// inner is a part that only the tests have.
type inner struct{ N int }

func TestEncode(t *testing.T) {
	type all struct {
		Any   any
		Plain inner
		List  []any
		X     *float64
		Y     *float64
		F     float64
		F32   float32
		S     string
		B     bool
		U     uint64
		None  any
	}
	x := 0.1
	got := string(experiment.Encode(all{
		Any: inner{3}, Plain: inner{4}, List: []any{inner{5}, &inner{6}}, X: &x, F: 1e-3, F32: 0.1, S: "a\"b", B: true,
		U: math.MaxUint64,
	}))
	want := `{"Any":{"is":"experiment_test.inner","N":3},"Plain":{"N":4},` +
		`"List":[{"is":"experiment_test.inner","N":5},{"is":"experiment_test.inner","N":6}],` +
		`"X":0.1,"Y":null,"F":0.001,"F32":0.1,"S":"a\"b","B":true,"U":18446744073709551615,"None":null}`
	check.Equal(t, got, want, "text")
}

func TestEncodeRefuses(t *testing.T) {
	for name, v := range map[string]any{
		"function":         struct{ F func() }{func() {}},
		"unexported field": struct{ n int }{1},
		"NaN":              struct{ X float64 }{math.NaN()},
		"infinity":         struct{ X float64 }{math.Inf(1)},
		"nameless number":  struct{ X any }{3},
	} {
		func() {
			defer func() {
				check.That(t, recover() != nil, "%s: written without complaint", name)
			}()
			experiment.Encode(v)
		}()
	}
}

func TestValidate(t *testing.T) {
	check.OK(t, example().Validate())
	for want, change := range map[string]func(*experiment.Experiment, *experiment.Recurrent){
		"network":    func(e *experiment.Experiment, n *experiment.Recurrent) { e.Network = nil },
		"no trials":  func(e *experiment.Experiment, n *experiment.Recurrent) { e.Trials = nil },
		"0 epochs":   func(e *experiment.Experiment, n *experiment.Recurrent) { e.Length.Epochs = 0 },
		"-1 updates": func(e *experiment.Experiment, n *experiment.Recurrent) { e.Length.Updates = -1 },
		"between":    func(e *experiment.Experiment, n *experiment.Recurrent) { e.Window = 21 },
		"0 batches":  func(e *experiment.Experiment, n *experiment.Recurrent) { e.Tests[0].Batches = 0 },
		"every -3":   func(e *experiment.Experiment, n *experiment.Recurrent) { e.Tests[0].Every = -3 },
		"every 21":   func(e *experiment.Experiment, n *experiment.Recurrent) { e.Tests[0].Every = 21 },
		"of that name": func(e *experiment.Experiment, n *experiment.Recurrent) {
			e.Tests = append(e.Tests, e.Tests[0])
		},
		"train": func(e *experiment.Experiment, n *experiment.Recurrent) {
			e.Tests[0].Measures = []experiment.Measure{{Name: record.Train,
				Of: experiment.Mean{Of: experiment.CrossEntropy{}}}}
		},
		`measure "loss" is`: func(e *experiment.Experiment, n *experiment.Recurrent) {
			e.Tests[0].Every, e.Tests[0].Measures[0].Name = 0, record.Loss // it would take the training loss's place
		},
		"rate": func(e *experiment.Experiment, n *experiment.Recurrent) { e.Optimizer.Rates = []float64{-1} },
		"Tmax": func(e *experiment.Experiment, n *experiment.Recurrent) {
			n.GateInit[1] = chrono.Chrono{Tmax: 1}
		},
		"Hidden":        func(e *experiment.Experiment, n *experiment.Recurrent) { n.Cell = cell.LSTM{} },
		"initial state": func(e *experiment.Experiment, n *experiment.Recurrent) { n.InitialState = nil },
	} {
		e := example()
		n := e.Network.(experiment.Recurrent)
		change(&e, &n)
		if e.Network != nil {
			e.Network = n
		}
		check.Rejected(t, want, e.Validate(), want)
	}
}
