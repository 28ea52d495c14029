package warp

import (
	"fmt"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
)

// BeyondGates asks what gates must be able to learn, of which W speaks below (7) and (9) and shows nothing in a figure:
// on the variable warping of Figure 1, one gate for all units, W(8), beside a gate for each, W(10); and gates that are
// computed by networks of their own, W(9), of growing size.
var BeyondGates = figures.Figure{
	Paper: paper, Name: "beyond-gates",
	Title: "What gates must be able to learn",
	Panels: []experiment.Panel{sweptPanel("variable-warp", variableWarp.title,
		variableWarp.over([]int{5, 10, 20}, []int{10, 50}, []int{10, 55, 100}), gates)},
	Views: []figures.View{loggedLosses},
	Found: "With a gate for each unit all networks solve the task; with one gate for all, two of five fail at 100.",
	Caption: "Test loss on variable warping. One gate serves all units, or each unit has a gate of its own; it is " +
		"computed from the input and the network's state h, or by a separate recurrent network of 1 to 64 units. All " +
		"weights begin in U(±1/√H). 0 % is the best possible loss (drawn at 0.001 %), 100 % that of the best model " +
		"without memory; 5 % is what we call solved.",
	Arms:   []string{"one-gate", "network-1", "gated", "network-4", "network-16", "network-64"}, // gated as in Figure 1
	Layout: figures.Layout{Columns: 1, Height: 2.4 * figures.Inch},
}

var gates = []variant{
	oneGate, gated.as("gated", "a gate per unit, of x and h"), gatedBy(1), gatedBy(4), gatedBy(16), gatedBy(64),
}

// oneGate is W(8).
var oneGate = variant{
	Arm: experiment.Arm{Name: "one-gate", Label: "one gate, of x and h"}, init: gated.init, times: gated.times,
	cell: units[cell.GlobalGated], gate: "gate",
}

// gatedBy is W(10) with gates that are computed by a network of their own, W(9).
func gatedBy(units int) variant {
	a := gated.as(fmt.Sprintf("network-%d", units), fmt.Sprintf("per unit, by a network of %d", units))
	a.cell, a.gate = func(h int) cell.Cell { return cell.NetworkGated{Hidden: h, Network: units} }, ""
	return a
}

// gatesClaims are what W's text says of gates and no figure of W shows.
var gatesClaims = []claim.Claim{
	{
		Name: "learned-g", Where: "Section 1, below (7)", Untrained: true,
		Says:  "The quality of the invariance depends on the learning power of the function g.",
		Quote: "will depend on the learning power of the learnable function g",
		Rule: claim.AtEveryX{Of: gateExcess(gatedBy(64)), From: largest, Rule: claim.Below{
			A: gateExcess(gatedBy(64)), B: gateExcess(gatedBy(1)), By: aPoint,
		}},
		Needs: harder,
	}, {
		Name: "one-gate-or-many", Where: "Section 1, above (10)", Untrained: true,
		Says:  "A gate for each unit offers more flexibility than one gate for all.",
		Quote: "This offers more flexibility",
		Rule: claim.AtEveryX{Of: gateExcess(gated), From: moderate, Rule: claim.Below{
			A: gateExcess(gated), B: gateExcess(oneGate), By: visible, Factor: far,
		}},
		Needs: harder,
	},
}

// harder is what would tell these gates apart: at most of the paper's lengths all of them solve its task.
const harder = "a harder task than the paper's"

// largest is the whole of the largest x.
var largest = claim.Threshold{Value: 1, From: 1}

// gateExcess is an arm's excess loss at each maximum_warping.
func gateExcess(a variant) claim.Result {
	return testExcess(claim.Arm{Figure: "warp/beyond-gates", Panel: "variable-warp", Name: a.Name})
}
