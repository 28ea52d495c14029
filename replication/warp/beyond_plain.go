package warp

import (
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// BeyondPlain asks when the plain RNN of Figure 1, W(2), fails. W says that it does as soon as warpings are moderate,
// and that a small padding can make a task impossible for it; it names neither its learning rate nor its initial
// weights.
var BeyondPlain = figures.Figure{
	Paper: paper, Name: "beyond-plain",
	Title: "Beyond the paper: when does a plain RNN fail?",
	Panels: []experiment.Panel{
		plainPanel(morePaddings, "uniform padding", uniformPad{}, plainRates,
			[]int{10, 12, 16, 20, 25}), // where it begins to fail: in Figure 1 it learns with 10 zeros
		plainPanel("warp-rates", "variable warping", variableWarp{}, plainRates, paperWarpings(variableWarp{})),
		plainPanel(plainStarts["uniform-pad"], "uniform padding, rate 1e-3", uniformPad{}, plainInits,
			paperWarpings(uniformPad{})),
		plainPanel(plainStarts["variable-warp"], "variable warping, rate 1e-3", variableWarp{}, plainInits,
			paperWarpings(variableWarp{})),
	},
	Views: []figures.View{figures.Finals{Of: experiment.TestLoss, Levels: warpingLosses.Levels}},
	Caption: "Beyond the paper: when does a plain RNN fail? Test loss on padded and on warped sequences: (a, b) at " +
		"four learning rates; (c, d) from three kinds of initial weights, at the only rate that the paper names. 0 " +
		"% is the best possible loss, 100 % that of the best model without memory.",
	Layout: figures.Layout{Alike: true, Legends: true},
	Open: []figures.Choice{
		{
			Open: "sizes and training", Chosen: "those of Figure 1, one thing changed at a time",
			Why: "the question is about the rate and the start alone",
		}, {
			Open: "rates", Chosen: "from a quarter of 1e-3 to 16 times as much, by fours",
			Why: "1e-3 is the only rate that the paper names, and 4e-3 is what Figure 1 takes beside it",
		}, {
			Open: "initial weights", Chosen: "U(-1/√H, 1/√H) as in our Figure 1, orthogonal, and the identity",
			Why: "the usual ones: with the first, what the state holds shrinks at every step; the others shrink " +
				"nothing but by the activation",
		},
	},
}

// morePaddings is the panel whose first rates are those of Figure 1, with other numbers of zeros; samePlainArm are its
// arms that train at these rates, by what is read of plainTraining.
const morePaddings = "pad-rates"

var samePlainArm = map[string]string{"": plainRates[1].name, bestRate: plainRates[2].name}

// plainStarts are the panels that train the plain RNNs of a panel of Figure 1 from several initial weights.
var plainStarts = map[string]string{"uniform-pad": "pad-starts", "variable-warp": "warp-starts"}

// A plainArm is a plain RNN at a rate, from initial weights.
type plainArm struct {
	name, label string
	rate        float64
	start       cell.WeightInit
}

var plainRates = []plainArm{
	{"rate-quarter", "rate 2.5e-4", paperRate / 4, fig1Init},
	{"rate-1", "rate 1e-3", paperRate, fig1Init},
	{"rate-4", "rate 4e-3", 4 * paperRate, fig1Init},
	{"rate-16", "rate 1.6e-2", 16 * paperRate, fig1Init},
}

var plainInits = []plainArm{
	{"uniform", "initial weights U(-1/√H, 1/√H)", paperRate, fig1Init},
	{"orthogonal", "orthogonal initial weights", paperRate, cell.Orthogonal{}},
	{"identity", "the identity as initial weights", paperRate, cell.ScaledIdentity{Scale: 1}},
}

// plainPanel declares a panel of BeyondPlain, with the values of maximum_warping that it has at the paper's size.
func plainPanel(name, title string, family family, arms []plainArm, atPaper []int) experiment.Panel {
	panel := experiment.Panel{
		Name: name, Title: title, X: sweptAxis(family), Y: excessAxis,
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: plainSweep{
				warping{family, true, quickSetup, 1, []int{2, 5, 10, 20}}, arms,
			}},
			record.Reduced: {Trials: 3, Declaration: plainSweep{
				warping{family, true, reducedSetup, 10, []int{10, 25, 50}}, arms,
			}},
			record.Paper: {Trials: 5, Declaration: plainSweep{
				warping{family, true, paperSetup, 100, atPaper}, arms,
			}},
		},
	}
	for _, a := range arms {
		panel.Arms = append(panel.Arms, experiment.Arm{Name: a.name, Label: a.label})
	}
	return panel
}

// plainSweep is a panel of BeyondPlain at one scale.
type plainSweep struct {
	warping
	arms []plainArm
}

// Runs implements experiment.Declaration: a run for each arm, with every value of maximum_warping and seed.
func (p plainSweep) Runs(seeds []uint64) []experiment.Run {
	var architectures []architecture
	for _, a := range p.arms {
		t := rnn
		t.rate, t.start, t.arms = a.rate, a.start, []string{a.name}
		architectures = append(architectures, t)
	}
	return p.runs(seeds, architectures...)
}
