package contextual

import (
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// diminished is the share of a first state's effect that may be left of it for time to have diminished it: our choice.
const diminished = 0.5

// Claims of C's text that no figure shows.
func textClaims() []claim.Claim {
	return []claim.Claim{
		{
			ID: "context/text.constant-is-overcome", Where: "Sections 1, 1.1.2 and 2.1",
			Says: "A network learns to overcome the error of an arbitrary constant first state, over time and " +
				"training.",
			Criterion: fmt.Sprintf("decay, zero: training brings the validation error of the first 3 steps to a tenth "+
				"of what it was after the first epoch, or less; and time diminishes the effect of the first state: "+
				"begun in random states of root mean square %d instead, the last prediction changes by at most half "+
				"as much as the first", disturbance),
			Judge: judging(overcome),
		}, {
			ID: "context/text.corrected-faster", Where: "Section 1",
			Says: "That correction is faster if the first state is learned from context.",
			Criterion: "decay: averaged over all epochs, the validation error of the first 3 steps is lower in every " +
				"trial of learned than in any of zero, by a tenth",
			Judge: judging(correctedFaster),
		}, {
			ID: "context/text.end-to-end", Where: "Abstract; Section 1.2",
			Says: "The network that makes the first state is trained end to end.",
			Criterion: "decay, learned: from the first epoch to the last, the size of the first states changes by " +
				"more than 1 %; that gradients reach its weights is a test of the cells",
			Judge: judging(endToEnd),
		}, {
			ID: "context/eq4.uncertainty-learned", Where: "Section 2.2.2, after equation 4",
			Says: "The uncertainty of the first state is learned.",
			Criterion: fmt.Sprintf("decay, learned: the mean of softplus(σ) ends more than 10 %% away from %g, where "+
				"it began", startSpread),
			Judge: judging(uncertaintyLearned),
		},
	}
}

func overcome(r *reader) claim.Finding {
	fallen := spreadOf(r.curves(Fig5, zeroArm, earlyError), math.Inf(1),
		func(curve []float64) float64 { return ofLast(curve) / curve[0] })
	var left []float64
	for _, t := range r.arm(Fig5, zeroArm) {
		points := t.Record.Series(apart)
		if len(points) == 0 || len(points[0].Vectors) == 0 {
			r.Miss(fmt.Errorf("no series %s of zero in %s", apart, t.Record.Name()))
			return claim.Finding{}
		}
		of := points[len(points)-1].Vectors[t.Place]
		share := ofLast(of) / of[0]
		if math.IsNaN(share) {
			share = math.Inf(1)
		}
		left = append(left, share)
	}
	effect := record.SpreadOf(left)
	found := fmt.Sprintf("error of the first 3 steps after the last epoch, in %% of that after the first: zero %v; "+
		"effect of another first state that is left after 25 steps, in %% of that at the first: %v",
		claim.Percent(fallen), claim.Percent(effect))
	return claim.Found(claim.Every(claim.AtMost(fallen, tenth), claim.AtMost(effect, diminished)), found, someTrial)
}

func correctedFaster(r *reader) claim.Finding {
	early := func(arm string, number func([]float64) float64) record.Spread {
		return spreadOf(r.curves(Fig5, arm, earlyError), math.Inf(1), number)
	}
	learned, zero := early(learnedArm, mean), early(zeroArm, mean)
	found := fmt.Sprintf("error of the first 3 steps, mean over the epochs: learned %v, zero %v; after the last "+
		"epoch: learned %v, zero %v", learned, zero, early(learnedArm, ofLast), early(zeroArm, ofLast))
	return claim.Found(claim.Below(learned, zero, visible*min(learned.Mean, zero.Mean)), found,
		"less than a tenth apart, or their trials overlap")
}

func endToEnd(r *reader) claim.Finding {
	moved := func(curve []float64) float64 { return math.Abs(ofLast(curve)/curve[0] - 1) }
	change := spreadOf(r.curves(Fig5, learnedArm, firstSize), 0, moved)
	found := fmt.Sprintf("the first states' root mean square changes by %v %% in the course of training",
		claim.Percent(change))
	return claim.Found(claim.AtLeast(change, weightsMoved), found, someTrial)
}

func uncertaintyLearned(r *reader) claim.Finding {
	curves := r.curves(Fig5, learnedArm, deviation)
	ends := spreadOf(curves, startSpread, ofLast)
	change := spreadOf(curves, 0, func(curve []float64) float64 { return math.Abs(ofLast(curve)/startSpread - 1) })
	direction := "it fell and rose"
	if all := []float64{ends.Min, ends.Max}; slices.Max(all) < startSpread {
		direction = "it fell"
	} else if slices.Min(all) > startSpread {
		direction = "it rose"
	}
	found := fmt.Sprintf("mean softplus(σ) ends at %v: %s", ends, direction)
	return claim.Found(claim.AtLeast(change, sigmaMoved), found, someTrial)
}

// rangeOfTasks is the claim of C's conclusion.
func rangeOfTasks() claim.Claim {
	return claim.Claim{
		ID: "context/conclusion.range-of-tasks", Where: "Sections 1.2 and 3",
		Says:      "Learned first states improve performance on a range of tasks.",
		Criterion: "learned-outperforms-zero in Figure 2 and learned-below-zero in Figure 5 are both reproduced",
		Judge:     claim.All(outperforms(zeroArm, ""), fig5Claims()[0]),
	}
}
