package warp

import (
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// The warping tasks of Figures 1 and 5 compare architectures. What the two figures share stands here.

// paperRate is the only learning rate that W names anywhere (Section 3, of Figures 3 and 4).
const paperRate = 1e-3

// An architecture is a cell, and what depends on it.
type architecture struct {
	cell   func(hidden int) cell.Cell
	rate   float64 // the best of those tried at scale quick
	biases []chrono.GateInit
	gate   string          // that is looked at after training; "" if there is none
	arms   []string        // one for each of the biases; the arms share a graph
	start  cell.WeightInit // of the matrices
}

// halfOpen starts gates at 1/2.
var halfOpen = chrono.Standard{Forget: 0}

// fig1Init is how the matrices of Figures 1 and 5 begin.
var fig1Init = cell.Uniform{}

var (
	rnn = architecture{
		cell: func(h int) cell.Cell { return cell.RNN{Hidden: h} },
		rate: 4e-3, biases: []chrono.GateInit{nil}, arms: []string{"rnn"}, start: fig1Init,
	}
	leaky = architecture{
		cell: func(h int) cell.Cell { return cell.Leaky{Hidden: h} },
		rate: 8e-3, biases: []chrono.GateInit{halfOpen}, gate: "leak", arms: []string{"leaky"},
		start: fig1Init,
	}
	gated = architecture{
		cell: func(h int) cell.Cell { return cell.Gated{Hidden: h} },
		rate: 8e-3, biases: []chrono.GateInit{halfOpen}, gate: "gate", arms: []string{"gated"},
		start: fig1Init,
	}
)

// A setup is how long and on how much the architectures train: W Section 3, "Pure warpings and paddings".
type setup struct {
	Length  int // steps of a sequence
	Hidden  int // H
	Batch   int // B, sequences in one
	Updates int
	Window  int
	Train   int // sequences of the training set, passed through again and again
	Valid   int // batches of 128 in the validation set
}

// paperBatch is W's batch in Figure 1, and the only one that it names for synthetic tasks. Evaluation takes more at
// once, which is faster and changes nothing.
const (
	paperBatch = 32
	validBatch = 128
)

// The set-ups of both figures; the reduced one is Figure 1's. The paper's is 3 passes through 50,000 sequences.
var (
	quickSetup   = setup{Length: 100, Hidden: 32, Batch: 16, Updates: 600, Window: 10, Train: 3_200, Valid: 1}
	reducedSetup = setup{
		Length: 250, Hidden: 64, Batch: paperBatch, Updates: 4_687, Window: 43, Train: 50_000, Valid: 2,
	}
	paperSetup = setup{
		Length: 500, Hidden: 64, Batch: paperBatch, Updates: 4_687, Window: 43, Train: 50_000, Valid: 8,
	}
)

// What is measured of a gate: the end of its name, see ofGate.
const (
	gateBias      record.Result = "_bias"
	gateAtChange  record.Result = "_at_change"
	gateElsewhere record.Result = "_elsewhere"
)

// experiment is the training of one cell on the tasks of its models, all alike but for the trials.
func (c setup) experiment(t architecture, rate float64, trials []record.Trial, biases []chrono.GateInit,
	tasks []task.Symbols) experiment.Experiment {
	if biases[0] == nil {
		biases = nil // a cell without gates
	}
	return experiment.Experiment{
		Trials: trials,
		Network: experiment.Recurrent{
			Inputs: experiment.OneHot{Symbols: task.WarpCharacters + 1}, Cell: t.cell(c.Hidden), GateInit: biases,
			WeightInit: t.start, InitialState: cell.Zero{},
			ReadOut: experiment.ClassAtEachStep{Units: task.WarpCharacters + 1},
		},
		Data:      trial.Symbols{Tasks: tasks, Split: "train", Batch: c.Batch, Sequences: c.Train},
		Loss:      trial.CrossEntropy{},
		Optimizer: trial.Optimizer{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-8}, Rates: []float64{rate}},
		Schedule:  trial.ReduceOnPlateau{Every: 100, Series: string(experiment.ValidLoss)},
		Length:    experiment.Length{Epochs: 1, Updates: c.Updates},
		Window:    c.Window,
		Tests: []experiment.Test{{
			Data:    trial.Symbols{Tasks: tasks, Split: "valid", Batch: validBatch},
			Batches: c.Valid, Every: 100,
			Measures: []experiment.Measure{{Name: experiment.ValidLoss, Of: experiment.Mean{Of: trial.CrossEntropy{}}}},
		}},
	}
}

// ofGate names what is measured of the architecture's gate.
func (t architecture) ofGate(what record.Result) record.Result { return record.Result(t.gate) + what }

// gateMeasures are what a trained model's gate is asked: its biases, and its means where the input changes and
// elsewhere.
func (t architecture) gateMeasures() []experiment.Measure {
	if t.gate == "" {
		return nil
	}
	return []experiment.Measure{
		{Name: t.ofGate(gateBias), Of: experiment.GateBias{Gate: t.gate}},
		{Name: t.ofGate(gateAtChange), Of: experiment.GateAtChange{Gate: t.gate}},
		{Name: t.ofGate(gateElsewhere), Of: experiment.GateElsewhere{Gate: t.gate}},
	}
}

// setupChoices are what the paper leaves open in Figures 1 and 5 alike.
var setupChoices = []figures.Choice{
	{
		Open:   "first learning rate",
		Chosen: "one row of panels at 1e-3, one at 4e-3 (plain RNN) and 8e-3 (leaky and gated)",
		Why: "1e-3 is the only rate that the paper names, for other tasks; the others are each architecture's best " +
			"of the few tried at scale quick. At scale reduced 4e-3 is a plain RNN's best of four: warp/beyond-plain",
	}, {
		Open:   "start weights other than the gates' biases",
		Chosen: "every matrix from U(-1/√H, 1/√H), every bias 0",
		Why:    "the default of the field's libraries at the time",
	}, {
		Open:   "initial biases of the gates of leaky and gated networks",
		Chosen: "0: gates start at 1/2",
		Why:    "the paper says nothing of Figure 1; a bias drawn from the warping would give the answer away",
	}, {
		Open: "which loss decides on halving the rate",
		Chosen: "the mean over a validation set, the same sequences each time, every 100 updates; it must fall below " +
			"the lowest so far",
		Why: "the paper's evaluation loss on its 10,000 test sequences would cost several times the training itself",
	}, {
		Open:   "three passes over 50,000 sequences in batches of 32",
		Chosen: "4,687 updates",
		Why:    "three passes are 4,687.5",
	},
}
