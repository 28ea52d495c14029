package context

import (
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// Claims of C's text that no figure shows.
func textClaims() []claim.Claim {
	return []claim.Claim{
		{
			ID: "context/text.constant-is-forgotten", Where: "Sections 1 and 1.1.2",
			Says: "A network learns to overcome the error of an arbitrary constant first state, over time and " +
				"training.",
			Criterion: fmt.Sprintf("decay, zero: begun in random states of root mean square %d instead, the change of "+
				"its prediction at the last step is at most 5 %% of that at the first, and that share is smaller "+
				"after the last epoch than after the first", disturbance),
			Judge: judging(forgotten),
		}, {
			ID: "context/text.corrected-faster", Where: "Section 1",
			Says: "That correction is faster if the first state is learned from context.",
			Criterion: "learned is below zero, in every trial: in retrieval the mean validation loss over the epochs " +
				"until both have an accuracy of 99 %, by 0.02 nats; in decay the validation error of the first 3 " +
				"steps after the last epoch, by a tenth",
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

func forgotten(r *reader) claim.Finding {
	var before, after []float64
	for _, t := range r.arm(Fig5, zeroArm) {
		points := t.Record.Series(apart)
		if len(points) == 0 || len(points[0].Vectors) == 0 {
			r.Miss(fmt.Errorf("no series %s of zero in %s", apart, t.Record.Name()))
			return claim.Finding{}
		}
		left := func(p record.Point) float64 {
			of := p.Vectors[t.Place]
			share := of[len(of)-1] / of[0]
			if math.IsNaN(share) {
				return math.Inf(1)
			}
			return share
		}
		before, after = append(before, left(points[0])), append(after, left(points[len(points)-1]))
	}
	first, last := record.SpreadOf(before), record.SpreadOf(after)
	found := fmt.Sprintf("effect of the first state that is left after 25 steps, in %% of that at the first: %v after "+
		"the first epoch, %v after the last", claim.Percent(first), claim.Percent(last))
	return claim.Found(claim.Every(claim.AtMost(last, forgottenLeft), claim.Below(last, first, 0)), found, someTrial)
}

func correctedFaster(r *reader) claim.Finding {
	n := r.untilAll(learnedArm, zeroArm)
	loss := func(arm string) record.Spread {
		return spreadOf(r.curves(Fig2, arm, validLikelihood), math.Inf(1),
			func(curve []float64) float64 { return -mean(curve[:n]) })
	}
	error := func(arm string) record.Spread {
		return spreadOf(r.curves(Fig5, arm, earlyError), math.Inf(1), ofLast)
	}
	learned, zero := loss(learnedArm), loss(zeroArm)
	early, earlyZero := error(learnedArm), error(zeroArm)
	found := fmt.Sprintf("retrieval, mean loss of %s epochs: learned %v, zero %v; decay, error of the first 3 steps: "+
		"learned %v, zero %v", record.Number(float64(n)/r.checks()), learned, zero, early, earlyZero)
	answer := claim.Every(claim.Below(learned, zero, nats),
		claim.Below(early, earlyZero, visible*min(early.Mean, earlyZero.Mean)))
	return claim.Found(answer, found, "not visibly so in both tasks and all trials")
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
		Criterion: "learned-outperforms-zero in Figure 2 and learned-below-zero in Figure 5 are both seen",
		Judge:     claim.All(outperforms(zeroArm, ""), fig5Claims()[0]),
	}
}
