// Package warp declares the figures of W, Tallec & Ollivier, "Can recurrent neural networks warp time?", ICLR 2018: one
// file for each, with the claims that the paper makes about it.
package warp

import "github.com/warptime/warptime/figures"

// Paper is W: its figures in the paper's order, and then ours.
var Paper = figures.Paper{
	Name:  paper,
	Title: "Can recurrent neural networks warp time? (Tallec & Ollivier, 2018)",
	Figures: []figures.Figure{
		Fig1.With(fig1Claims),
		Fig2,
		Fig3.With(fig3Claims),
		Fig4.With(fig4Claims),
		Fig5.With(fig5Claims),
		Fig6.With(fig6Claims),
		Fig7.With(fig7Claims),
		BeyondSafe.With(safeClaims),
		BeyondGates.With(gatesClaims),
		BeyondPlain,
		BeyondPixels,
		BeyondTorch,
	},
}
