package contextual

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
)

var engine = sync.OnceValue(func() compute.Backend {
	b, err := backend.New("go")
	if err != nil {
		panic(err)
	}
	return b
})

// computed computes nodes from a batch of data and a network's output.
func computed(t *testing.T, store *model.Store, network experiment.Network, data trial.Data, seeds []uint64,
	of func(inputs, labels []*graph.Node, output experiment.Output) []*graph.Node) []*tensors.Tensor {
	t.Helper()
	inputs, labels, err := check.Got(data.Open(seeds))(t).Batch(0)
	check.OK(t, err)
	var arguments []any
	for _, tensor := range append(inputs, labels...) {
		arguments = append(arguments, tensor)
	}
	build := func(scope *model.Scope, batch []*graph.Node) []*graph.Node {
		given, wanted := slices.Clone(batch[:len(inputs)]), batch[len(inputs):]
		return of(batch[:len(inputs)], wanted, network.Build(scope, seeds, given))
	}
	return check.Got(model.MustNewExec(engine(), store, build).Call(arguments...))(t)
}

func predictions(_, _ []*graph.Node, output experiment.Output) []*graph.Node {
	return []*graph.Node{output.Prediction}
}

func numbers(t *tensors.Tensor) []float64 {
	var out []float64
	for _, v := range tensors.MustCopyFlatData[float32](t) {
		out = append(out, float64(v))
	}
	return out
}

var (
	tiny  = forecast{hidden: 5, context: 4, batch: 3, rate: 0.01, epochs: 2, updates: 2, each: 6}
	seeds = []uint64{3, 4}
)

func tinyForecaster(appended bool) Forecaster {
	f := Forecaster{
		Task: validatedDecay, Cell: cell.LSTM{Hidden: tiny.hidden}, GateInit: forgetBias, WeightInit: cell.Orthogonal{},
		InitialState: tiny.learned(),
	}
	if appended {
		f.InitialState, f.Appended = cell.Zero{}, true
	}
	return f
}

// told is data of series of which the first values are told, at which network's own values stand in the others' places.
type told struct {
	Of     trial.Data
	Values []float32 // in place of x, [T, R, B, 1]
}

func (d told) Shape() (batch, steps int, err error) { return d.Of.Shape() }

func (d told) Open(seeds []uint64) (trial.Batches, error) {
	return experiment.Map(d.Of, seeds, func(_ int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor) {
		dims := inputs[0].Shape().Dimensions
		inputs[0] = tensors.FromFlatDataAndDimensions(d.Values, len(d.Values)/dims[1]/dims[2], dims[1], dims[2], 1)
		return inputs, labels
	})
}

// What a network generates, told in place of the truth, makes the same network predict the same: each step read the
// value before and the change that was predicted there.
func TestGenerationIsItsOwnForecast(t *testing.T) {
	for _, appended := range []bool{false, true} {
		store, network := model.NewStore(), tinyForecaster(appended)
		wrap := func(e Examples) trial.Data {
			if appended {
				return e
			}
			return trial.Noise{Of: e, Width: tiny.width(), Split: "samples"}
		}
		generating := wrap(Examples{Of: tiny.examples(), Times: 2})
		telling := wrap(Examples{Of: tiny.examples(), Times: 2, Whole: true})
		out := computed(t, store, network, generating, seeds,
			func(inputs, _ []*graph.Node, o experiment.Output) []*graph.Node {
				return []*graph.Node{o.Prediction, inputs[0]}
			})
		changes, first := numbers(out[0]), numbers(out[1])
		// The values in plain Go, from the definition of the scales.
		const sequences = 2 * 4 * 2
		_, top := validatedDecay.XRange()
		low, high := validatedDecay.ChangeRange()
		x := make([]float32, 25*sequences)
		for i := range sequences {
			value := (first[i] + 1) / 2 * top
			for step := range 25 {
				x[step*sequences+i] = float32(2*value/top - 1)
				value += low + (changes[step*sequences+i]+1)/2*(high-low)
			}
		}
		again := computed(t, store, network, told{telling, x}, seeds, predictions)
		check.Near(t, numbers(again[0]), changes, 1e-4, "told what it generated")
		truth := computed(t, store, network, telling, seeds, predictions)
		check.That(t, !slices.Equal(numbers(truth[0]), changes),
			"told the truth, it predicts the same: the test is no test")
	}
}

// The zero arm sees T at every step and nothing else of the context; the learned arm's steps do not see it.
func TestWhoSeesTheContext(t *testing.T) {
	for _, appended := range []bool{false, true} {
		store, network := model.NewStore(), tinyForecaster(appended)
		computed(t, store, network, dataOf(appended), seeds, predictions)
		want := 1 // x
		if appended {
			want = 2 // x and T
		}
		variable := store.GetVariable("/cell/input")
		check.Must(t, variable != nil, "no input weights")
		check.Equal(t, variable.Shape().Dim(1), want, "inputs of a step, appended %v", appended)
		has := store.GetVariable("/cell/first state/layer 0/weights") != nil
		check.That(t, has != appended, "appended %v: it has a network for the initial state: %v", appended, has)
	}
}

func dataOf(appended bool) trial.Data {
	if appended {
		return tiny.training()
	}
	return trial.Noise{Of: tiny.training(), Width: tiny.width(), Split: "train"}
}

// The measure of σ finds softplus(σ), which is known before training, from ten samples.
func TestDeviation(t *testing.T) {
	data := tiny.samples(1).Data
	out := computed(t, model.NewStore(), tinyForecaster(false), data, seeds,
		func(inputs, labels []*graph.Node, o experiment.Output) []*graph.Node {
			return []*graph.Node{Deviation{Samples: sampled}.Measure(inputs, labels, o)}
		})
	check.Near(t, numbers(out[0]), []float64{startSpread, startSpread}, 1e-5, "deviation")
}

// Trajectories of the true changes are the true values; those of predictions add up what is predicted.
func TestTrajectories(t *testing.T) {
	data := NoNoise{Of: Examples{Of: tiny.examples(), Times: 3}, Width: tiny.width()}
	out := computed(t, model.NewStore(), tinyForecaster(false), data, seeds,
		func(inputs, labels []*graph.Node, o experiment.Output) []*graph.Node {
			own := Trajectories{Task: validatedDecay, From: 3, Series: 3}.Measure(inputs, labels, o)
			truth := Truth{Task: validatedDecay, From: 3}.Measure(inputs, labels, o)
			o.Prediction = labels[0]
			true3 := Trajectories{Task: validatedDecay, From: 3, Series: 3}.Measure(inputs, labels, o)
			return []*graph.Node{own, truth, true3}
		})
	for r, seed := range seeds {
		x, context, change := make([]float32, 25), make([]float32, 2), make([]float32, 25)
		validatedDecay.Sample(chrono.RNG(seed, "task", "valid", 1), 1, x, context, change) // the second example, T = 2
		x0 := (float64(x[0]) + 1) * 2.002 / 1.001
		var want []float64
		for step := 1; step <= 25; step++ {
			want = append(want, math.Round(1000*x0*validatedDecay.At(2, float64(step))))
		}
		check.Near(t, numbers(out[1])[25*r:25*(r+1)], want, 1, "truth")
		check.Near(t, numbers(out[2])[75*r:75*(r+1)], slices.Repeat(want, 3), 1, "three times the truth")
		own := numbers(out[0])[75*r : 75*(r+1)]
		check.Near(t, own[:25], own[25:50], 0, "without noise the samples are alike")
		check.That(t, !slices.Equal(own[:25], want), "an untrained network generates the truth")
	}
}

// EarlyError is that of the first steps alone.
func TestEarlyError(t *testing.T) {
	out := computed(t, model.NewStore(), tinyForecaster(true), tiny.training(), seeds,
		func(inputs, labels []*graph.Node, o experiment.Output) []*graph.Node {
			return []*graph.Node{EarlyError{Steps: 3}.Measure(inputs, labels, o), o.Prediction, labels[0]}
		})
	prediction, label := numbers(out[1]), numbers(out[2])
	want := make([]float64, 2)
	for i := range 3 * 2 * tiny.batch {
		want[i/tiny.batch%2] += math.Pow(prediction[i]-label[i], 2) / float64(3*tiny.batch)
	}
	check.Near(t, numbers(out[0]), want, 1e-6, "early error")
}

// Of each pair the first begins in zeros, and the second does not; Apart is how far their predictions are apart.
func TestApart(t *testing.T) {
	data := PairedInitialStates{Of: tiny.examples(), Width: tiny.width(), Size: 0.5, Split: "disturbance"}
	store, network := model.NewStore(), tinyForecaster(true)
	out := computed(t, store, network, data, seeds,
		func(inputs, labels []*graph.Node, o experiment.Output) []*graph.Node {
			first := SideBySide(o.InitialStates)
			return []*graph.Node{Apart{}.Measure(inputs, labels, o), o.Prediction, first, inputs[2]}
		})
	first, given := numbers(out[2]), numbers(out[3])
	check.Near(t, first, given, 0, "it begins where it is told")
	squares, n := 0., 0.
	for i, v := range first {
		if second := i/tiny.width()%2 == 1; second != (v != 0) {
			t.Fatalf("number %d of the initial states is %g", i, v)
		} else if second {
			squares, n = squares+v*v, n+1
		}
	}
	size := math.Sqrt(squares / n)
	check.That(t, math.Abs(size-0.5) <= 0.1, "the root mean square is %g, want 0.5", size)
	plain := computed(t, store, network, Examples{Of: tiny.examples(), Times: 1, Whole: true}, seeds, predictions)
	prediction, undisturbed := numbers(out[1]), numbers(plain[0])
	want := make([]float64, 2*25)
	for step := range 25 {
		for r := range 2 {
			for b := range 4 {
				at := (step*2+r)*8 + 2*b
				want[r*25+step] += math.Abs(prediction[at]-prediction[at+1]) / 4
				check.Must(t, math.Abs(prediction[at]-undisturbed[(step*2+r)*4+b]) <= 1e-6,
					"begun in zeros it predicts %g, want %g", prediction[at], undisturbed[(step*2+r)*4+b])
			}
		}
	}
	check.Near(t, numbers(out[0]), want, 1e-6, "apart")
}

// The initial state is made of the character that it is said to be made of, and of no other.
func TestRetrieverContext(t *testing.T) {
	r := retrieval{pairs: 2, units: 4, batch: 20, rate: 0.01, epochs: 1, updates: 1, checks: 1, validBatches: 1}
	for _, run := range r.runs(ourWeights, seeds) {
		network := run.Network.(Retriever)
		switch first := network.InitialState.(type) { // so that they do not begin at zero
		case cell.Contextual:
			first.WeightInit = cell.He{}
			network.InitialState = first
		case cell.Parts:
			g := first.Of[0].(cell.Contextual)
			g.WeightInit = cell.He{}
			network.InitialState = cell.Parts{Of: []cell.InitialState{g, first.Of[1]}}
		}
		out := computed(t, model.NewStore(), network, run.Data, seeds,
			func(inputs, _ []*graph.Node, o experiment.Output) []*graph.Node {
				return []*graph.Node{SideBySide(o.InitialStates), graph.ConvertDType(inputs[0], o.Prediction.DType())}
			})
		states, symbols := numbers(out[0]), numbers(out[1])
		width := 4 + 4*4
		same := func(a, b int) bool {
			return slices.Equal(states[a*width:(a+1)*width], states[b*width:(b+1)*width])
		}
		for a := range r.batch { // of the first trial
			for b := range a {
				want := true
				if run.Part == learned.Name || run.Part == "learned-h" {
					want = symbols[a] == symbols[b]
				}
				check.Must(t, same(a, b) == want,
					"%s: initial states after %g and %g are the same: %v", run.Part, symbols[a], symbols[b], !want)
			}
		}
		matrix := states[4:width]
		isZero := slices.Max(matrix) == 0 && slices.Min(matrix) == 0
		if want := run.Part == zero.Name || run.Part == free.Name || run.Part == "learned-h"; isZero != want {
			t.Errorf("%s: A0 is zero: %v", run.Part, isZero)
		}
	}
}

// Before training, all arms of Figure 2 are the same function, and nothing else than their initial states will differ.
func TestArmsBeginAlike(t *testing.T) {
	r := retrieval{pairs: 2, units: 4, batch: 20, rate: 0.01, epochs: 1, updates: 1, checks: 1, validBatches: 1}
	var want []float64
	for _, run := range r.runs(ourWeights, seeds) {
		got := numbers(computed(t, model.NewStore(), run.Network, run.Data, seeds, predictions)[0])
		if want == nil {
			want = got
		}
		check.Near(t, got, want, 0, "%s", run.Part)
	}
	check.That(t, slices.Max(want) != slices.Min(want), "all answers are alike")
	// From the authors' weights, whose embedding is zero, the first trial has one answer to all questions.
	run := r.runs(authorsWeights, seeds)[0]
	got := numbers(computed(t, model.NewStore(), run.Network, run.Data, seeds, predictions)[0])
	got = got[:len(got)/len(seeds)]
	check.Near(t, got, slices.Repeat(got[:len(got)/r.batch], r.batch), 1e-5, "answers")
}

func TestExamplesRefuse(t *testing.T) {
	_, err := Examples{Of: seriesData{}, Times: 1}.Open(seeds)
	check.That(t, err != nil, "examples of nothing are opened")
	_, err = PairedInitialStates{Of: seriesData{Tasks: []task.Series{task.Decay{}}}}.Open(seeds)
	check.That(t, err != nil, "an impossible task is opened")
}
