package contextual

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

const retrievalTask = "Section 2.2.1; Figure 2"

// What is visible in Figure 2: differences of this size.
const (
	visibleNats     = 0.02
	visibleAccuracy = 0.005
	fullAccuracy    = 0.99 // retrieval is as good as solved from here on
)

// aboveUnbound is how far above a model that does not know which digit is whose an accuracy must be.
const aboveUnbound = 0.05

func fig2Claims() []claim.Claim {
	return []claim.Claim{
		fasterThan(zeroArm, "Abstract; Section 1.2"), fasterThan(freeArm, retrievalTask),
		outperforms(zeroArm, "Abstract; caption of Figure 2; "+retrievalTask), outperforms(freeArm, retrievalTask),
		{
			ID: "context/fig2.without-fine-tuning", Where: retrievalTask,
			Says: "The learned first state outperforms both others without any fine-tuning.",
			Criterion: "learned-outperforms-zero and -free are reproduced, and the experiments of all three are " +
				"alike in everything but the first state and its context",
			Judge: claim.All(outperforms(zeroArm, ""), outperforms(freeArm, ""), claim.Claim{
				ID: "the same settings", Judge: judging(sameSettings),
			}),
		},
	}
}

// fasterThan is the claim that the learned first state converges faster than another arm.
func fasterThan(other, where string) claim.Claim {
	return claim.Claim{
		ID: "context/fig2.learned-faster-than-" + other, Where: where,
		Says: fmt.Sprintf("In retrieval, the learned first state converges faster than the %s one.", other),
		Criterion: fmt.Sprintf("every trial of learned has a validation accuracy of 90 %%, and after fewer epochs "+
			"than any of %s", other),
		Judge: judging(func(r reader) claim.Finding {
			var found []string
			var answer claim.Answer
			why := "some trials of each are as fast as some of the other"
			for _, accuracy := range []float64{0.5, solvedAccuracy, fullAccuracy} {
				until := func(arm string) epochs {
					return r.epochsUntil(Fig2, arm, validAccuracy, r.checks(),
						func(reached float64) bool { return reached >= accuracy })
				}
				learned, others := until(learnedArm), until(other)
				found = append(found, fmt.Sprintf("epochs to %g %%: learned %v, %s %v%s", 100*accuracy, learned, other,
					others, learned.ratio(others)))
				if accuracy == solvedAccuracy {
					answer = learned.Before(others.Durations)
					if !learned.End() {
						why = "not every trial of learned has 90 %"
					}
				}
			}
			return claim.Found(answer, why, found...)
		}),
	}
}

// outperforms is the claim that the learned first state gives better answers than another arm.
func outperforms(other, where string) claim.Claim {
	return claim.Claim{
		ID: "context/fig2.learned-outperforms-" + other, Where: where,
		Says: fmt.Sprintf("In retrieval, the learned first state significantly outperforms the %s one.", other),
		Criterion: fmt.Sprintf("averaged over the epochs until all trials of both have an accuracy of 99 %%, every "+
			"trial of learned has a higher validation log likelihood and accuracy than any of %s, on average by 0.02 "+
			"nats and 0.5 points; and one of the two ends 5 points above the best accuracy that is possible without "+
			"knowing which digit is whose", other),
		Judge: judging(func(r reader) claim.Finding {
			n := r.untilAll(learnedArm, other)
			means := func(series record.Result, arm string, worst float64) record.Spread {
				return spreadOver(r.curves(Fig2, arm, series), worst,
					func(c []float64) float64 { return claim.Mean(c[:n]) })
			}
			likelihood := [2]record.Spread{
				means(validLikelihood, learnedArm, math.Inf(-1)), means(validLikelihood, other, math.Inf(-1)),
			}
			accuracy := [2]record.Spread{means(validAccuracy, learnedArm, 0), means(validAccuracy, other, 0)}
			found := []string{
				fmt.Sprintf("over %s epochs, mean log likelihood: learned %v, %s %v",
					record.Number(float64(n)/float64(r.checks())), likelihood[0], other, likelihood[1]),
				fmt.Sprintf("mean accuracy in %%: learned %v, %s %v", claim.Percent(accuracy[0]), other,
					claim.Percent(accuracy[1])),
			}
			if best := max(r.ends(learnedArm).Max, r.ends(other).Max); !(best >= r.unbound()+aboveUnbound) {
				return claim.Found(claim.Inconclusive, "no network has learned which digit is whose", found...)
			}
			answer := claim.Every(claim.Below(likelihood[1], likelihood[0], visibleNats),
				claim.Below(accuracy[1], accuracy[0], visibleAccuracy))
			return claim.Found(answer, "not visibly apart in both measures and all trials", found...)
		}),
	}
}

// untilAll is how many points two arms take until all of their trials have an accuracy of 99 %; all that there are if
// some never have.
func (r reader) untilAll(arms ...string) int {
	points := 0
	for _, arm := range arms {
		for _, curve := range r.curves(Fig2, arm, validAccuracy) {
			at := slices.IndexFunc(curve.Values, func(accuracy float64) bool { return accuracy >= fullAccuracy })
			if at < 0 {
				at = len(curve.Values) - 1
			}
			points = max(points, at+1)
		}
	}
	return points
}

// checks is how many points a curve has in an epoch.
func (r reader) checks() int { return r.retrieval().checks }

func (r reader) retrieval() retrieval {
	declared, ok := Fig2.Panels[0].Sizes[r.Scale].Declaration.(retrieval)
	if !ok {
		r.Need(fmt.Errorf("%s is not declared at scale %s", Fig2.ID(), r.Scale))
	}
	return declared
}

// ends is the accuracy of an arm after the last epoch.
func (r reader) ends(arm string) record.Spread {
	return spreadOver(r.curves(Fig2, arm, validAccuracy), 0, ofLast)
}

// unbound is the best accuracy without knowing which digit is whose.
func (r reader) unbound() float64 {
	_, accuracy := r.retrieval().task().Unbound()
	return accuracy
}

// sameSettings compares the declarations of three arms.
func sameSettings(r reader) claim.Finding {
	var texts []string
	for _, arm := range []string{zeroArm, freeArm, learnedArm} {
		text, err := withoutInitialState(record.PresentNames(r.arm(Fig2, arm)[0].Record.Experiment))
		r.Need(err)
		texts = append(texts, text)
	}
	answer, found := claim.Reproduced, "zero, free and learned differ in the first state only"
	for _, text := range texts {
		if text != texts[0] {
			answer, found = claim.Contradicted, "zero, free and learned differ in more than the first state"
		}
	}
	return claim.Found(answer, "", found)
}

// withoutInitialState is an experiment's text without its initial state, its context, and the names of its arms.
func withoutInitialState(experiment json.RawMessage) (string, error) {
	var fields map[string]any
	if err := json.Unmarshal(experiment, &fields); err != nil {
		return "", err
	}
	network, _ := fields["Network"].(map[string]any)
	delete(network, "InitialState")
	delete(network, "Context")
	trials, _ := fields["Trials"].([]any)
	for _, t := range trials {
		if trial, ok := t.(map[string]any); ok {
			delete(trial, "Arm")
		}
	}
	text, err := json.Marshal(fields)
	return string(text), err
}
