package warp

import (
	"fmt"
	"math"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Figures 3 and 4 compare initializations of one LSTM: forget biases of 1 against W(16). What they share stands here.

// A comparison is a panel of Figure 3 or 4 at one scale: standard against chrono initialization on one task.
type comparison struct {
	data       experiment.Data
	inputs     experiment.Inputs
	readOut    experiment.ReadOut
	loss       trial.Loss
	memoryless float64 // loss of the best model without memory
	tmax       float64 // of the chrono initialization
	tests      []experiment.Test
	training
}

// training is how an LSTM trains: W Section 3, "Synthetic tasks".
type training struct {
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
func (c comparison) Runs(seeds []uint64) []experiment.Run {
	trials, biases := bothInitializations(seeds, c.tmax)
	for r := range trials {
		trials[r].Memoryless, trials[r].Best = experiment.Number(c.memoryless), experiment.Number(0)
	}
	e := c.experiment(cell.LSTM{Hidden: c.hidden}, trials, biases)
	e.Tests = append([]experiment.Test{biasTest(c.data)}, c.tests...)
	return []experiment.Run{{Experiment: e}}
}

// experiment is the training of networks of that cell, whose gates begin with those biases, without tests.
func (c comparison) experiment(of cell.Cell, trials []record.Trial, biases []chrono.GateInit) experiment.Experiment {
	return experiment.Experiment{
		Trials: trials,
		Network: experiment.Recurrent{
			Inputs: c.inputs, Cell: of, GateInit: biases,
			WeightInit: cell.Orthogonal{}, InitialState: cell.Zero{}, ReadOut: c.readOut,
		},
		Data:      c.data,
		Loss:      c.loss,
		Optimizer: trial.Optimizer{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-8}, Rates: []float64{c.rate}},
		Schedule:  trial.ConstantRate{},
		Length:    experiment.Length{Epochs: 1, Updates: c.updates},
		Window:    max(1, c.updates/100),
	}
}

// bothInitializations are the trials of both arms, trial k of each with the same seed, and their gates' biases.
func bothInitializations(seeds []uint64, tmax float64) (trials []record.Trial, biases []chrono.GateInit) {
	for i, init := range []chrono.GateInit{chrono.Standard{Forget: 1}, chrono.Chrono{Tmax: tmax}} {
		for k, seed := range seeds {
			trials = append(trials, record.Trial{Arm: initializations[i].Name, Number: k, Seed: seed})
			biases = append(biases, init)
		}
	}
	return trials, biases
}

// ForgetBias are the forget gates' biases of all units after training.
const ForgetBias record.Result = "forget_bias"

// biasTest records the gates' biases after training, which depend on no data.
func biasTest(data experiment.Data) experiment.Test {
	return experiment.Test{Data: data, Batches: 1, Measures: []experiment.Measure{
		{Name: "input_bias", Of: experiment.GateBias{Gate: "input"}},
		{Name: ForgetBias, Of: experiment.GateBias{Gate: "forget"}},
	}}
}

// lstmChoices are what the paper leaves open in Figures 3 and 4 alike.
var lstmChoices = []figures.Choice{
	{
		Open: "learning rate at scale quick", Chosen: "4e-3 in place of the paper's 1e-3",
		Why: "a minute holds a thousand updates; of 1e-3, 2e-3 and 4e-3 this is the rate at which " +
			"something is learned in them",
	},
	{
		Open: "what is smaller at scale reduced", Chosen: "T as the panels' titles have it, 64 units, 4,000 to 8,000 " +
			"updates at the rate 4e-3",
		Why: "a quarter to half an hour a panel on one core",
	},
	{Open: "batch", Chosen: "32", Why: "that of Figure 1; the paper names none here"},
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

// Thresholds for Figures 3 and 4, shares of the memoryless loss. They are our choice: the paper says "largely", "does
// not plateau" and "well" without numbers.
const (
	learnedShare = 0.9  // something is learned if the final loss is at most this
	plateauShare = 0.95 // nothing, if it is at least this
	wellShare    = 0.5
	solvedShare  = 0.1
)

// bothArms are what a panel of Figure 3 or 4 shows of its arms.
type bothArms struct {
	claim.Reader
	standard, chrono armLosses
	about            string // the panel and its length, for a statement
}

// armLosses are an arm's training losses, as shares of the memoryless loss.
type armLosses struct {
	trials claim.Trials
	curves []claim.Curve
	final  record.Spread // at the end of the curve
	mean   record.Spread // over all updates
}

// compared judges a panel's two arms.
func compared(f figures.Figure, p experiment.Panel, judge func(bothArms) claim.Finding,
) func(claim.Evidence) claim.Finding {
	return claim.Judging(func(r claim.Reader) claim.Finding { return judge(compare(r, f, p)) })
}

func compare(r claim.Reader, f figures.Figure, p experiment.Panel) bothArms {
	losses := func(arm string) armLosses {
		a := armLosses{trials: r.Arm(f.ID(), p.Name, arm)}
		a.curves = r.Curves(a.trials.Shares(record.Train))
		a.final = claim.SpreadOver(a.curves, math.Inf(1), claim.Curve.Final)
		a.mean = claim.SpreadOver(a.curves, math.Inf(1), claim.Curve.Mean)
		return a
	}
	c := bothArms{r, losses(standardArm), losses(chronoArm), ""}
	c.about = fmt.Sprintf("%s, %d updates", p.TitleAt(r.Scale), c.chrono.trials[0].Record.Updates)
	return c
}

// finals is the statement of both final losses.
func (c bothArms) finals() string {
	return fmt.Sprintf("%s: final loss in %% of the memoryless loss, chrono %v, standard %v", c.about,
		claim.Percent(c.chrono.final), claim.Percent(c.standard.final))
}

// learned tells whether any of the trials has.
func (c bothArms) learned() bool {
	return min(c.chrono.final.Min, c.standard.final.Min) <= learnedShare
}

// outperforms judges that losses of chrono are far below those of standard.
func (c bothArms) outperforms(chrono, standard record.Spread, found string) claim.Finding {
	switch {
	case !c.learned():
		return claim.Found(claim.Inconclusive, claim.NothingLearned, found)
	case max(chrono.Max, standard.Max) <= visibleShare:
		return claim.Found(claim.Inconclusive, "both solve the task, and no difference is visible", found)
	}
	return claim.Found(farBelow(chrono, standard), "chrono is not better by half, and in every trial", found)
}
