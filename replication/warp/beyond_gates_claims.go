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
			Judge: judging(learnedG),
		}, {
			ID: "warp/text.one-gate-or-many", Where: "Section 1, above (10)",
			Says: "A gate for each unit offers more flexibility than one gate for all.",
			Criterion: "variable warping from a fifth of the largest value on: excess loss with a gate per unit is " +
				"lower than with one gate, in every trial, and on average at most half",
			Judge: judging(oneGateOrMany),
		},
	}
}

// gateSweep is an arm's excess loss in Gates at each maximum_warping.
func (r *reader) gateSweep(t architecture) sweep {
	trials, s := r.arm(BeyondGates, BeyondGates.Panels[0], t.arms[0]), sweep{}
	for _, x := range trials.Xs() {
		s[x] = record.SpreadOf(r.take(trials.At(x).Excess("test_loss")))
	}
	return s
}

func learnedG(r *reader) claim.Finding {
	var excess []record.Spread
	var found []string
	for _, units := range networkSizes {
		s := r.gateSweep(gatedBy(units))
		if r.Missed() {
			return claim.Finding{}
		}
		xs := s.xs()
		largest := s[xs[len(xs)-1]]
		excess = append(excess, largest)
		found = append(found, fmt.Sprintf("%v with %d", claim.Percent(largest), units))
	}
	says := "variable warping at its largest: excess loss in % by units of the gates' network: " +
		strings.Join(found, ", ")
	smallest, biggest := excess[0], excess[len(excess)-1]
	answer, why := claim.Below(biggest, smallest, onePoint), "less than one point apart, or their trials overlap"
	rises := false
	for i := range excess[1:] {
		rises = rises || excess[i+1].Mean > excess[i].Mean+onePoint
	}
	switch {
	case smallest.Max <= visible && answer != claim.Contradicted:
		answer, why = claim.Inconclusive, "the smallest network is perfect already"
	case answer == claim.Reproduced && rises:
		answer, why = claim.Inconclusive, "it rises on the way"
	}
	return claim.Found(answer, says, why)
}

func oneGateOrMany(r *reader) claim.Finding {
	one, many := r.gateSweep(oneGate), r.gateSweep(gated)
	if r.Missed() {
		return claim.Finding{}
	}
	var answers []claim.Answer
	var found []string
	for _, x := range one.from(moderate) {
		answers = append(answers, farBelow(many[x], one[x]))
		found = append(found, fmt.Sprintf("one gate %v, a gate per unit %v at %g", claim.Percent(one[x]),
			claim.Percent(many[x]), x))
	}
	return claim.Found(claim.Every(answers...), "variable warping: excess loss in %: "+strings.Join(found, ", "),
		"not everywhere by half, and in every trial")
}
