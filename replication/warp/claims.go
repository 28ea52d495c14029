package warp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// What the claims of several figures share stands here. All thresholds are our choice: the paper gives none.

// Losses count as shares of what there is to remember: 0 is the best model's, 1 that of the best without memory.
const (
	visible = 0.05 // a smaller difference is none: a loss of at most this share is perfect
	far     = 0.5  // one loss is far below another if it is at most half of it
)

// bothRates ends the criterion of a claim for which the paper names no learning rate.
const bothRates = "; so at each of the two rates at which anything is learned"

// Why a claim is inconclusive.
const (
	nothingLearned = "nothing was learned"
	someTrials     = "it is so in some trials only"
)

var standardArm, chronoArm = initializations[0].Name, initializations[1].Name

// A reader is a claim's, for figures and panels as they are declared.
type reader struct{ *claim.Reader }

func judging(predicate func(*reader) claim.Finding) func(claim.Evidence) claim.Finding {
	return claim.Judging(func(r *claim.Reader) claim.Finding { return predicate(&reader{r}) })
}

// take returns values, or none if there is an error.
func (r *reader) take(values []float64, err error) []float64 {
	r.Miss(err)
	return values
}

// arm returns the trials of an arm of a panel.
func (r *reader) arm(f figures.Figure, p experiment.Panel, arm string) claim.Trials {
	if _, ok := p.Sizes[r.Scale]; !ok {
		r.Miss(fmt.Errorf("%s %s is not declared at scale %s", f.ID(), p.Name, r.Scale))
	}
	return r.Arm(f.Paper, f.Name, p.Name, arm)
}

// panelOf finds a panel that a figure declares.
func panelOf(f figures.Figure, name string) experiment.Panel {
	i := slices.Index(f.PanelNames(), name)
	if i < 0 {
		panic(fmt.Sprintf("%s declares no panel %q", f.ID(), name))
	}
	return f.Panels[i]
}

// not is the answer to the opposite of a claim.
func not(a claim.Answer) claim.Answer {
	switch a {
	case claim.Reproduced:
		return claim.Contradicted
	case claim.Contradicted:
		return claim.Reproduced
	}
	return a
}

// atLeast answers whether a value is enough in every trial. It is contradicted only if every trial's is at most little.
func atLeast(s record.Spread, enough, little float64) claim.Answer {
	switch {
	case s.Min >= enough:
		return claim.Reproduced
	case s.Max <= little:
		return claim.Contradicted
	}
	return claim.Inconclusive
}

// farBelow answers whether shares a are visibly below shares b, in every trial, and on average at most half of them.
// They are not if b is visibly below a.
func farBelow(a, b record.Spread) claim.Answer {
	answer := claim.Below(a, b, visible)
	if answer == claim.Reproduced && a.Mean > far*b.Mean {
		return claim.Inconclusive
	}
	return answer
}

// A reading is one way to read what the paper leaves open, and what is found that way.
type reading struct {
	name    string
	learned bool // whether any network learns anything; if none does, the reading is not the paper's
	claim.Finding
}

// underEvery is what can be said if nobody knows which reading is the paper's: what is said under each that can be.
func underEvery(readings ...reading) claim.Finding {
	var found, answers []string
	var possible []claim.Answer
	why, names := "", map[string][]string{} // names of the readings, by what is said under them
	for _, r := range readings {
		for _, statement := range strings.Split(r.Found, "; ") {
			if !slices.Contains(found, statement) {
				found = append(found, statement)
			}
		}
		if !r.learned {
			continue
		}
		answer := strings.TrimSuffix(r.Answer.String()+": "+r.Why, ": ")
		if names[answer] == nil {
			answers = append(answers, answer)
		}
		names[answer] = append(names[answer], r.name)
		possible, why = append(possible, r.Answer), r.Why
	}
	switch len(answers) {
	case 0:
		return claim.Found(claim.Inconclusive, strings.Join(found, "; "), nothingLearned)
	case 1:
		return claim.Found(possible[0], strings.Join(found, "; "), why)
	}
	for i, answer := range answers {
		answers[i] = fmt.Sprintf("%s (%s)", answer, strings.Join(names[answer], " / "))
	}
	return claim.Found(claim.Inconclusive, strings.Join(found, "; "), strings.Join(answers, ", "))
}

// underSome is what can be said if a claim is about one reading at least.
func underSome(readings ...reading) claim.Finding {
	for _, answer := range []claim.Answer{claim.Reproduced, claim.NotRun} {
		for _, r := range readings {
			if r.Answer == answer {
				return r.Finding
			}
		}
	}
	return underEvery(readings...)
}
