package warp

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
)

// Small declarations of both panels of Figure 7, on made-up text.
var (
	smallCharacters = characters{
		text:   Babble{Words: 20, Length: 3000, Spelled: true, Seed: 1},
		hidden: 6, batch: 5, length: 9, rate: 0.01, epochs: 2, updates: 5, every: 5,
		gathered: 3, valid: 2, window: 20, tested: 3, tests: 2,
	}
	smallWords = words{
		text:   Babble{Words: 30, Length: 1000, Seed: 1},
		hidden: 5, depth: 3, batch: 4, steps: 9, drop: 1, rate: 0.2, by: 2, after: 1,
		epochs: 2, updates: 24, literal: 2, valid: 1, tests: 1,
	}
)

// taskOf puts a run into a figure of its own.
func taskOf(r experiment.Run) experiment.Task {
	panel := experiment.Panel{Name: "small", Arms: []experiment.Arm{{Name: "one"}}}
	figure := experiment.Figure{Paper: paper, Name: "small", Panels: []experiment.Panel{panel}}
	return experiment.Task{Figure: figure, Panel: panel, Scale: "quick", Run: r}
}

// Stopped anywhere, both models end bit for bit where they end in one go: the order of windows, masks, the carried
// state and population statistics included.
func TestTextResumes(t *testing.T) {
	engine := check.Got(backend.New("simd"))(t)
	defer engine.Finalize()
	for _, r := range append(smallCharacters.runs([]uint64{1, 2}), smallWords.runs([]uint64{1})...) {
		check.OK(t, r.Validate())
		whole := &run.Runner{Backend: engine, Name: "simd", Dir: t.TempDir()}
		want, err := whole.Train(context.Background(), taskOf(r))
		check.OK(t, err)
		points := want.Series(record.Train)
		check.That(t, points[len(points)-1].Values[0] < points[0].Values[0], "nothing is learned: %v", points)
		stopped := &run.Runner{Backend: engine, Name: "simd", Dir: t.TempDir()}
		var got *record.Record
		for range r.Length.Total() + 1 {
			ctx, cancel := context.WithCancel(context.Background())
			stopped.Observe = func(s run.Status) {
				if s.Update == s.First+7 {
					cancel()
				}
			}
			got, err = stopped.Train(ctx, taskOf(r))
			cancel()
			if err == nil {
				break
			}
		}
		check.OK(t, err)
		check.Equal(t, record.Compare(want, got), nil, "differences when stopped after every seventh update")
	}
}

// A bench is a network's predictions for batches, one after the other, with one store of variables.
type bench struct {
	t     *testing.T
	store *model.Store
	exec  func(data trial.Data, n int, training bool) (predictions, labels *tensors.Tensor)
}

func newBench(t *testing.T, network experiment.Network, seeds ...uint64) bench {
	engine := check.Got(backend.New("simd"))(t)
	t.Cleanup(engine.Finalize)
	store := model.NewStore()
	return bench{t, store, func(data trial.Data, n int, training bool) (predictions, labels *tensors.Tensor) {
		t.Helper()
		inputs, targets, err := check.Got(data.Open(seeds))(t).Batch(n)
		check.OK(t, err)
		var arguments []any
		for _, input := range inputs {
			arguments = append(arguments, input)
		}
		exec, err := model.NewExec(engine, store, func(scope *model.Scope, inputs []*graph.Node) *graph.Node {
			scope.Store().SetTraining(inputs[0].Graph(), training)
			return network.Build(scope, seeds, inputs).Prediction
		})
		check.OK(t, err)
		return check.Got(exec.Call(arguments...))(t)[0], targets[0]
	}}
}

func (b bench) predict(data trial.Data, n int) []float32 {
	b.t.Helper()
	out, _ := b.exec(data, n, false)
	return tensors.MustCopyFlatData[float32](out)
}

// Population statistics are the averages over the batches that were gathered, whatever was gathered before. With those
// of one batch that batch's predictions are what they are with its own; and then a sequence's predictions depend on no
// other. Beyond their last step they stay.
func TestPopulationStatistics(t *testing.T) {
	c := smallCharacters
	network := c.runs([]uint64{1, 2})[0].Network
	b := newBench(t, network, 1, 2, 1, 2)
	windows := trial.Windows{Of: c.text, Split: dataset.Train, Length: c.length, Batch: c.batch}
	gathered := Gathered{windows}
	statistics := func() []float32 {
		v := b.store.Scope("/population").GetVariable("statistics")
		return tensors.MustCopyFlatData[float32](v.MustValue())
	}
	own := b.predict(windows, 1)
	var each [][]float32
	for n := range 3 {
		b.predict(first{gathered}, n) // starts over
		each = append(each, statistics())
	}
	b.predict(first{gathered}, 1)
	same := b.predict(Populated{Of: windows, Steps: c.length - 1}, 1)
	check.That(t, near(own, same, 1e-4), "with its own statistics given, a batch is predicted otherwise")
	for n := range 3 {
		b.predict(gathered, n)
	}
	for i, got := range statistics() {
		want := (each[0][i] + each[1][i] + each[2][i]) / 3
		check.Must(t, math.Abs(float64(got-want)) <= 1e-6, "statistic %d is %g, want %g: the average of %g, %g and %g",
			i, got, want, each[0][i], each[1][i], each[2][i])
	}

	// Windows 5 … 9 together, and windows 0 … 9 together: window 5 is predicted alike.
	few := b.predict(Populated{Of: windows, Steps: c.length - 1}, 1)
	wide := windows
	wide.Batch = 2 * c.batch
	many := b.predict(Populated{Of: wide, Steps: c.length - 1}, 0)
	letters := len(dataset.Text8Letters)
	for step := range c.length - 1 {
		for r := range 4 {
			a := few[(step*4+r)*c.batch*letters:][:letters]
			z := many[((step*4+r)*2*c.batch+c.batch)*letters:][:letters]
			check.Must(t, near(a, z, 1e-5), "step %d, trial %d: predictions depend on the other sequences", step, r)
		}
	}

	// A longer window begins as the shorter one does, and goes on with finite predictions.
	long := windows
	long.Length, long.Batch = 3*c.length, 1
	short := windows
	short.Batch = 1
	whole := b.predict(Populated{Of: long, Steps: c.length - 1}, 0)
	part := b.predict(Populated{Of: short, Steps: c.length - 1}, 0)
	check.That(t, near(whole[:len(part)], part, 1e-5), "a longer window begins otherwise")
	for _, v := range whole {
		check.Must(t, !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0),
			"beyond the last step with statistics a prediction is not finite")
	}
	// With fewer steps the last of them is what goes on: other predictions, from the step after on.
	fewer := b.predict(Populated{Of: short, Steps: 3}, 0)
	three := 3 * 4 * letters
	check.That(t, near(fewer[:three], part[:three], 1e-5) && !near(fewer[three:], part[three:], 1e-5),
		"the last step's statistics are not those of the steps beyond")
}

// first is data whose every batch is gathered as the first.
type first struct{ Gathered }

func (d first) Open(seeds []uint64) (trial.Batches, error) {
	return experiment.Map(d.Of, seeds, func(_ int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor) {
		return append(inputs, tensors.FromScalar(int32(0))), labels
	})
}

func near(a, b []float32, by float64) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x-y)) <= by })
}

// The state goes on from batch to batch: read in two batches of four steps, a text is predicted as in one of eight.
// Where a pass begins the state is zero again. What tests carry is not what training carries.
func TestCarriedState(t *testing.T) {
	text := Babble{Words: 30, Length: 700, Seed: 1}
	network := smallWords.runs([]uint64{1})[0].Network
	streams := func(steps int) trial.Streams {
		return trial.Streams{Of: text, Split: dataset.Train, Batch: 3, Steps: steps}
	}
	b := newBench(t, network, 1, 1)
	whole := b.predict(streams(8), 0)
	first := b.predict(streams(4), 0)
	b.exec(streams(4), 0, true) // training between the tests
	b.exec(streams(4), 1, true)
	second := b.predict(streams(4), 1)
	check.That(t, near(append(slices.Clone(first), second...), whole, 1e-5),
		"in two parts a text is predicted otherwise")
	again := b.predict(streams(4), 0)
	check.That(t, slices.Equal(again, first), "a pass does not begin with the state of zero")
	fresh := newBench(t, network, 1, 1)
	fresh.predict(streams(4), 0)
	fresh.predict(streams(4), 0)
	check.That(t, !near(fresh.predict(streams(4), 1), fresh.predict(streams(4), 1), 1e-7), "the state does not go on")
}

// The table that embeds words is the one that predicts them, each trial by its own: with all recurrent weights at their
// start, the logits are those of plain Go.
func TestWordModel(t *testing.T) {
	const units, vocabulary, batch, steps = 3, 7, 2, 4
	network := WordModel{
		Words: vocabulary, Cell: cell.RHN{Hidden: units, Depth: 1, Spread: 0.04},
		GateInit:   []chrono.GateInit{chrono.Standard{Forget: 2}, chrono.Standard{Forget: 1}},
		WeightInit: experiment.UniformWithin{Limit: 0.5},
	}
	data := Masked{
		Of: trial.Streams{
			Of: Babble{Words: vocabulary, Length: 400, Seed: 2}, Split: dataset.Train, Batch: batch, Steps: steps,
		},
		Units: units, Symbols: 0.25, Inputs: 0.5, States: 0.3, Outputs: 0.5,
	}
	seeds := []uint64{5, 6}
	b := newBench(t, network, seeds...)
	logits := b.predict(data, 0)
	inputs, _, err := check.Got(data.Open(seeds))(t).Batch(0)
	check.OK(t, err)
	value := func(scope, name string) []float32 {
		return tensors.MustCopyFlatData[float32](b.store.Scope(scope).GetVariable(name).MustValue())
	}
	float := func(input int) []float32 { return tensors.MustCopyFlatData[float32](inputs[input]) }
	x := tensors.MustCopyFlatData[int32](inputs[0])
	table, shift := value("/words", "table"), value("/words", "bias")
	input, bias, recurrent := value("/cell", "input"), value("/cell", "bias"), value("/cell", "recurrent")
	for r := range seeds {
		for place := range batch {
			row := r*batch + place
			state := make([]float64, units)
			for step := range steps {
				at := (step*len(seeds)+r)*batch + place
				word := int(x[at])
				z := make([]float64, 2*units)
				for column := range z {
					z[column] = float64(bias[r*2*units+column])
					for u := range units {
						weight := (r*units+u)*2*units + column
						h := float64(float(stateMask)[row*units+u]) * state[u]
						x := float(inputMask)[row*units+u] * float(symbolMask)[at] * table[(r*vocabulary+word)*units+u]
						z[column] += h*float64(recurrent[weight]) + float64(x*input[weight])
					}
				}
				for u := range units {
					gate := 1 / (1 + math.Exp(-z[units+u]))
					state[u] += gate * (math.Tanh(z[u]) - state[u])
				}
				for w := range vocabulary {
					want := float64(shift[r*vocabulary+w])
					for u := range units {
						want += state[u] * float64(float(outputMask)[row*units+u]*table[(r*vocabulary+w)*units+u])
					}
					if got := float64(logits[at*vocabulary+w]); math.Abs(got-want) > 1e-5 {
						t.Fatalf("step %d, trial %d, place %d, word %d: %g, want %g", step, r, place, w, got, want)
					}
				}
			}
		}
	}
}
