package warp

import (
	"fmt"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// gatesClaims are what W's text says of gates and no figure of W shows.
func gatesClaims() []claim.Claim {
	return []claim.Claim{
		{
			ID: "warp/text.learned-g", Where: "Section 1, below (7)",
			Says: "The quality of the invariance depends on the learning power of the function g.",
			Criterion: "variable warping at its largest: gates by a network of 64 units have a lower excess loss " +
				"than by one of 1 unit, in every trial and on average by a point, and on the way from 1 to 64 the " +
				"mean nowhere rises by a point",
			Judge: claim.Judging(learnedG),
		}, {
			ID: "warp/text.one-gate-or-many", Where: "Section 1, above (10)",
			Says: "A gate for each unit offers more flexibility than one gate for all.",
			Criterion: "variable warping from a fifth of the largest value on: excess loss with a gate per unit is " +
				"lower than with one gate, in every trial, and on average at most half",
			Judge: claim.Judging(oneGateOrMany),
		},
	}
}

func learnedG(r claim.Reader) claim.Finding {
	var excess []record.Spread
	var found []string
	for _, units := range networkSizes {
		s := gateSweep(r, gatedBy(units))
		xs := s.xs()
		largest := s[xs[len(xs)-1]]
		excess = append(excess, largest)
		found = append(found, fmt.Sprintf("%v with %d", claim.Percent(largest), units))
	}
	smallest, biggest := excess[0], excess[len(excess)-1]
	answer, why := claim.Below(biggest, smallest, onePoint), "less than one point apart, or their trials overlap"
	rises := false
	for i := range excess[1:] {
		rises = rises || excess[i+1].Mean > excess[i].Mean+onePoint
	}
	switch {
	case smallest.Max <= visibleShare && answer != claim.Contradicted:
		answer, why = claim.Inconclusive, "the smallest network is perfect already"
	case answer == claim.Reproduced && rises:
		answer, why = claim.Inconclusive, "it rises on the way"
	}
	return claim.Found(answer, why,
		"variable warping at its largest: excess loss in % by units of the gates' network: "+strings.Join(found, ", "))
}

func oneGateOrMany(r claim.Reader) claim.Finding {
	one, many := gateSweep(r, oneGate), gateSweep(r, gated)
	var answers []claim.Answer
	var found []string
	for _, x := range one.from(moderateShare) {
		answers = append(answers, farBelow(many[x], one[x]))
		found = append(found, fmt.Sprintf("one gate %v, a gate per unit %v at %g", claim.Percent(one[x]),
			claim.Percent(many[x]), x))
	}
	return claim.Found(claim.Every(answers...), "not everywhere by half, and in every trial",
		"variable warping: excess loss in %: "+strings.Join(found, ", "))
}

// gateSweep is an arm's excess loss at each maximum_warping.
func gateSweep(r claim.Reader, t trainee) sweep {
	return sweepOf(r, BeyondGates, BeyondGates.Panels[0].Name, t.arms[0])
}
