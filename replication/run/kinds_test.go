package run_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
)

// The experiments of this file are sketches of those to come, on stand-in data: each is a kind of data or network that
// the runner has not seen. They show that it need not change for them.

const (
	hidden  = 4
	letters = 5
)

// sketch is an experiment with the parts that all sketches share.
func sketch(
	network experiment.Network, data experiment.Data, loss trial.Loss, tests ...experiment.Test,
) experiment.Experiment {
	return experiment.Experiment{
		Trials:  []record.Trial{{Arm: "one", Seed: 3}, {Arm: "two", Seed: 4}},
		Network: network, Data: data, Loss: loss,
		Optimizer: trial.Optimizer{Method: trial.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, Rates: []float64{0.01}},
		Schedule:  trial.ConstantRate{}, Length: experiment.Length{Epochs: 3, Updates: 4}, Window: 4, Tests: tests,
	}
}

// kinds are the sketches by name.
func kinds() map[string]experiment.Experiment {
	pixels := sketch(experiment.Recurrent{
		Inputs: experiment.AsIs{}, Cell: cell.LSTM{Hidden: hidden}, GateInit: []chrono.GateInit{chrono.Chrono{Tmax: 9}},
		WeightInit: cell.Orthogonal{}, InitialState: cell.Learned{}, ReadOut: lastLogits{letters},
	}, images{Split: "train", Batch: 3}, trial.CrossEntropy{},
		measured(images{Split: "valid", Batch: 5}, 4, "valid_accuracy", trial.Accuracy{}),
		measured(images{Split: "test", Batch: 5}, 0, "test_accuracy", trial.Accuracy{}))

	characters := sketch(
		languageModel{Cell: cell.GRU{Hidden: hidden}}, text{Length: 6, Windows: 4, Keep: 0.8}, trial.CrossEntropy{},
		measured(text{Length: 6, Windows: 2, Keep: 1}, 4, "valid_loss", trial.CrossEntropy{}))
	characters.Optimizer = trial.Optimizer{Method: trial.SGD{}, Rates: []float64{0.2}, Clip: 1, Decay: 1e-4}
	characters.Schedule = trial.ExponentialDecay{By: 1.02, Epoch: 4, After: 1}

	return map[string]experiment.Experiment{
		"pixels":     pixels,
		"characters": characters,
		"retrieval": sketch(retriever{}, pairs{Batch: 6}, trial.CrossEntropy{},
			measured(pairs{Batch: 6}, 4, "valid_accuracy", trial.Accuracy{})),
		"decay": sketch(forecaster{}, decays{Batch: 4, Sample: true}, trial.SquaredError{},
			measured(decays{Batch: 4}, 4, "valid_error", trial.SquaredError{})),
	}
}

func measured(data experiment.Data, every int, name record.Result, by trial.Loss) experiment.Test {
	return experiment.Test{
		Data: data, Batches: 2, Every: every, Measures: []experiment.Measure{{Name: name, Of: experiment.Mean{Of: by}}},
	}
}

// Each kind trains, resumes to the same bits after an interruption at every update, and has a text of its own.
func TestKindsToCome(t *testing.T) {
	for name, e := range kinds() {
		t.Run(name, func(t *testing.T) {
			task := taskOf(name, e)
			backend := run.NewBackend(t, "simd")
			whole := &run.Runner{Backend: backend, Name: "simd", Dir: t.TempDir()}
			want, err := whole.Train(context.Background(), task)
			if err != nil {
				t.Fatal(err)
			}
			first, last := want.Series(record.Train)[0].Values, want.Series(record.Train)[2].Values
			if slices.Equal(first, last) {
				t.Errorf("nothing is learned: %v stays", first)
			}
			for _, test := range e.Tests {
				for _, m := range test.Measures {
					if test.Every > 0 && len(want.Series(string(m.Name))) != 12/test.Every {
						t.Errorf("%s has %d points", m.Name, len(want.Series(string(m.Name))))
					}
					if test.Every == 0 && len(want.End.Final[string(m.Name)]) != 2 {
						t.Errorf("final %s is %v", m.Name, want.End.Final[string(m.Name)])
					}
				}
			}
			stopped := &run.Runner{Backend: backend, Name: "simd", Dir: t.TempDir(), Checkpoint: time.Hour}
			var got *record.Record
			for range 100 {
				ctx, cancel := context.WithCancel(context.Background())
				stopped.Observe = func(s run.Status) {
					if s.Update > s.First {
						cancel()
					}
				}
				got, err = stopped.Train(ctx, task)
				cancel()
				if err == nil {
					break
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if !record.Equal(got, want) {
				t.Errorf("stopped at every update, it ends elsewhere: %v", record.Compare(want, got))
			}
		})
	}
}

// taskOf puts an experiment into a figure of its own.
func taskOf(name string, e experiment.Experiment) experiment.Task {
	panel := experiment.Panel{Name: name, Arms: []experiment.Arm{{Name: "one"}, {Name: "two"}}}
	figure := experiment.Figure{Paper: "sketch", Name: "kinds", Panels: []experiment.Panel{panel}}
	return experiment.Task{Figure: figure, Panel: panel, Scale: "quick", Run: experiment.Run{Experiment: e}}
}

// Permuted pixels: a set of pictures with one label each, all trials on the same, read in one fixed random order.
type images struct {
	Split string
	Batch int
}

var _ = experiment.Name("test.images", images{})

const imagePixels = 12

func (d images) Shape() (batch, steps int) { return d.Batch, imagePixels }

func (d images) Open(seeds []uint64) (trial.Batches, error) {
	return batchesOf(func(n int) (inputs, labels []*tensors.Tensor) {
		order := chrono.RNG(1, "permutation").Perm(imagePixels)
		trials := len(seeds)
		x, y := make([]float32, imagePixels*trials*d.Batch), make([]int32, trials*d.Batch)
		for r, seed := range seeds {
			for b := range d.Batch {
				rng := chrono.RNG(seed, "image", d.Split, n*d.Batch+b)
				label := rng.IntN(letters)
				y[r*d.Batch+b] = int32(label)
				for t, pixel := range order {
					if pixel%letters == label {
						x[(t*trials+r)*d.Batch+b] = rng.Float32()
					}
				}
			}
		}
		return floats(x, imagePixels, trials, d.Batch, 1), ints(y, trials, d.Batch)
	}), nil
}

// lastLogits reads one label from the last state.
type lastLogits struct{ Units int }

func (l lastLogits) Predict(scope *model.Scope, _, last *graph.Node, start cell.WeightInit,
	seeds []uint64) *graph.Node {
	return cell.Dense(scope, last, l.Units, start, seeds...)
}

var _ = experiment.Name("test.lastLogits", lastLogits{})

// Characters in contiguous streams: window n of a text for each sequence, so that a state can be carried from batch to
// batch, and a dropout mask for each window, drawn on the host. The third input is 0 where a pass over the text begins.
type text struct {
	Length, Windows int
	Keep            float64
}

var _ = experiment.Name("test.text", text{})

const textBatch = 2

func (d text) Shape() (batch, steps int) { return textBatch, d.Length }

func (d text) Open(seeds []uint64) (trial.Batches, error) {
	return batchesOf(func(n int) (inputs, labels []*tensors.Tensor) {
		trials := len(seeds)
		x, y := make([]int32, d.Length*trials*textBatch), make([]int32, d.Length*trials*textBatch)
		mask, carry := make([]float32, trials*textBatch*hidden), make([]float32, trials)
		for r, seed := range seeds {
			for t := range d.Length {
				for b := range textBatch {
					at := (n%d.Windows)*d.Length + t
					x[(t*trials+r)*textBatch+b] = int32((at*at + b) % letters)
					y[(t*trials+r)*textBatch+b] = int32(((at+1)*(at+1) + b) % letters)
				}
			}
			rng := chrono.RNG(seed, "dropout", n)
			for i := range textBatch * hidden {
				if rng.Float64() < d.Keep {
					mask[r*textBatch*hidden+i] = float32(1 / d.Keep)
				}
			}
			carry[r] = float32(min(1, n%d.Windows))
		}
		inputs = append(ints(x, d.Length, trials, textBatch), floats(mask, trials, textBatch, hidden)...)
		return append(inputs, floats(carry, trials, 1, 1)...), ints(y, d.Length, trials, textBatch)
	}), nil
}

// languageModel carries its state in variables that are not trained, one for training and one for tests.
type languageModel struct{ Cell cell.Cell }

func (languageModel) Units() int { return hidden }

func (m languageModel) Build(scope *model.Scope, seeds []uint64, inputs []*graph.Node) experiment.Output {
	x := graph.OneHot(inputs[0], letters, dtypes.Float32)
	mask, carry, g := inputs[1], inputs[2], inputs[0].Graph()
	name := "test"
	if scope.IsTraining(g) {
		name = "training"
	}
	shape := shapes.Make(dtypes.Float32, len(seeds), textBatch, hidden)
	carried := scope.In("carried").VariableWithValue(name, tensors.FromShape(shape)).SetTrainable(false)
	ys, final := cell.New(scope.In("cell"), m.Cell, graph.StopGradient(x)).Seeds(seeds...).
		From(graph.StopGradient(graph.Mul(carried.NodeValue(g), carry))).Done()
	carried.SetNodeValue(graph.StopGradient(final[0]))
	h := graph.Mul(ys[0], graph.InsertAxes(mask, 0))
	return experiment.Output{Prediction: cell.Dense(scope.In("readout"), h, letters, cell.Uniform{}, seeds...)}
}

var _ = experiment.Name("test.languageModel", languageModel{})

// Retrieval: the first symbol tells which of two readings of the others is right, and is the context of the first
// state.
type pairs struct{ Batch int }

func (d pairs) Shape() (batch, steps int) { return d.Batch, 4 }

func (d pairs) Open(seeds []uint64) (trial.Batches, error) {
	return batchesOf(func(n int) (inputs, labels []*tensors.Tensor) {
		trials := len(seeds)
		x, y := make([]int32, 4*trials*d.Batch), make([]int32, trials*d.Batch)
		for r, seed := range seeds {
			for b := range d.Batch {
				rng := chrono.RNG(seed, "pairs", n, b)
				for t := range 4 {
					x[(t*trials+r)*d.Batch+b] = rng.Int32N(letters)
				}
				y[r*d.Batch+b] = x[((1+x[r*d.Batch+b]%2)*int32(trials)+int32(r))*int32(d.Batch)+int32(b)]
			}
		}
		return ints(x, 4, trials, d.Batch), ints(y, trials, d.Batch)
	}), nil
}

var _ = experiment.Name("test.pairs", pairs{})

// retriever begins in a state that is computed from its first symbol.
type retriever struct{}

var _ = experiment.Name("test.retriever", retriever{})

func (retriever) Units() int { return hidden }

func (retriever) Build(scope *model.Scope, seeds []uint64, inputs []*graph.Node) experiment.Output {
	x := graph.StopGradient(graph.OneHot(inputs[0], letters, dtypes.Float32))
	first := graph.Squeeze(graph.Slice(x, graph.AxisRange(0, 1)), 0)
	_, final := cell.New(scope.In("cell"), cell.RNN{Hidden: hidden}, x).Seeds(seeds...).
		InitialState(fromContext{}, first).Done()
	out := cell.Dense(scope.In("readout"), final[0], letters, cell.Orthogonal{}, seeds...)
	return experiment.Output{Prediction: out}
}

// fromContext is a first state tanh(W·context + b).
type fromContext struct{}

func (fromContext) Build(
	scope *model.Scope, _ *graph.Graph, want []shapes.Shape, seeds []uint64, context []*graph.Node,
) []*graph.Node {
	var states []*graph.Node
	for i, shape := range want {
		g := scope.In("g%d", i)
		states = append(states, graph.Tanh(cell.Dense(g, context[0], shape.Dimensions[2], cell.Orthogonal{}, seeds...)))
	}
	return states
}

// Decay: a number that decays, a target at every step, and noise for the first state where it is sampled.
type decays struct {
	Batch  int
	Sample bool
}

var _ = experiment.Name("test.decays", decays{})

const decaySteps = 7

func (d decays) Shape() (batch, steps int) { return d.Batch, decaySteps }

func (d decays) Open(seeds []uint64) (trial.Batches, error) {
	return batchesOf(func(n int) (inputs, labels []*tensors.Tensor) {
		trials := len(seeds)
		x, y := make([]float32, decaySteps*trials*d.Batch), make([]float32, decaySteps*trials*d.Batch)
		noise := make([]float32, trials*d.Batch*hidden)
		for r, seed := range seeds {
			rng := chrono.RNG(seed, "decay", n)
			for b := range d.Batch {
				value := 1 + rng.Float32()
				for t := range decaySteps {
					at := (t*trials+r)*d.Batch + b
					x[at], y[at] = value, -0.3*value
					value *= 0.7
				}
			}
			if d.Sample {
				sampling := chrono.RNG(seed, "first state", n)
				for i := range d.Batch * hidden {
					noise[r*d.Batch*hidden+i] = float32(sampling.NormFloat64())
				}
			}
		}
		inputs = append(floats(x, decaySteps, trials, d.Batch, 1), floats(noise, trials, d.Batch, hidden)...)
		return inputs, floats(y, decaySteps, trials, d.Batch)
	}), nil
}

// forecaster begins in a sampled state.
type forecaster struct{}

var _ = experiment.Name("test.forecaster", forecaster{})

func (forecaster) Units() int { return hidden }

func (forecaster) Build(scope *model.Scope, seeds []uint64, inputs []*graph.Node) experiment.Output {
	x := graph.StopGradient(inputs[0])
	ys, _ := cell.New(scope.In("cell"), cell.LSTM{Hidden: hidden}, x).Seeds(seeds...).
		InitialState(sampled{}, graph.StopGradient(inputs[1])).Done()
	out := cell.Dense(scope.In("readout"), ys[0], 1, cell.Orthogonal{}, seeds...)
	return experiment.Output{Prediction: graph.Squeeze(out, -1)}
}

// sampled is a first state μ + softplus(σ)·noise.
type sampled struct{}

func (sampled) Build(
	scope *model.Scope, g *graph.Graph, want []shapes.Shape, _ []uint64, context []*graph.Node,
) []*graph.Node {
	var states []*graph.Node
	for i, shape := range want {
		trials, units := shape.Dimensions[0], shape.Dimensions[2]
		list := []cell.Weight{
			{Name: fmt.Sprintf("mean %d", i), Dims: []int{units}},
			{Name: fmt.Sprintf("spread %d", i), Dims: []int{units}},
		}
		learned := cell.Variables(scope, g, list, shape.DType, trials, func(int) [][]float64 {
			return [][]float64{make([]float64, units), make([]float64, units)}
		})
		spread := graph.Log1P(graph.Exp(learned[1]))
		noise := graph.Mul(graph.InsertAxes(spread, 1), context[0])
		states = append(states, graph.Add(graph.InsertAxes(learned[0], 1), noise))
	}
	return states
}

// batchesOf makes batches of a function.
type batchesOf func(n int) (inputs, labels []*tensors.Tensor)

func (f batchesOf) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	inputs, labels = f(n)
	return inputs, labels, nil
}

func floats(values []float32, dims ...int) []*tensors.Tensor {
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(values, dims...)}
}

func ints(values []int32, dims ...int) []*tensors.Tensor {
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(values, dims...)}
}
