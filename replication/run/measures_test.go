package run

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// tooSmall is a learning rate at which no float32 weight moves but those at 0, and these no further than 1e-29.
const tooSmall = 0x1p-100

// schedule is a rule that is written out: Factors[u] holds what the rates are multiplied by after update u.
type schedule struct{ By []factors }

type factors struct {
	Update int
	Values []float64
}

var _ = experiment.Name("test.schedule", schedule{})

func (s schedule) Factors(update int, _ func(string) [][]float64) ([]float64, error) {
	for _, f := range s.By {
		if f.Update == update {
			return f.Values, nil
		}
	}
	return nil, nil
}

// later is data that begins with a later batch.
type later struct {
	Data experiment.Data
	By   int
}

var _ = experiment.Name("test.later", later{})

func (l later) Shape() (batch, steps int) { return l.Data.Shape() }

func (l later) Open(seeds []uint64) (trial.Batches, error) {
	batches, err := l.Data.Open(seeds)
	return laterBatches{batches, l.By}, err
}

type laterBatches struct {
	trial.Batches
	by int
}

func (l laterBatches) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	return l.Batches.Batch(n + l.by)
}

// A factor reaches the optimizer, exactly: a model that does not move until the rule raises its rate is then trained as
// one that begins there with the raised rate. Gradient descent alone has no memory of the updates before.
func TestRuleReachesTheOptimizer(t *testing.T) {
	const still = 5
	task := tinyTask(t, adding)
	task.Window = 1
	task.Optimizer = trial.Optimizer{Method: trial.SGD{}, Rates: []float64{0x1p-4}}
	begins := task
	begins.Data, begins.Length.Updates = later{task.Data, still}, task.Length.Updates-still
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), begins).Series(record.Train)

	task.Optimizer.Rates = []float64{tooSmall}
	task.Schedule = schedule{[]factors{{still, []float64{0x1p-4 / tooSmall}}}}
	got := mustTrain(t, newRunner(t, engine, t.TempDir()), task).Series(record.Train)[still:]
	for n := range want {
		if !slices.Equal(got[n].Values, want[n].Values) {
			t.Fatalf("update %d after the rule: %v, want %v", n+1, got[n].Values, want[n].Values)
		}
	}
	if slices.Equal(want[0].Values, want[len(want)-1].Values) {
		t.Error("nothing was learned: the test is no test")
	}
}

// Halving follows the validation losses of the record, trial by trial, and not the training losses.
func TestHalvingFollowsTheValidationLosses(t *testing.T) {
	task := tinyTask(t, warping)
	task.Window = 3 // a point of both series before each halving
	halved := mustTrain(t, newRunner(t, engine, t.TempDir()), task)

	// W's rule in plain Go, on either series of the record.
	rule := func(points []record.Point) schedule {
		var s schedule
		lowest := slices.Repeat([]float64{math.Inf(1)}, len(task.Trials))
		for _, p := range points {
			f := factors{p.Update, slices.Repeat([]float64{1}, len(task.Trials))}
			for r, v := range p.Values {
				if !(v < lowest[r]) {
					f.Values[r] = 0.5
				}
				lowest[r] = math.Min(lowest[r], v)
			}
			s.By = append(s.By, f)
		}
		return s
	}
	valid, train := rule(halved.Series("valid_loss")), rule(halved.Series(record.Train)[:4])
	count := 0
	differ := false
	for i, f := range valid.By[:len(valid.By)-1] {
		for r, v := range f.Values {
			if v == 0.5 {
				count++
			}
			differ = differ || v != train.By[i].Values[r]
		}
	}
	if count == 0 || !differ {
		t.Fatalf("%d halvings by %+v, and by the training losses %+v: the test is no test", count, valid, train)
	}

	written := task
	written.Schedule = valid
	if got := mustTrain(t, newRunner(t, engine, t.TempDir()), written); !sameCurves(got, halved) {
		t.Error("with the halvings that the validation losses ask for the curves differ")
	}
	for what, other := range map[string]trial.Schedule{"constant rates": trial.ConstantRate{},
		"the training losses": train} {
		written.Schedule = other
		if got := mustTrain(t, newRunner(t, engine, t.TempDir()), written); sameCurves(got, halved) {
			t.Errorf("with %s the curves are the same", what)
		}
	}
}

// sameCurves compares all points of two records.
func sameCurves(a, b *record.Record) bool {
	return slices.EqualFunc(a.Points, b.Points, func(p, q record.Point) bool {
		return p.Update == q.Update && p.Series == q.Series && slices.Equal(p.Values, q.Values)
	})
}

// Each trial trains at its own rate: as it would alone at that rate.
func TestEachTrialHasItsRate(t *testing.T) {
	task := tinyTask(t, copying)
	task.Optimizer.Rates = []float64{1e-2, 2e-2, 3e-2, 4e-2}
	among := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	for r, rate := range task.Optimizer.Rates {
		for _, at := range task.Optimizer.Rates {
			single := only(task, r)
			single.Optimizer.Rates = []float64{at}
			alone := mustTrain(t, newRunner(t, engine, t.TempDir()), single)
			same := alone.End.Final["loss"][0] == among.End.Final["loss"][r]
			if same != (at == rate) {
				t.Errorf("trial %d, whose rate is %g, ends as one alone at %g: %v", r, rate, at, same)
			}
		}
	}
}

// A test measures on the batches that it names: the data of its split, from the first batch to the last. What a
// training on these batches has for losses, while the weights stand still, is the measure.
func TestTestsMeasureTheirOwnData(t *testing.T) {
	task := tinyTask(t, warping)
	task.Window = 1
	task.Optimizer = trial.Optimizer{Method: trial.SGD{}, Rates: []float64{tooSmall}}
	task.Schedule = trial.ConstantRate{}
	task.Tests = task.Tests[:2]
	got := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	means := map[string][]float64{}
	for _, split := range []string{"train", "valid", "test"} {
		on := task
		data := on.Tests[0].Data.(trial.Symbols)
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

// The gates of each arm's trials begin as the arm says: W Section 3 for standard, W(16) for chrono.
func TestGatesBeginAsTheArmSays(t *testing.T) {
	task := tinyTask(t, copying)
	task.Optimizer = trial.Optimizer{Method: trial.SGD{}, Rates: []float64{tooSmall}}
	task.Tests = []experiment.Test{{Data: task.Data, Batches: 1, Measures: []experiment.Measure{
		{Name: "input", Of: experiment.GateBias{Gate: "input"}},
		{Name: "forget", Of: experiment.GateBias{Gate: "forget"}},
	}}}
	got := mustTrain(t, newRunner(t, engine, t.TempDir()), task).End.Vectors
	for r, each := range task.Trials {
		input, forget := got["input"][r], got["forget"][r]
		for u := range input {
			switch each.Arm {
			case "standard":
				if math.Abs(input[u]) > 1e-29 || forget[u] != 1 {
					t.Errorf("standard, unit %d: input %g, forget %g", u, input[u], forget[u])
				}
			case "chrono": // log U(1, Tmax − 1) with Tmax = 9
				if input[u] != -forget[u] || forget[u] < 0 || forget[u] > math.Log(8) {
					t.Errorf("chrono, unit %d: input %g, forget %g", u, input[u], forget[u])
				}
			}
		}
		if each.Arm == "chrono" && forget[0] == forget[1] {
			t.Errorf("chrono: two units begin with %g", forget[0])
		}
		if each.Number > 0 && each.Arm == "chrono" && slices.Equal(forget, got["forget"][r-1]) {
			t.Error("two trials of chrono begin with the same biases")
		}
	}
}
