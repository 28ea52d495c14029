package contextual

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

const retrievalTask = "Section 2.2.1; Figure 2"

// What is visible in Figure 2: differences of this size.
const (
	nats   = 0.02
	points = 0.005
	all    = 0.99 // an accuracy from which on retrieval is as good as solved
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
			Criterion: "learned-outperforms-zero and -free are reproduced, and the experiments of all three are alike in " +
				"everything but the first state and its context",
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
		Judge: judging(func(r *reader) claim.Finding {
			learned, others := r.curves(Fig2, learnedArm, validAccuracy), r.curves(Fig2, other, validAccuracy)
			races := func(share float64) (a, b race) {
				reached := func(accuracy float64) bool { return accuracy >= share }
				return raceTo(learned, r.checks(), reached), raceTo(others, r.checks(), reached)
			}
			var found []string
			for _, share := range []float64{0.5, solved, all} {
				a, b := races(share)
				found = append(found, fmt.Sprintf("epochs to %g %%: learned %v, %s %v%s", 100*share, a, other, b,
					a.ratio(b)))
			}
			a, b := races(solved)
			why := "some trials of each are as fast as some of the other"
			if !a.ends() {
				why = "not every trial of learned has 90 %"
			}
			return claim.Found(a.before(b), strings.Join(found, "; "), why)
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
		Judge: judging(func(r *reader) claim.Finding {
			n := r.untilAll(learnedArm, other)
			means := func(series, arm string, worst float64) record.Spread {
				return spreadOf(r.curves(Fig2, arm, series), worst, func(c []float64) float64 { return mean(c[:n]) })
			}
			likelihood := [2]record.Spread{
				means(validLikelihood, learnedArm, math.Inf(-1)), means(validLikelihood, other, math.Inf(-1)),
			}
			accuracy := [2]record.Spread{means(validAccuracy, learnedArm, 0), means(validAccuracy, other, 0)}
			found := fmt.Sprintf("over %s epochs, mean log likelihood: learned %v, %s %v; mean accuracy in %%: "+
				"learned %v, %s %v", record.Number(float64(n)/r.checks()), likelihood[0], other, likelihood[1],
				claim.Percent(accuracy[0]), other, claim.Percent(accuracy[1]))
			if best := max(r.ends(learnedArm).Max, r.ends(other).Max); !(best >= r.unbound()+aboveUnbound) {
				return claim.Found(claim.Inconclusive, found, "no network has learned which digit is whose")
			}
			answer := claim.Every(claim.Below(likelihood[1], likelihood[0], nats),
				claim.Below(accuracy[1], accuracy[0], points))
			return claim.Found(answer, found, "not visibly apart in both measures and all trials")
		}),
	}
}

// untilAll is how many points two arms take until all of their trials have an accuracy of 99 %; all that there are if
// some never have.
func (r *reader) untilAll(arms ...string) int {
	points := 0
	for _, arm := range arms {
		for _, curve := range r.curves(Fig2, arm, validAccuracy) {
			at := slices.IndexFunc(curve, func(accuracy float64) bool { return accuracy >= all })
			if at < 0 {
				at = len(curve) - 1
			}
			points = max(points, at+1)
		}
	}
	return points
}

// checks is how many points a curve has in an epoch.
func (r *reader) checks() float64 {
	declared, _ := Fig2.Panels[0].Sizes[r.Scale].Declaration.(retrieval)
	return float64(declared.checks)
}

// ends is the accuracy of an arm after the last epoch.
func (r *reader) ends(arm string) record.Spread {
	return spreadOf(r.curves(Fig2, arm, validAccuracy), 0, ofLast)
}

// unbound is the best accuracy without knowing which digit is whose.
func (r *reader) unbound() float64 {
	declared, ok := Fig2.Panels[0].Sizes[r.Scale].Declaration.(retrieval)
	if !ok {
		return math.NaN()
	}
	_, accuracy := declared.task().Unbound()
	return accuracy
}

// sameSettings compares the declarations of three arms.
func sameSettings(r *reader) claim.Finding {
	var texts []string
	for _, arm := range []string{zeroArm, freeArm, learnedArm} {
		trials := r.arm(Fig2, arm)
		if len(trials) == 0 {
			return claim.Finding{}
		}
		text, err := withoutInitialState(record.PresentNames(trials[0].Record.Experiment))
		r.Miss(err)
		texts = append(texts, text)
	}
	answer, found := claim.Reproduced, "zero, free and learned differ in the first state only"
	for _, text := range texts {
		if text != texts[0] {
			answer, found = claim.Contradicted, "zero, free and learned differ in more than the first state"
		}
	}
	return claim.Found(answer, found, "")
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
