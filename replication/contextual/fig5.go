package contextual

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig5 is C Figure 5: LSTMs that begin in zeros, C(2a), and in a learned distribution, C(4), on linear cosine decay.
var Fig5 = figures.Figure{
	Paper: paper, Name: "fig5",
	Title: "First states of LSTMs on linear cosine decay",
	Panels: []experiment.Panel{{
		Name: "decay", Title: "linear cosine decay", X: "epochs", Y: "validation squared error (scaled)",
		Arms: []experiment.Arm{
			{Name: zeroArm, Label: "zero, told T at every step"}, {Name: learnedArm, Label: "learned distribution"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: comparison{quickForecast}},
			record.Paper: {Trials: 10, Declaration: comparison{paperForecast}},
		},
	}},
	Views: []figures.View{decayErrors},
	Caption: "Squared error of LSTMs on linear cosine decay, on periods that they were not trained on, at the mean " +
		"of the first state.",
	Layout: figures.Layout{Columns: 1, Height: 2.5 * vg.Inch},
	Open:   decayChoices,
}

// forgetBias is that of TensorFlow's LSTM, which C's authors used.
var forgetBias = []chrono.GateInit{chrono.Standard{Forget: 1}}

// comparison is Figure 5 at one scale.
type comparison struct{ forecast }

// atOnce is how many trials a graph of Figure 5 has at most.
const atOnce = 5

// Runs implements experiment.Declaration: a run for each arm and each five trials.
func (c comparison) Runs(seeds []uint64) []experiment.Run {
	var runs []experiment.Run
	for first := 0; first < len(seeds); first += atOnce {
		suffix, last := "", min(first+atOnce, len(seeds))
		if first > 0 {
			suffix = fmt.Sprintf("-%d", first/atOnce+1)
		}
		runs = append(runs,
			c.zero(zeroArm+suffix, c.trials(zeroArm, seeds)[first:last], forgetBias),
			c.contextual(learnedArm+suffix, c.trials(learnedArm, seeds)[first:last], forgetBias))
	}
	return runs
}

const decayTask = "Section 2.2.2; Figure 5"

// Our choices.
const (
	agreeingRange    = 0.5 // the trials of an arm agree if their range is at most this share of their mean
	differingRange   = 1   // and do not, if it is more than this
	movedSigmaShare  = 0.1 // a deviation is learned if it moved by this share
	movedStatesShare = 0.01
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
func (r reader) errors() (learned, zero record.Spread, found string) {
	learned = claim.SpreadOver(r.curves(Fig5, learnedArm, validError), math.Inf(1), claim.Curve.Last)
	zero = claim.SpreadOver(r.curves(Fig5, zeroArm, validError), math.Inf(1), claim.Curve.Last)
	found = fmt.Sprintf("validation error: learned %v, zero %v, best constant %s", learned, zero,
		record.Number(r.constant(Fig5, zeroArm)))
	return learned, zero, found
}

func learnedBelowZero(r reader) claim.Finding {
	learned, zero, found := r.errors()
	if !(min(learned.Max, zero.Max) <= solvedShare*r.constant(Fig5, zeroArm)) {
		return claim.Found(claim.Inconclusive, "neither arm is at a tenth of the best constant's error", found)
	}
	return claim.Found(claim.Below(learned, zero, visibleShare*min(learned.Mean, zero.Mean)),
		"less than a tenth apart, or their trials overlap", found)
}

func learnedFaster(r reader) claim.Finding {
	var found []string
	var answer claim.Answer
	why := "some trials of each are as fast as some of the other"
	for _, level := range []struct {
		share float64
		name  string
	}{{solvedShare, "a tenth"}, {solvedShare / 2, "a twentieth"}} {
		until := func(arm string) epochs {
			return r.epochsUntil(Fig5, arm, validError, 1,
				func(error float64) bool { return error <= level.share*r.constant(Fig5, zeroArm) })
		}
		learned, zero := until(learnedArm), until(zeroArm)
		found = append(found, fmt.Sprintf("epochs to %s of the best constant's error: learned %v, zero %v%s",
			level.name, learned, zero, learned.ratio(zero)))
		if level.share == solvedShare {
			answer = learned.Before(zero.Durations)
			if !learned.End() {
				why = "not every trial of learned is at a tenth of the best constant's error"
			}
		}
	}
	return claim.Found(answer, why, found...)
}

func seedsAgreeing(r reader) claim.Finding {
	learned, _, _ := r.errors()
	range_ := (learned.Max - learned.Min) / learned.Mean
	answer, why := claim.Inconclusive, "the range is between half of the mean and the mean"
	switch {
	case !(learned.Mean <= solvedShare*r.constant(Fig5, learnedArm)):
		why = "learned is not at a tenth of the best constant's error"
	case range_ <= agreeingRange:
		answer = claim.Reproduced
	case range_ > differingRange:
		answer = claim.Contradicted
	}
	return claim.Found(answer, why,
		fmt.Sprintf("validation error: learned %v, range over mean %s", learned, record.Number(range_)))
}

func interpolates(r reader) claim.Finding {
	learned, constant := r.arm(Fig5, learnedArm), r.constant(Fig5, learnedArm)
	fresh := r.Values(learned.Losses(freshError))
	var ratios, lasts []float64
	for k, curve := range r.Curves(learned.Curves(validError)) {
		last := curve.Losses().Last()
		ratio := last / fresh[k]
		if math.IsInf(last, 1) {
			ratio = math.Inf(1)
		}
		ratios, lasts = append(ratios, ratio), append(lasts, last)
	}
	last := record.SpreadOf(lasts)
	return claim.Found(claim.AtMost(last, solvedShare*constant), someTrials,
		fmt.Sprintf("validation error of learned: %v, %v times that on trained periods", last, record.SpreadOf(ratios)),
		"best constant "+record.Number(constant))
}
