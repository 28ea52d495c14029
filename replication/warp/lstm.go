package warp

import (
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Figures 3 and 4 compare initializations of one LSTM: forget biases of 1 against W(16). What they share stands here.

// A contest is a panel of Figure 3 or 4 at one scale: standard against chrono initialization on one task.
type contest struct {
	data       experiment.Data
	inputs     experiment.Inputs
	readOut    experiment.ReadOut
	loss       trial.Loss
	memoryless float64 // loss of the best model without memory
	tmax       float64 // of the chrono initialization
	tests      []experiment.Test
	regime
}

// A regime is how an LSTM trains: W Section 3, "Synthetic tasks".
type regime struct {
	hidden  int // H
	updates int
	rate    float64
}

var initializations = []experiment.Arm{
	{Name: "standard", Label: "standard initialization (forget bias 1)"},
	{Name: "chrono", Label: "chrono initialization"},
}

// Runs implements experiment.Declaration: both initializations in one graph, trial k of each on the same data and, but
// for the gates' biases, with the same weights.
func (c contest) Runs(seeds []uint64) []experiment.Run {
	var trials []record.Trial
	var biases []chrono.Init
	for i, init := range []chrono.Init{chrono.Standard{Forget: 1}, chrono.Chrono{Tmax: c.tmax}} {
		for k, seed := range seeds {
			trials = append(trials, record.Trial{
				Arm: initializations[i].Name, Number: k, Seed: seed, Memoryless: number(c.memoryless), Best: number(0),
			})
			biases = append(biases, init)
		}
	}
	biasTest := experiment.Test{Data: c.data, Batches: 1, Measures: []experiment.Measure{
		{Name: "input_bias", Of: experiment.GateBias{Gate: "input"}},
		{Name: "forget_bias", Of: experiment.GateBias{Gate: "forget"}},
	}}
	return []experiment.Run{{Experiment: experiment.Experiment{
		Trials: trials,
		Network: experiment.Recurrent{
			Inputs: c.inputs, Cell: cell.LSTM{Hidden: c.hidden}, Biases: biases,
			Start: cell.Orthogonal{}, First: cell.Zero{}, ReadOut: c.readOut,
		},
		Data:      c.data,
		Loss:      c.loss,
		Optimizer: trial.Optimizer{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-8}, Rates: []float64{c.rate}},
		Rule:      trial.Constant{},
		Length:    experiment.Length{Epochs: 1, Updates: c.updates},
		Window:    max(1, c.updates/100),
		Tests:     append([]experiment.Test{biasTest}, c.tests...),
	}}}
}

// lstmChoices are what the paper leaves open in Figures 3 and 4 alike.
var lstmChoices = []experiment.Choice{
	{
		Open: "learning rate at scale quick", Chosen: "4e-3 in place of the paper's 1e-3",
		Why: "a minute holds a thousand updates; of 1e-3, 2e-3 and 4e-3 this is the rate at which " +
			"something is learned in them",
	},
	{Open: "batch", Chosen: "32", Why: "the only batch that the paper names anywhere"},
	{Open: "trials", Chosen: "3", Why: "the paper says nothing here; its Figure 1 has 5"},
	{
		Open: "curve", Chosen: "mean training loss between two points",
		Why: "every batch is new, so that it is a test loss too",
	},
	{
		Open:   "input and recurrent weights, biases of the cell and output gate",
		Chosen: "Glorot-uniform, orthogonal, 0",
		Why:    "the paper speaks of the forget and input gates' biases only",
	},
	{Open: "standard's input-gate biases", Chosen: "0",
		Why: "the paper sets the forget gate's to 1 and is silent on the other"},
	{Open: "RMSprop's ε", Chosen: "1e-8, outside of the root", Why: "not given; PyTorch's default"},
}
