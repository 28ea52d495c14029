package warp

import (
	"fmt"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Our choices: W says "reasonable", "fails", "greatly" and "order of magnitude" without numbers.
const (
	asFastRatio     = 2.0 // times as long, or less, is as fast
	muchLongerRatio = 2.0 // times as long, or more, is a failure of one and a great gain by the other
	looseFactor     = 3.0 // an order of magnitude holds factors up to about this, either way
	wholeRatio      = "; all of it in the 95 % interval of the ratio"
	notMeasured     = "too short: not even chrono learns"
	betweenRatio    = "the interval of a ratio holds both"
)

// safeClaims are sentences of W's text that no figure of its own shows.
func safeClaims() []claim.Claim {
	lstmAdding, lstmCopy := BeyondSafe.Panel("lstm-adding"), BeyondSafe.Panel("lstm-copy")
	return []claim.Claim{
		{
			ID: "warp/text.forget-bias-1-2", Where: "Introduction, contributions",
			Says: "Forget biases of 1 or 2 are reasonable for dependencies of medium range, and fail for long ones.",
			Criterion: "LSTM, adding and copy: at the smallest T, biases 1 and 2 take less than twice as many " +
				"updates as chrono to learn the task, and at the largest at least twice as many" + wholeRatio,
			Judge: claim.Judging(func(r claim.Reader) claim.Finding { return forgetBiases(r, lstmAdding, lstmCopy) }),
		}, {
			ID: "warp/text.forget-bias-0", Where: "Section 3, Copy tasks",
			Says: "That its standard LSTM learns to copy where an older one did not is in part due to a forget bias " +
				"of 1.",
			Criterion: "LSTM, copy, at the largest T at which either learns in all trials: every trial with bias 1 " +
				"learns before any with bias 0",
			Judge: claim.Judging(func(r claim.Reader) claim.Finding { return noForgetBias(r, lstmCopy) }),
		}, {
			ID: "warp/text.gru", Where: "Abstract",
			Says: "For GRUs, too, chrono initialization greatly improves the learning of long dependencies.",
			Criterion: "adding and copy, at the largest T: a GRU with bias -1 takes at least twice as many updates " +
				"as one with chrono; contradicted only if not more" + wholeRatio,
			Judge: claim.Judging(func(r claim.Reader) claim.Finding {
				return gruGains(r, BeyondSafe.Panel("gru-adding"), BeyondSafe.Panel("gru-copy"))
			}),
		}, {
			ID: "warp/text.tmax-robust", Where: "Section 2",
			Says: "The prescription is loose: only the order of magnitude of the memory range is to be controlled.",
			Criterion: "LSTM, adding and copy: with Tmax wrong by a factor of 3 either way it takes less than twice " +
				"as many updates as with the right one" + wholeRatio,
			Judge: claim.Judging(func(r claim.Reader) claim.Finding {
				return looseEnough(r, BeyondSafe.Panel("tmax-adding"), BeyondSafe.Panel("tmax-copy"))
			}),
		}, {
			ID: "warp/text.unknown-time-scale", Where: "Footnote 7",
			Says: "If time scales are unknown, drawing them from a distribution with slow decay is a possibility.",
			Criterion: "LSTM, adding and copy, at every T at which chrono with the right Tmax learns in all trials: " +
				"it takes less than twice as many updates" + wholeRatio,
			Judge: claim.Judging(func(r claim.Reader) claim.Finding { return withoutTmax(r, lstmAdding, lstmCopy) }),
		},
	}
}

// inEach judges panels that must all give the same answer, and says what was found in each; why is the reason where
// they do not.
func inEach(panels []experiment.Panel, why string,
	judge func(experiment.Panel) (answers []claim.Answer, found []string)) claim.Finding {
	var answers []claim.Answer
	var found []string
	for _, p := range panels {
		a, f := judge(p)
		answers, found = append(answers, a...), append(found, f...)
	}
	if len(answers) == 0 {
		return claim.Found(claim.Inconclusive, notMeasured, found...)
	}
	return claim.Found(claim.Every(answers...), why, found...)
}

func forgetBiases(r claim.Reader, panels ...experiment.Panel) claim.Finding {
	return inEach(panels, betweenRatio, func(p experiment.Panel) (answers []claim.Answer, found []string) {
		ts := lengthsOf(r, p)
		for _, end := range []struct {
			t     float64
			judge func(claim.Ratio) claim.Answer
		}{
			{ts[0], func(ratio claim.Ratio) claim.Answer { return ratio.Below(asFastRatio) }},
			{ts[len(ts)-1], func(ratio claim.Ratio) claim.Answer { return claim.Not(ratio.Below(muchLongerRatio)) }},
		} {
			best := learning(r, p, known, &end.t)
			says := fmt.Sprintf("%s, T = %g: updates to learn, chrono %v", p.Title, end.t, best)
			for _, arm := range []experiment.Arm{bias1, bias2} {
				took := learning(r, p, arm, &end.t)
				ratio := claim.RatioOf(took, best)
				says += fmt.Sprintf(", %s %v, ratio %v", arm.Label, took, ratio)
				answers = append(answers, end.judge(ratio))
			}
			found = append(found, says)
		}
		return answers, found
	})
}

func noForgetBias(r claim.Reader, p experiment.Panel) claim.Finding {
	ts := lengthsOf(r, p)
	for i := len(ts) - 1; i >= 0; i-- {
		zero, one := learning(r, p, bias0, &ts[i]), learning(r, p, bias1, &ts[i])
		if !zero.End() && !one.End() && i > 0 {
			continue
		}
		found := fmt.Sprintf("%s, T = %g: updates to learn, %s %v, %s %v, ratio %v", p.Title, ts[i], bias0.Label, zero,
			bias1.Label, one, claim.RatioOf(zero, one))
		if !zero.End() && !one.End() {
			return claim.Found(claim.Inconclusive, claim.NothingLearned, found)
		}
		return claim.Found(one.Before(zero), "some trials of either are as fast as some of the other", found)
	}
	return claim.Finding{}
}

func gruGains(r claim.Reader, panels ...experiment.Panel) claim.Finding {
	const why = "not surely twice as many in both tasks"
	return inEach(panels, why, func(p experiment.Panel) ([]claim.Answer, []string) {
		ts := lengthsOf(r, p)
		t := ts[len(ts)-1]
		took, best := learning(r, p, bias1, &t), learning(r, p, known, &t)
		ratio := claim.RatioOf(took, best)
		answer := claim.Inconclusive
		switch {
		case ratio.Low >= muchLongerRatio:
			answer = claim.Reproduced
		case ratio.High <= 1:
			answer = claim.Contradicted
		}
		return []claim.Answer{answer}, []string{fmt.Sprintf(
			"%s, T = %g: updates to learn, chrono %v, bias -1 %v, ratio %v, bias 0 %v",
			p.Title, t, best, took, ratio, learning(r, p, bias0, &t))}
	})
}

func looseEnough(r claim.Reader, panels ...experiment.Panel) claim.Finding {
	return inEach(panels, betweenRatio, func(p experiment.Panel) (answers []claim.Answer, _ []string) {
		right := 1.0
		best := learning(r, p, known, &right)
		var says []string
		for _, factor := range tmaxFactors {
			took := learning(r, p, known, experiment.Number(factor))
			ratio := claim.RatioOf(took, best)
			says = append(says, fmt.Sprintf("%s times Tmax %v (ratio %v)", record.Number(factor), took, ratio))
			if factor != right && factor >= 1/looseFactor && factor <= looseFactor {
				answers = append(answers, ratio.Below(asFastRatio))
			}
		}
		return answers, []string{fmt.Sprintf("%s: updates to learn, %s, forget bias 1 %v",
			p.Title, strings.Join(says, ", "), learning(r, p, bias1, nil))}
	})
}

func withoutTmax(r claim.Reader, panels ...experiment.Panel) claim.Finding {
	return inEach(panels, betweenRatio, func(p experiment.Panel) (answers []claim.Answer, _ []string) {
		var says []string
		for _, t := range lengthsOf(r, p) {
			took, best := learning(r, p, noTmax, &t), learning(r, p, known, &t)
			ratio := claim.RatioOf(took, best)
			says = append(says, fmt.Sprintf("T = %g: %v, with Tmax %v, ratio %v", t, took, best, ratio))
			if best.End() {
				answers = append(answers, ratio.Below(asFastRatio))
			}
		}
		return answers, []string{p.Title + ", updates to learn without Tmax at " + strings.Join(says, ", at ")}
	})
}

// lengthsOf are the T that a panel is declared for, ascending.
func lengthsOf(r claim.Reader, p experiment.Panel) []float64 {
	declared, ok := p.Sizes[r.Scale].Declaration.(overLengths)
	if !ok {
		r.Need(fmt.Errorf("%s %s is not declared at scale %s", BeyondSafe.ID(), p.Name, r.Scale))
	}
	var ts []float64
	for _, t := range declared.lengths {
		ts = append(ts, float64(t))
	}
	return ts
}

// learning are the updates that an arm of a panel took to learn the task, at one x; nil is for trials without.
func learning(r claim.Reader, p experiment.Panel, arm experiment.Arm, x *float64) claim.Durations {
	trials := r.Arm(BeyondSafe.ID(), p.Name, arm.Name)
	if x != nil {
		if trials = trials.At(*x); len(trials) == 0 {
			r.Need(fmt.Errorf("no trials of %s at %s in %s %s", arm.Name, record.Number(*x), BeyondSafe.ID(), p.Name))
		}
	}
	return claim.DurationsOf(r.Curves(trials.Shares(record.Train)), p.Target)
}
