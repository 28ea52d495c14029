package contextual

import (
	"fmt"
	"math"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// How much may be left of the error after training, and of an initial state's effect after the last step: our choices.
var (
	overcomeError = claim.Threshold{Name: "an error of %s of the first epoch's", Value: 0.1, Percent: true}
	diminished    = claim.Threshold{Name: "%s of the effect left", Value: 0.5, Percent: true}
)

// Claims of C's text that no figure shows.
func textClaims() []claim.Claim {
	return []claim.Claim{
		{
			ID: "context/text.constant-is-overcome", Where: "Sections 1, 1.1.2 and 2.1",
			Says: "A network learns to overcome the error of an arbitrary constant initial state, over time and " +
				"training.",
			Criterion: fmt.Sprintf("decay, zero: training brings the validation error of the first 3 steps to a tenth "+
				"of what it was after the first epoch, or less; and time diminishes the effect of the initial state: "+
				"begun in random states of root mean square %d instead, the last prediction changes by at most half "+
				"as much as the first", disturbance),
			Open: []claim.Choice{decaySetup}, DecidedBy: decayRuns,
			Judge: judging(decaySetup, overcome),
		}, {
			ID: "context/text.corrected-faster", Where: "Section 1",
			Says: "That correction is faster if the initial state is learned from context.",
			Criterion: "decay: averaged over all epochs, the validation error of the first 3 steps is lower in every " +
				"trial of learned than in any of zero, by a tenth",
			Open: []claim.Choice{decaySetup}, DecidedBy: decayRuns,
			Judge: judging(decaySetup, correctedFaster),
		}, {
			ID: "context/text.end-to-end", Where: "Abstract; Section 1.2",
			Says: "The network that makes the initial state is trained end to end.",
			Criterion: "decay, learned: from the first epoch to the last, the size of the initial states changes by " +
				"more than 1 %; that gradients reach its weights is a test of the cells",
			Open: []claim.Choice{decaySetup}, DecidedBy: decayRuns,
			Judge: judging(decaySetup, endToEnd),
		}, {
			ID: "context/eq4.uncertainty-learned", Where: "Section 2.2.2, after equation 4",
			Says: "The uncertainty of the initial state is learned.",
			Criterion: fmt.Sprintf("decay, learned: the mean of softplus(σ) ends more than 10 %% away from %g, where "+
				"it began", startSpread),
			Open: []claim.Choice{decaySetup}, DecidedBy: decayRuns,
			Judge: judging(decaySetup, uncertaintyLearned),
		},
	}
}

func overcome(r reader) claim.Finding {
	fallen := claim.SpreadOver(r.curves(zeroArm, earlyError), math.Inf(1),
		func(c claim.Curve) float64 { return c.Last() / c.Values[0] })
	var left []float64
	for _, of := range r.Vectors(r.arm(zeroArm).LastVectors(apart)) {
		share := of[len(of)-1] / of[0]
		if math.IsNaN(share) {
			share = math.Inf(1)
		}
		left = append(left, share)
	}
	effect := record.SpreadOf(left)
	answer := claim.Every(claim.AtMost(fallen, r.Threshold(overcomeError)),
		claim.AtMost(effect, r.Threshold(diminished)))
	return claim.Found(answer, someTrials,
		fmt.Sprintf("error of the first 3 steps after the last epoch, in %% of that after the first: zero %v",
			claim.Percent(fallen)),
		fmt.Sprintf("effect of another initial state that is left after 25 steps, in %% of that at the first: %v",
			claim.Percent(effect)),
	).With("%s %% of the error and %s %% of the effect are left", record.Number(100*fallen.Mean),
		record.Number(100*effect.Mean))
}

func correctedFaster(r reader) claim.Finding {
	early := func(arm string, number func(claim.Curve) float64) record.Spread {
		return claim.SpreadOver(r.curves(arm, earlyError), math.Inf(1), number)
	}
	learned, zero := early(learnedArm, claim.Curve.Mean), early(zeroArm, claim.Curve.Mean)
	return claim.Found(r.Below(learned, zero, r.Threshold(visibleError)*min(learned.Mean, zero.Mean)), closeOrMixed,
		fmt.Sprintf("error of the first 3 steps, mean over the epochs: learned %v, zero %v", learned, zero),
		fmt.Sprintf("after the last epoch: learned %v, zero %v", early(learnedArm, claim.Curve.Last),
			early(zeroArm, claim.Curve.Last)),
	).With("error of the first 3 steps: learned %s, zero %s", record.Number(learned.Mean), record.Number(zero.Mean))
}

// moved is by which part of a number it changes in the course of training.
func moved(from func(claim.Curve) float64) func(claim.Curve) float64 {
	return func(c claim.Curve) float64 { return math.Abs(c.Last()/from(c) - 1) }
}

func endToEnd(r reader) claim.Finding {
	first := func(c claim.Curve) float64 { return c.Values[0] }
	change := claim.SpreadOver(r.curves(learnedArm, firstSize), 0, moved(first))
	return claim.Found(claim.AtLeast(change, r.Threshold(movedStates)), someTrials, fmt.Sprintf(
		"the initial states' root mean square changes by %v %% in the course of training", claim.Percent(change)),
	).With("initial states change by %s %%", record.Number(100*change.Mean))
}

func uncertaintyLearned(r reader) claim.Finding {
	curves := r.curves(learnedArm, deviation)
	ends := claim.SpreadOver(curves, startSpread, claim.Curve.Last)
	change := claim.SpreadOver(curves, 0, moved(func(claim.Curve) float64 { return startSpread }))
	direction := "it fell and rose"
	if ends.Max < startSpread {
		direction = "it fell"
	} else if ends.Min > startSpread {
		direction = "it rose"
	}
	return claim.Found(claim.AtLeast(change, r.Threshold(movedSigma)), someTrials,
		fmt.Sprintf("mean softplus(σ) ends at %v: %s", ends, direction),
	).With("softplus(σ): at first %g, at the end %s", startSpread, record.Number(ends.Mean))
}
