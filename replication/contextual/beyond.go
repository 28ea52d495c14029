package contextual

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Two questions that neither paper asks, each about the one's idea in the other's experiment. There are no claims about
// them.

// BeyondWarping asks whether a learned initial state helps under time warping: gated networks of W Figure 1 on variable
// warps.
var BeyondWarping = figures.Figure{
	Paper: paper, Name: "beyond-warping",
	Title: "Beyond both papers: initial states under time warping",
	Panels: []experiment.Panel{{
		Name: "variable-warp", Title: "variable warping, up to 50 steps", X: "updates", Y: "training loss (nats per " +
			"step)",
		Arms: []experiment.Arm{
			{Name: zeroArm, Label: "zero"}, {Name: freeArm, Label: "free"},
			{Name: learnedArm, Label: "learned from the first character"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Title: "variable warping, up to 20 steps", Trials: 3, Declaration: warping{
				length: 100, longest: 20, hidden: 32, batch: 16, updates: 600, window: 10, train: 3_200, valid: 1,
			}},
			record.Paper: {Trials: 5, Declaration: warping{
				length: 500, longest: 50, hidden: 64, batch: 32, updates: 4_687, window: 43, train: 50_000, valid: 8,
			}},
		},
	}},
	Views: []figures.View{figures.TrainingCurves{}},
	Caption: "Beyond both papers: does a learned initial state help under time warping? Training loss of the first " +
		"paper's gated RNNs on variable warping. Memoryless: the loss of the best model without memory.",
	Layout: figures.Layout{Columns: 1, Height: 2.5 * vg.Inch},
	Open: []figures.Choice{
		{
			Open:   "sizes and training",
			Chosen: "those of the first paper's Figure 1, with the higher of its gated networks' rates",
			Why:    "the question is about the initial state alone",
		}, {
			Open: "what the initial state is learned from", Chosen: "the first character, by a single layer",
			Why: "the paper's choice in retrieval; it is all that is known before the first step",
		},
	},
}

// warping is the first question at one scale.
type warping struct {
	length, longest int // of a sequence, and of a warp
	hidden, batch   int
	updates, window int
	train, valid    int // sequences, and batches of 128
}

// Runs implements experiment.Declaration: a run for each initial state.
func (w warping) Runs(seeds []uint64) []experiment.Run {
	g := cell.Contextual{Output: cell.Linear{}, WeightInit: cell.Uniform{}}
	return []experiment.Run{
		w.run(seeds, zeroArm, cell.Zero{}, nil), w.run(seeds, freeArm, cell.Learned{}, nil),
		w.run(seeds, learnedArm, g, Step{At: 0}),
	}
}

func (w warping) run(seeds []uint64, arm string, first cell.InitialState, of Source) experiment.Run {
	t := task.Warp{Length: w.length, Min: 1, Max: w.longest}
	data := func(split string, batch, sequences int) trial.Symbols {
		return trial.Symbols{Tasks: []task.Symbols{t}, Split: split, Batch: batch, Sequences: sequences}
	}
	loss := func(name record.Result) []experiment.Measure {
		return []experiment.Measure{{Name: name, Of: experiment.Mean{Of: trial.CrossEntropy{}}}}
	}
	return experiment.Run{Part: arm, Experiment: experiment.Experiment{
		Trials: experiment.Trials(record.Trial{
			Arm: arm, Memoryless: experiment.Number(t.Memoryless()), Best: experiment.Number(t.Best()),
		}, seeds),
		Network: Warped{
			Symbols: t.Alphabet(), Cell: cell.Gated{Hidden: w.hidden},
			GateInit:   []chrono.GateInit{chrono.Standard{Forget: 0}}, // gates start at 1/2
			WeightInit: cell.Uniform{}, InitialState: first, Context: of, Answers: t.Classes(),
		},
		Data:      data("train", w.batch, w.train),
		Loss:      trial.CrossEntropy{},
		Optimizer: trial.Optimizer{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-8}, Rates: []float64{8e-3}},
		Schedule:  trial.ReduceOnPlateau{Every: 100, Series: string(experiment.ValidLoss)},
		Length:    experiment.Length{Epochs: 1, Updates: w.updates},
		Window:    w.window,
		Tests: []experiment.Test{
			{Data: data("valid", 128, 0), Batches: w.valid, Every: 100, Measures: loss(experiment.ValidLoss)},
			{Data: data("test", 100, 0), Batches: 10 * w.valid, Measures: loss(experiment.TestLoss)},
		},
	}}
}

// Warped is a network that predicts a symbol at every step, whose initial state may be made of the first symbols.
type Warped struct {
	Symbols      int // of the alphabet
	Cell         cell.Cell
	GateInit     []chrono.GateInit // of the gates: [R], or one for all
	WeightInit   cell.WeightInit
	InitialState cell.InitialState
	Context      Source // what the initial state is computed from; nil: nothing
	Answers      int
}

var _ = experiment.Name("context.Warped", Warped{})

// Validate refuses a network without its parts.
func (w Warped) Validate() error {
	if w.Cell == nil || w.InitialState == nil || w.WeightInit == nil || min(w.Symbols, w.Answers) < 1 {
		return fmt.Errorf("a network of symbols needs a cell, an initial state, initial weights, and sizes of 1 or "+
			"more, got %+v", w)
	}
	return nil
}

// Units implements experiment.Network: those of the cell.
func (w Warped) Units() int { return w.Cell.StateDims()[0][0] }

// Build implements experiment.Network. The prediction is the logits of every step, [T, R, B, Answers].
func (w Warped) Build(scope *model.Scope, seeds []uint64, inputs []*graph.Node) experiment.Output {
	x := graph.StopGradient(graph.OneHot(inputs[0], w.Symbols, dtypes.Float32))
	var context []*graph.Node
	if w.Context != nil {
		context = append(context, w.Context.Of(x))
	}
	first := &recordedState{of: w.InitialState}
	ys, _ := cell.New(scope.At("cell"), w.Cell, x).Seeds(seeds...).WeightInit(w.WeightInit).GateInit(w.GateInit...).
		InitialState(first, context...).Done()
	return experiment.Output{
		Prediction:    cell.Dense(scope.At("readout"), ys[0], w.Answers, w.WeightInit, seeds...),
		InitialStates: first.states,
	}
}

// BeyondChrono asks whether the chrono initialization helps in decay, whose series have 25 steps.
var BeyondChrono = figures.Figure{
	Paper: paper, Name: "beyond-chrono",
	Title: "Beyond both papers: chrono initialization on linear cosine decay",
	Panels: []experiment.Panel{{
		Name: "decay", Title: "linear cosine decay", X: "epochs", Y: "validation squared error (scaled)",
		Arms: []experiment.Arm{
			{Name: zeroArm, Label: "zero, forget bias 1"}, {Name: zeroArm + "-chrono", Label: "zero, chrono"},
			{Name: learnedArm, Label: "learned distribution, forget bias 1"},
			{Name: learnedArm + "-chrono", Label: "learned distribution, chrono"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: initialization{quickForecast}},
			record.Paper: {Trials: 5, Declaration: initialization{paperForecast}},
		},
	}},
	Views: []figures.View{decayErrors},
	Caption: "Beyond both papers: does chrono initialization help on linear cosine decay? Validation error as in " +
		"Figure 5 (a), with forget biases of 1 and with chrono initialization for Tmax = 25.",
	Layout: figures.Layout{Columns: 1, Height: 2.5 * vg.Inch},
	Open: []figures.Choice{{
		Open: "Tmax", Chosen: "25", Why: "the steps of a series: no dependency is longer",
	}},
}

// initialization is the second question at one scale.
type initialization struct{ forecast }

// Runs implements experiment.Declaration: both initializations in one graph, for each of Figure 5's arms.
func (i initialization) Runs(seeds []uint64) []experiment.Run {
	var biases []chrono.GateInit
	for _, init := range []chrono.GateInit{forgetBias[0], chrono.Chrono{Tmax: float64(trainedDecay.Final)}} {
		for range seeds {
			biases = append(biases, init)
		}
	}
	both := func(arm string) []record.Trial {
		return append(i.trials(arm, seeds), i.trials(arm+"-chrono", seeds)...)
	}
	return []experiment.Run{
		i.zero(zeroArm, both(zeroArm), biases), i.contextual(learnedArm, both(learnedArm), biases),
	}
}
