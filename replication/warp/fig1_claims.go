package warp

import (
	"fmt"
	"strings"

	"github.com/warptime/warptime/replication/claim"
)

// Our choices: the paper says "perfect", "moderate", "small" and "regulate", without numbers.
const (
	moderate     = 0.2 // warpings are moderate from this part of the longest on
	smallPadding = 10  // zeros; W's first example of a rescaling has a character every 10 steps
	gateRatio    = 3   // a gate follows the clock if it is so many times wider where the input changes
	mostPairs    = 0.9 // time scales rise with the warping if they do in this share of the pairs of trials
	somePairs    = 0.5 // they do not if they do in no larger share
)

const (
	pureWarpings = "Section 3, Pure warpings and paddings"
	alwaysSolved = "excess loss of at most 5 % at every maximum_warping"
)

// fig1Places are where the paper has the first four panels of Fig1. The other four are the same at another rate.
var fig1Places = []string{"top left", "top right", "bottom left", "bottom right"}

func fig1Claims() []claim.Claim {
	claims := []claim.Claim{{
		ID: "warp/fig1.unwarped.all-succeed", Where: pureWarpings,
		Says:      "Without warping, the task is easy for all three architectures.",
		Criterion: "at maximum_warping 1, every architecture's excess loss is at most 5 %" + bothRates,
		Judge:     inBothRows("uniform-warp", allSucceed),
	}}
	for i, place := range fig1Places {
		panel := Fig1.Panels[i]
		kind, _, _ := strings.Cut(panel.Title, ", ") // "uniform warping"
		add := func(what, where, says, criterion string, judge func(claim.Evidence) claim.Finding) claim.Claim {
			claims = append(claims, claim.Claim{
				ID: "warp/fig1." + panel.Name + "." + what, Where: where + "; Figure 1, " + place,
				Says: fmt.Sprintf(says, kind), Criterion: criterion, Judge: judge,
			})
			return claims[len(claims)-1]
		}
		gatedPerfect := add("gated-perfect", pureWarpings, "Gated RNNs solve %s perfectly at every maximum_warping.",
			alwaysSolved+bothRates, inBothRows(panel.Name, alwaysSolvedBy(gated)))
		if strings.HasPrefix(kind, "uniform") {
			leakyPerfect := add("leaky-perfect", pureWarpings+"; caption", "Leaky RNNs solve %s perfectly.",
				alwaysSolved+bothRates, inBothRows(panel.Name, alwaysSolvedBy(leaky)))
			add("leaky-gated-overlap", "Caption", "In %s, the curves of leaky and gated RNNs overlap, with loss 0.",
				"leaky-perfect and gated-perfect are both reproduced", claim.All(leakyPerfect, gatedPerfect))
		} else {
			add("leaky-suboptimal", pureWarpings+" (said of warpings)", "Leaky RNNs fail to be optimal in %s.",
				"at some maximum_warping no trial has an excess loss of at most 5 %"+bothRates,
				inBothRows(panel.Name, opposite(alwaysSolvedBy(leaky))))
		}
		add("gated-beats-rnn", pureWarpings, "In %s, gated RNNs significantly outperform RNNs once it is moderate.",
			"from a fifth of the largest value on, where no RNN has an excess loss of at most 5 % (there is such a "+
				"value): gated RNNs' is lower in every trial, and on average at most half"+bothRates,
			inBothRows(panel.Name, gatedBeatsRNN))
	}
	return append(claims, claim.Claim{
		ID: "warp/fig1.uniform-pad.rnn-fails", Where: "Section 1",
		Says:      "A fixed, small number of zeros between the elements can make a task impossible to learn for RNNs.",
		Criterion: "with some number of zeros, up to 10, every RNN's excess loss is above 5 %" + bothRates,
		Judge:     inBothRows("uniform-pad", rnnFails, rnn),
	}, claim.Claim{
		ID: "warp/fig1.uniform-warp.leaky-learns-the-time-scale", Where: "Section 1, Invariance to time rescaling",
		Says: "Learning α amounts to learning the time scale of the problem: 1/α is how long a leaky RNN remembers.",
		Criterion: "leaky RNNs with an excess loss of at most 5 %: in 90 % of all pairs of trials with different " +
			"warpings, the more warped one has the longer median 1/α, by 5 %" + bothRates,
		Judge: inBothRows("uniform-warp", leaksFollowTheWarping),
	}, claim.Claim{
		ID: "warp/fig1.variable-warp.gates-follow-the-clock", Where: "Conclusion",
		Says: "Gated connections appear to regulate the local time constants.",
		Criterion: "gated RNNs with an excess loss of at most 5 %, from a fifth of the largest value on: the mean " +
			"gate where the input changes is at least 3 times that elsewhere" + bothRates,
		Judge: inBothRows("variable-warp", gatesFollowTheClock),
	})
}
