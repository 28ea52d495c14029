package warp

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// BeyondGates asks what gates must be able to learn, of which W speaks below (7) and (9) and shows nothing in a figure:
// on the variable warping of Figure 1, one gate for all units, W(8), beside a gate for each, W(10); and gates that are
// computed by networks of their own, W(9), of growing size.
var BeyondGates = figures.Figure{
	Paper: paper, Name: "beyond-gates",
	Title: "Beyond the paper: what gates must be able to learn",
	Panels: []experiment.Panel{{
		Name: "variable-warp", Title: "variable warping", X: "maximum warping (steps)",
		Y: excessAxis, Arms: gatedArms(),
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: gateSweep{
				warping{variableWarp{}, true, quickSetup, 1, []int{5, 10, 20}},
			}},
			record.Reduced: {Trials: 3, Declaration: gateSweep{
				warping{variableWarp{}, true, reducedSetup, 10, []int{10, 50}},
			}},
			record.Paper: {Trials: 5, Declaration: gateSweep{
				warping{variableWarp{}, true, paperSetup, 100, []int{10, 55, 100}},
			}},
		},
	}},
	Views: []figures.View{figures.Finals{Of: experiment.TestLoss}},
	Caption: "Beyond the paper: what must gates be able to learn? Test loss on variable warping. One gate serves " +
		"all units, or each unit has a gate of its own; it is computed from the input and the network's state h, " +
		"or by a separate recurrent network of 1 to 64 units. 0 % is the best possible loss, 100 % that of the " +
		"best model without memory; 5 % is what we call solved.",
	Layout: figures.Layout{Columns: 1, Height: 2.6 * vg.Inch},
	Open: []figures.Choice{
		{
			Open: "sizes and training", Chosen: "those of Figure 1, at the rate at which its gated networks are best",
			Why: "the question is about the gates alone",
		}, {
			Open:   "the network of the gates",
			Chosen: "plain, equation (2), with 1 to 64 units, and a gate for each unit of h",
			Why: "the paper says a recurrent network with a state of its own. One gate would be σ of a sum, and no " +
				"sum of a term for this character and one for the last tells whether they are the same",
		}, {
			Open: "initial biases of the gates", Chosen: "0: gates start at 1/2", Why: "as in Figure 1",
		},
	},
}

// networkSizes are the units of the networks that compute gates.
var networkSizes = []int{1, 4, 16, 64}

// oneGate is W(8).
var oneGate = architecture{
	cell: func(h int) cell.Cell { return cell.GlobalGated{Hidden: h} },
	rate: gated.rate, biases: []chrono.GateInit{halfOpen}, gate: "gate", arms: []string{"one-gate"},
	start: fig1Init,
}

// gatedBy is W(10) with gates that are computed by a network of their own, W(9).
func gatedBy(units int) architecture {
	return architecture{
		cell: func(h int) cell.Cell { return cell.NetworkGated{Hidden: h, Network: units} },
		rate: gated.rate, biases: []chrono.GateInit{halfOpen}, arms: []string{fmt.Sprintf("network-%d", units)},
		start: fig1Init,
	}
}

// gatedArms are the arms of BeyondGates.
func gatedArms() []experiment.Arm {
	arms := []experiment.Arm{
		{Name: oneGate.arms[0], Label: "one gate, of x and h"},
		{Name: gated.arms[0], Label: "a gate per unit, of x and h"},
	}
	for _, units := range networkSizes {
		label := fmt.Sprintf("per unit, by a network of %d", units)
		arms = append(arms, experiment.Arm{Name: gatedBy(units).arms[0], Label: label})
	}
	return arms
}

// gateSweep is the panel of BeyondGates at one scale.
type gateSweep struct{ warping }

// Runs implements experiment.Declaration: a run for each kind of gate, with every value of maximum_warping and seed.
func (g gateSweep) Runs(seeds []uint64) []experiment.Run {
	architectures := []architecture{oneGate, gated}
	for _, units := range networkSizes {
		architectures = append(architectures, gatedBy(units))
	}
	return g.runs(seeds, architectures...)
}

// gatesClaims are what W's text says of gates and no figure of W shows.
func gatesClaims() []claim.Claim {
	runs := []claim.Run{
		{Figure: BeyondGates.ID(), Panel: BeyondGates.Panels[0].Name, Scale: record.Reduced},
		{Figure: BeyondGates.ID(), Panel: BeyondGates.Panels[0].Name, Scale: record.Paper},
	}
	return []claim.Claim{
		{
			ID: "warp/text.learned-g", Where: "Section 1, below (7)", DecidedBy: runs,
			Says: "The quality of the invariance depends on the learning power of the function g.",
			Criterion: "variable warping at its largest: gates by a network of 64 units have a lower excess loss " +
				"than by one of 1 unit, in every trial and on average by a point, and on the way from 1 to 64 the " +
				"mean nowhere rises by a point",
			Judge: claim.Judging(learnedG),
		}, {
			ID: "warp/text.one-gate-or-many", Where: "Section 1, above (10)", DecidedBy: runs,
			Says: "A gate for each unit offers more flexibility than one gate for all.",
			Criterion: "variable warping from a fifth of the largest value on: excess loss with a gate per unit is " +
				"lower than with one gate, in every trial, and on average at most half",
			Judge: claim.Judging(oneGateOrMany),
		},
	}
}

// onePoint is how far gates must be apart: our choice.
var onePoint = claim.Threshold{Name: "a distance of %s between gates", Value: 0.01, Percent: true}

func learnedG(r claim.Reader) claim.Finding {
	var excess []record.Spread
	var found []string
	for _, units := range networkSizes {
		s := gateExcess(r, gatedBy(units))
		xs := s.xs()
		largest := s[xs[len(xs)-1]]
		excess = append(excess, largest)
		found = append(found, fmt.Sprintf("%v with %d", claim.Percent(largest), units))
	}
	smallest, biggest, point := excess[0], excess[len(excess)-1], r.Threshold(onePoint)
	answer, why := r.Below(biggest, smallest, point), "less than one point apart, or their trials overlap"
	rises := false
	for i := range excess[1:] {
		rises = rises || excess[i+1].Mean > excess[i].Mean+point
	}
	switch {
	case smallest.Max <= r.Threshold(visible) && answer != claim.Contradicted:
		answer, why = claim.Inconclusive, "the smallest network is perfect already"
	case answer == claim.Reproduced && rises:
		answer, why = claim.Inconclusive, "it rises on the way"
	}
	return claim.Found(answer, why,
		"variable warping at its largest: excess loss in % by units of the gates' network: "+strings.Join(found, ", "),
	).With("excess loss: %.2g %% with 64 units, %.2g %% with 1", 100*biggest.Mean, 100*smallest.Mean)
}

func oneGateOrMany(r claim.Reader) claim.Finding {
	one, many := gateExcess(r, oneGate), gateExcess(r, gated)
	var answers []claim.Answer
	var found []string
	number := ""
	for _, x := range one.from(r.Threshold(moderate)) {
		answers = append(answers, farBelow(r, many[x], one[x]))
		found = append(found, fmt.Sprintf("one gate %v, a gate per unit %v at %g", claim.Percent(one[x]),
			claim.Percent(many[x]), x))
		number = fmt.Sprintf("excess loss: a gate per unit %.2g, one gate %.2g %% at %g", 100*many[x].Mean,
			100*one[x].Mean, x)
	}
	return claim.Found(claim.Every(answers...), "not everywhere by half, and in every trial",
		"variable warping: excess loss in %: "+strings.Join(found, ", ")).With("%s", number)
}

// gateExcess is an arm's excess loss at each maximum_warping.
func gateExcess(r claim.Reader, t architecture) sweep {
	return sweepOf(r, r.Arm(BeyondGates.ID(), BeyondGates.Panels[0].Name, t.arms[0]))
}
