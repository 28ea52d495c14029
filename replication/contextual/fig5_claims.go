package contextual

import (
	"fmt"
	"math"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

const decayTask = "Section 2.2.2; Figure 5"

// Our choices.
const (
	seedsAgree   = 0.5 // the trials of an arm agree if their range is at most this share of their mean
	seedsDiffer  = 1   // and do not, if it is more than this
	sigmaMoved   = 0.1 // a deviation is learned if it moved by this share
	weightsMoved = 0.01
)

func fig5Claims() []claim.Claim {
	return []claim.Claim{
		{
			ID: "context/fig5.learned-below-zero", Where: decayTask + "; the verdict is that of Sections 1.2 and 3",
			Says: "On linear cosine decay, the learned first state has a lower error than zeros.",
			Criterion: "after the last epoch, every trial of learned has a lower validation error than any of zero, " +
				"on average by a tenth, and one arm's is at most a tenth of the best constant's",
			Judge: judging(learnedBelowZero),
		}, {
			ID: "context/fig5.learned-faster", Where: decayTask,
			Says: "On linear cosine decay, the learned first state has a low error earlier than zeros.",
			Criterion: "every trial of learned is at a tenth of the best constant's error after fewer epochs than " +
				"any of zero",
			Judge: judging(learnedFaster),
		}, {
			ID: "context/fig5.seeds-agree", Where: "Caption of Figure 5 (3 seeds)",
			Says: "Models of the learned first state agree with each other.",
			Criterion: "after the last epoch, the range of their validation errors is at most half of the mean; " +
				"contradicted if it is larger than the mean",
			Judge: judging(seedsAgreeing),
		}, {
			ID: "context/fig5.interpolates", Where: "Section 2.2.2, first sentence",
			Says: "The network interpolates and generalizes to missing regression quantities.",
			Criterion: "learned: after the last epoch, the error on T = 1, 2, 3, 4, none of which is trained on, is " +
				"at most a tenth of the best constant's",
			Judge: judging(interpolates),
		},
	}
}

// errors are the validation errors of both arms after the last epoch.
func (r *reader) errors() (learned, zero record.Spread, found string) {
	learned = spreadOf(r.curves(Fig5, learnedArm, validError), math.Inf(1), ofLast)
	zero = spreadOf(r.curves(Fig5, zeroArm, validError), math.Inf(1), ofLast)
	found = fmt.Sprintf("validation error: learned %v, zero %v, best constant %s", learned, zero,
		record.Number(r.constant(Fig5, zeroArm)))
	return learned, zero, found
}

const neitherLearned = "neither arm is at a tenth of the best constant's error"

func learnedBelowZero(r *reader) claim.Finding {
	learned, zero, found := r.errors()
	if !(min(learned.Max, zero.Max) <= tenth*r.constant(Fig5, zeroArm)) {
		return claim.Found(claim.Inconclusive, found, neitherLearned)
	}
	answer := claim.Below(learned, zero, visible*min(learned.Mean, zero.Mean))
	return claim.Found(answer, found, "less than a tenth apart, or their trials overlap")
}

func learnedFaster(r *reader) claim.Finding {
	races := func(share float64) (learned, zero race) {
		reached := func(error float64) bool { return error <= share*r.constant(Fig5, zeroArm) }
		return raceTo(r.curves(Fig5, learnedArm, validError), 1, reached),
			raceTo(r.curves(Fig5, zeroArm, validError), 1, reached)
	}
	var found []string
	for _, level := range []struct {
		share float64
		name  string
	}{{tenth, "a tenth"}, {tenth / 2, "a twentieth"}} {
		learned, zero := races(level.share)
		found = append(found, fmt.Sprintf("epochs to %s of the best constant's error: learned %v, zero %v%s",
			level.name, learned, zero, learned.ratio(zero)))
	}
	learned, zero := races(tenth)
	why := "some trials of each are as fast as some of the other"
	if !learned.ends() {
		why = "not every trial of learned is at a tenth of the best constant's error"
	}
	return claim.Found(learned.before(zero), strings.Join(found, "; "), why)
}

func seedsAgreeing(r *reader) claim.Finding {
	learned, _, _ := r.errors()
	range_ := (learned.Max - learned.Min) / learned.Mean
	found := fmt.Sprintf("validation error: learned %v, range over mean %s", learned, record.Number(range_))
	switch {
	case !(learned.Mean <= tenth*r.constant(Fig5, learnedArm)):
		return claim.Found(claim.Inconclusive, found, "learned is not at a tenth of the best constant's error")
	case range_ <= seedsAgree:
		return claim.Found(claim.Reproduced, found, "")
	case range_ > seedsDiffer:
		return claim.Found(claim.Contradicted, found, "")
	}
	return claim.Found(claim.Inconclusive, found, "the range is between half of the mean and the mean")
}

func interpolates(r *reader) claim.Finding {
	valid, fresh := r.curves(Fig5, learnedArm, validError), r.final(Fig5, learnedArm, freshError)
	if r.Missed() {
		return claim.Finding{}
	}
	var ratios, lasts []float64
	for k, curve := range valid {
		last := ofLast(curve)
		if math.IsNaN(last) {
			last = math.Inf(1)
		}
		ratios, lasts = append(ratios, last/fresh[k]), append(lasts, last)
		if math.IsInf(last, 1) {
			ratios[k] = math.Inf(1)
		}
	}
	ratio, last := record.SpreadOf(ratios), record.SpreadOf(lasts)
	found := fmt.Sprintf("validation error of learned: %v, %v times that on trained periods; best constant %s", last,
		ratio, record.Number(r.constant(Fig5, learnedArm)))
	return claim.Found(claim.AtMost(last, tenth*r.constant(Fig5, learnedArm)), found, someTrial)
}
