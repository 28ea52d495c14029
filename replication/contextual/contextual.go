// Package contextual declares the figures of C, Wenke & Fleming, "Contextual Recurrent Neural Networks", 2019: a
// file for each figure, with the claims that the paper makes about it, as in package warp.
package contextual

import (
	_ "embed"

	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// paper is the first part of every identifier.
const paper = "context"

//go:embed open.md
var leftOpen string

// Paper is C: its figures in the paper's order, and then ours.
var Paper = figures.Paper{
	Name:  paper,
	Title: "Contextual recurrent neural networks (Wenke & Fleming, 2019)",
	Terms: "[The paper](https://arxiv.org/abs/1902.03455). " +
		"Initial states are *zero*, *free* (a trained constant) or *learned* (made from the input by a second " +
		"network). *To 99 %*: until all compared have it.",
	Words: claim.Words{Results: map[record.Result]claim.Named{
		validLikelihood:          {Name: "log likelihood", Unit: claim.Unit{Times: 1, Name: "nats"}},
		experiment.ValidAccuracy: {Name: "accuracy", Unit: claim.Percent},
		validError:               {Name: "validation error", Unit: claim.Plain},
		earlyError:               {Name: "error of the first 3 steps", Unit: claim.Plain},
		firstSize:                {Name: "initial states", Unit: claim.Plain},
		deviation:                {Name: "softplus(σ)", Unit: claim.Plain},
	}},
	Figures: []figures.Figure{Fig1, Fig2, Fig3, Fig4, Fig5, Fig6, BeyondBatch},
	Open:    leftOpen,
	Text: claim.Set{
		ID: "context/text", Title: "Claims of the text", Conditions: decayConditions[:3], Claims: textClaims,
	},
}

// adam is the optimizer of both tasks: C 2.2.1 and 2.2.2. Beyond the rate C names nothing.
func adam(rate, clip float64) trial.Optimizer {
	return trial.Optimizer{
		Method: trial.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, Rates: []float64{rate}, Clip: clip,
	}
}
