package warp

import (
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// BeyondPlain asks when networks without gates fail: the plain RNN of Figure 1, W(2), and the leaky one, W(5). W says
// that plain ones do as soon as warpings are moderate, that a small padding can make a task impossible for them, and
// that leaky ones solve uniform padding; it names neither its learning rate nor its initial weights.
var BeyondPlain = figures.Figure{
	Paper: paper, Name: "beyond-plain",
	Title: "Beyond the paper: when do plain and leaky RNNs fail?",
	Panels: []experiment.Panel{
		variedPanel(morePaddings, "uniform padding", rnn, uniformPad{}, rateVariations,
			[]int{10, 12, 16, 20, 25}), // where it begins to fail: in Figure 1 it learns with 10 zeros
		variedPanel("warp-rates", "variable warping", rnn, variableWarp{}, rateVariations,
			paperWarpings(variableWarp{})),
		variedPanel(starts["uniform-pad"]["rnn"].panel, "uniform padding, rate 1e-3", rnn, uniformPad{},
			startsAt(paperRate), paperWarpings(uniformPad{})),
		variedPanel(starts["variable-warp"]["rnn"].panel, "variable warping, rate 1e-3", rnn, variableWarp{},
			startsAt(paperRate), paperWarpings(variableWarp{})),
		variedPanel(starts["uniform-pad"]["leaky"].panel, "leaky RNN, uniform padding, rate 8e-3", leaky,
			uniformPad{}, startsAt(leaky.rate)[1:], paperWarpings(uniformPad{})),
		variedPanel(starts["variable-warp"]["leaky"].panel, "leaky RNN, variable warping, rate 8e-3", leaky,
			variableWarp{}, startsAt(leaky.rate)[1:], paperWarpings(variableWarp{})),
	},
	Views: []figures.View{figures.Finals{Of: experiment.TestLoss, Levels: warpingLosses.Levels}},
	Caption: "Beyond the paper: when do plain and leaky RNNs fail? Test loss on padded and on warped sequences: " +
		"plain RNNs (a, b) at four learning rates and (c, d) from three kinds of initial weights, at the only rate " +
		"that the paper names; (e, f) leaky RNNs from two kinds, at the rate of Figure 1 (f, g), which has the " +
		"third. 0 % is the best possible loss, 100 % that of the best model without memory.",
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

// morePaddings is the panel whose first rates are those of Figure 1, with other numbers of zeros.
const morePaddings = "pad-rates"

// starts are the panels that train the networks of a panel of Figure 1 from several initial weights, by architecture.
var starts = map[string]map[string]struct {
	panel string
	end   string // of the name of the panel of Figure 1 with the same rates
}{
	"uniform-pad":   {"rnn": {"pad-starts", ""}, "leaky": {"leaky-pad-starts", bestRate}},
	"variable-warp": {"rnn": {"warp-starts", ""}, "leaky": {"leaky-warp-starts", bestRate}},
}

// A variation is a rate and initial weights that an architecture trains with.
type variation struct {
	name, label string
	rate        float64
	start       cell.WeightInit
}

var rateVariations = []variation{
	{"rate-quarter", "rate 2.5e-4", paperRate / 4, fig1Init},
	{"rate-1", "rate 1e-3", paperRate, fig1Init},
	{"rate-4", "rate 4e-3", 4 * paperRate, fig1Init},
	{"rate-16", "rate 1.6e-2", 16 * paperRate, fig1Init},
}

// The arms that begin with other weights than those of Figure 1.
const (
	orthogonalStart = "orthogonal"
	identityStart   = "identity"
)

// startsAt are the weights that networks begin with, first those of Figure 1.
func startsAt(rate float64) []variation {
	return []variation{
		{"uniform", "initial weights U(-1/√H, 1/√H)", rate, fig1Init},
		{orthogonalStart, "orthogonal initial weights", rate, cell.Orthogonal{}},
		{identityStart, "the identity as initial weights", rate, cell.ScaledIdentity{Scale: 1}},
	}
}

// variedPanel declares a panel of BeyondPlain, with the values of maximum_warping that it has at the paper's size.
func variedPanel(name, title string, of architecture, family family, variations []variation,
	atPaper []int) experiment.Panel {
	panel := experiment.Panel{
		Name: name, Title: title, X: sweptAxis(family), Y: excessAxis,
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: varied{
				warping{family, true, quickSetup, 1, []int{2, 5, 10, 20}}, of, variations,
			}},
			record.Reduced: {Trials: 3, Declaration: varied{
				warping{family, true, reducedSetup, 10, []int{10, 25, 50}}, of, variations,
			}},
			record.Paper: {Trials: 5, Declaration: varied{
				warping{family, true, paperSetup, 100, atPaper}, of, variations,
			}},
		},
	}
	for _, a := range variations {
		panel.Arms = append(panel.Arms, experiment.Arm{Name: a.name, Label: a.label})
	}
	return panel
}

// varied is a panel of BeyondPlain at one scale.
type varied struct {
	warping
	of         architecture
	variations []variation
}

// Runs implements experiment.Declaration: a run for each arm, with every value of maximum_warping and seed.
func (v varied) Runs(seeds []uint64) []experiment.Run {
	var architectures []architecture
	for _, a := range v.variations {
		t := v.of
		t.rate, t.start, t.arms = a.rate, a.start, []string{a.name}
		architectures = append(architectures, t)
	}
	return v.runs(seeds, architectures...)
}
