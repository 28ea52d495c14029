// Package contextual declares the experiments of C, Wenke & Fleming, "Contextual Recurrent Neural Networks", 2019: a
// file for each figure, and beside it the claims that the paper makes about it, as in package warp.
package contextual

import (
	"slices"
	"strconv"

	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
)

// Paper is the first part of every identifier.
const Paper = "context"

// Figures are the figures that are trained, in the paper's order, and four that go beyond it. (Figures 1, 3 and 4 show
// networks and a task, and need no training.)
func Figures() []experiment.Figure {
	return []experiment.Figure{Fig2, Fig5, Fig6, BeyondStart, BeyondOrder, BeyondWarping, BeyondChrono}
}

// Claims are what the paper says of them, in the same order.
func Claims() []claim.Claim {
	return slices.Concat(fig2Claims(), fig5Claims(), fig6Claims(), textClaims(), []claim.Claim{rangeOfTasks()})
}

// bothChoices are what the paper leaves open in both of its tasks.
var bothChoices = []experiment.Choice{
	{Open: "Adam's β1, β2 and ε", Chosen: "0.9, 0.999, 1e-8", Why: "TensorFlow's defaults"},
	{
		Open: "data of the trials", Chosen: "each trial has sets of its own; trial k of every arm the same",
		Why: "the trials' spread is then also that of the data",
	},
}

// adam is the optimizer of both tasks: C 2.2.1 and 2.2.2. Beyond the rate C names nothing.
func adam(rate, clip float64) trial.Optimizer {
	return trial.Optimizer{
		Method: trial.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, Rates: []float64{rate}, Clip: clip,
	}
}

// number returns a pointer to a number, for the fields that may be absent. Of a computed one twelve digits are kept, so
// that every processor declares the same.
func number(x float64) *float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		panic(err) // it was a number
	}
	return &x
}
