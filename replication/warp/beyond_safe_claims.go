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
	asFast       = 2.0 // times as long, or less, is as fast
	muchLonger   = 2.0 // times as long, or more, is a failure of one and a great gain by the other
	looseTmax    = 3.0 // an order of magnitude holds factors up to about this, either way
	wholeRatio   = "; all of it in the 95 % interval of the ratio"
	notMeasured  = "too short: not even chrono learns"
	betweenRatio = "the interval of a ratio holds both"
)

// safeClaims are sentences of W's text that no figure of its own shows.
func safeClaims() []claim.Claim {
	lstmAdding, lstmCopy := panelOf(BeyondSafe, "lstm-adding"), panelOf(BeyondSafe, "lstm-copy")
	return []claim.Claim{
		{
			ID: "warp/text.forget-bias-1-2", Where: "Introduction, contributions",
			Says: "Forget biases of 1 or 2 are reasonable for dependencies of medium range, and fail for long ones.",
			Criterion: "LSTM, adding and copy: at the smallest T, biases 1 and 2 take less than twice as many " +
				"updates as chrono to learn the task, and at the largest at least twice as many" + wholeRatio,
			Judge: judging(func(r *reader) claim.Finding { return forgetBiases(r, lstmAdding, lstmCopy) }),
		}, {
			ID: "warp/text.forget-bias-0", Where: "Section 3, Copy tasks",
			Says: "That its standard LSTM learns to copy where an older one did not is in part due to a forget bias " +
				"of 1.",
			Criterion: "LSTM, copy, at the largest T at which either learns in all trials: every trial with bias 1 " +
				"learns before any with bias 0",
			Judge: judging(func(r *reader) claim.Finding { return noForgetBias(r, lstmCopy) }),
		}, {
			ID: "warp/text.gru", Where: "Abstract",
			Says: "For GRUs, too, chrono initialization greatly improves the learning of long dependencies.",
			Criterion: "adding and copy, at the largest T: a GRU with bias -1 takes at least twice as many updates " +
				"as one with chrono; contradicted only if not more" + wholeRatio,
			Judge: judging(func(r *reader) claim.Finding {
				return gruGains(r, panelOf(BeyondSafe, "gru-adding"), panelOf(BeyondSafe, "gru-copy"))
			}),
		}, {
			ID: "warp/text.tmax-robust", Where: "Section 2",
			Says: "The prescription is loose: only the order of magnitude of the memory range is to be controlled.",
			Criterion: "LSTM, adding and copy: with Tmax wrong by a factor of 3 either way it takes less than twice " +
				"as many updates as with the right one" + wholeRatio,
			Judge: judging(func(r *reader) claim.Finding {
				return looseEnough(r, panelOf(BeyondSafe, "tmax-adding"), panelOf(BeyondSafe, "tmax-copy"))
			}),
		}, {
			ID: "warp/text.unknown-time-scale", Where: "Footnote 7",
			Says: "If time scales are unknown, drawing them from a distribution with slow decay is a possibility.",
			Criterion: "LSTM, adding and copy, at every T at which chrono with the right Tmax learns in all trials: " +
				"it takes less than twice as many updates" + wholeRatio,
			Judge: judging(func(r *reader) claim.Finding { return withoutTmax(r, lstmAdding, lstmCopy) }),
		},
	}
}

// inEach judges panels that must all give the same answer, and says what was found in each; why is the reason where
// they do not.
func inEach(panels []experiment.Panel, why string,
	judge func(experiment.Panel) ([]claim.Answer, string)) claim.Finding {
	var answers []claim.Answer
	var found []string
	for _, p := range panels {
		a, says := judge(p)
		answers, found = append(answers, a...), append(found, says)
	}
	if len(answers) == 0 {
		return claim.Found(claim.Inconclusive, strings.Join(found, "; "), notMeasured)
	}
	return claim.Found(claim.Every(answers...), strings.Join(found, "; "), why)
}

func forgetBiases(r *reader, panels ...experiment.Panel) claim.Finding {
	return inEach(panels, betweenRatio, func(p experiment.Panel) (answers []claim.Answer, _ string) {
		ts := r.lengths(p)
		var found []string
		for _, end := range []struct {
			t     float64
			judge func(claim.Ratio) claim.Answer
		}{
			{ts[0], func(ratio claim.Ratio) claim.Answer { return ratio.Below(asFast) }},
			{ts[len(ts)-1], func(ratio claim.Ratio) claim.Answer { return not(ratio.Below(muchLonger)) }},
		} {
			best := r.learning(p, known, &end.t)
			says := fmt.Sprintf("%s, T = %g: updates to learn, chrono %v", p.Title, end.t, best)
			for _, arm := range []experiment.Arm{bias1, bias2} {
				took := r.learning(p, arm, &end.t)
				ratio := claim.RatioOf(took, best)
				says += fmt.Sprintf(", %s %v, ratio %v", arm.Label, took, ratio)
				answers = append(answers, end.judge(ratio))
			}
			found = append(found, says)
		}
		return answers, strings.Join(found, "; ")
	})
}

func noForgetBias(r *reader, p experiment.Panel) claim.Finding {
	ts := r.lengths(p)
	for i := len(ts) - 1; i >= 0; i-- {
		zero, one := r.learning(p, bias0, &ts[i]), r.learning(p, bias1, &ts[i])
		if !zero.End() && !one.End() && i > 0 {
			continue
		}
		found := fmt.Sprintf("%s, T = %g: updates to learn, %s %v, %s %v, ratio %v", p.Title, ts[i], bias0.Label, zero,
			bias1.Label, one, claim.RatioOf(zero, one))
		if !zero.End() && !one.End() {
			return claim.Found(claim.Inconclusive, found, nothingLearned)
		}
		return claim.Found(before(one, zero), found, "some trials of either are as fast as some of the other")
	}
	return claim.Finding{}
}

func gruGains(r *reader, panels ...experiment.Panel) claim.Finding {
	return inEach(panels, "not surely twice as many in both tasks", func(p experiment.Panel) ([]claim.Answer, string) {
		ts := r.lengths(p)
		t := ts[len(ts)-1]
		took, best := r.learning(p, bias1, &t), r.learning(p, known, &t)
		ratio := claim.RatioOf(took, best)
		answer := claim.Inconclusive
		switch {
		case ratio.Low >= muchLonger:
			answer = claim.Reproduced
		case ratio.High <= 1:
			answer = claim.Contradicted
		}
		return []claim.Answer{answer}, fmt.Sprintf(
			"%s, T = %g: updates to learn, chrono %v, bias -1 %v, ratio %v, bias 0 %v",
			p.Title, t, best, took, ratio, r.learning(p, bias0, &t))
	})
}

func looseEnough(r *reader, panels ...experiment.Panel) claim.Finding {
	return inEach(panels, betweenRatio, func(p experiment.Panel) (answers []claim.Answer, _ string) {
		right := 1.0
		best := r.learning(p, known, &right)
		var says []string
		for _, factor := range tmaxFactors {
			took := r.learning(p, known, experiment.Number(factor))
			ratio := claim.RatioOf(took, best)
			says = append(says, fmt.Sprintf("%s times Tmax %v (ratio %v)", record.Number(factor), took, ratio))
			if factor != right && factor >= 1/looseTmax && factor <= looseTmax {
				answers = append(answers, ratio.Below(asFast))
			}
		}
		return answers, fmt.Sprintf("%s: updates to learn, %s, forget bias 1 %v",
			p.Title, strings.Join(says, ", "), r.learning(p, bias1, nil))
	})
}

func withoutTmax(r *reader, panels ...experiment.Panel) claim.Finding {
	return inEach(panels, betweenRatio, func(p experiment.Panel) (answers []claim.Answer, _ string) {
		var says []string
		for _, t := range r.lengths(p) {
			took, best := r.learning(p, noTmax, &t), r.learning(p, known, &t)
			ratio := claim.RatioOf(took, best)
			says = append(says, fmt.Sprintf("T = %g: %v, with Tmax %v, ratio %v", t, took, best, ratio))
			if best.End() {
				answers = append(answers, ratio.Below(asFast))
			}
		}
		return answers, fmt.Sprintf("%s, updates to learn without Tmax at %s", p.Title, strings.Join(says, ", at "))
	})
}

// lengths are the T that a panel of Safe is declared for, ascending; 0 if it is declared for none, where arm misses it.
func (r *reader) lengths(p experiment.Panel) []float64 {
	declared, ok := p.Sizes[r.Scale].Declaration.(overLengths)
	if !ok {
		return []float64{0}
	}
	var ts []float64
	for _, t := range declared.lengths {
		ts = append(ts, float64(t))
	}
	return ts
}

// learning are the updates that an arm of a panel of Safe took to learn the task, at one x; nil is for trials without.
func (r *reader) learning(p experiment.Panel, arm experiment.Arm, x *float64) claim.Durations {
	trials := r.arm(BeyondSafe, p, arm.Name)
	if x != nil {
		if trials = trials.At(*x); len(trials) == 0 {
			r.Miss(fmt.Errorf("no trials of %s at %s in %s %s", arm.Name, record.Number(*x), BeyondSafe.ID(), p.Name))
		}
	}
	return claim.DurationsOf(r.shares(trials), p.Target)
}
