// Package warp declares the experiments of W, Tallec & Ollivier, "Can recurrent neural networks warp time?", ICLR 2018:
// one file for each figure, and beside it the claims that the paper makes about it.
package warp

import (
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
)

// Paper is the first part of every identifier.
const Paper = "warp"

// Figures are the figures that are trained, in the paper's order, and two that go beyond it. (Figure 2 shows a task
// and needs no training.)
func Figures() []experiment.Figure {
	return []experiment.Figure{Fig1, Fig3, Fig4, Fig5, Fig6, Fig7, BeyondSafe, BeyondGates, BeyondPlain, BeyondPixels}
}

// Claims are what the paper says of them, in the same order, and at the end what only its text says.
func Claims() []claim.Claim {
	var all []claim.Claim
	for _, claims := range [][]claim.Claim{
		fig1Claims(), fig3Claims(), fig4Claims(), fig5Claims(), fig6Claims(), fig7Claims(), safeClaims(), gatesClaims(),
	} {
		all = append(all, claims...)
	}
	return all
}
