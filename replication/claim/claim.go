// Package claim judges the sentences of the papers that say what was found. A Claim is such a sentence with a predicate
// on run records; Judge gives it a verdict. The claims themselves stand beside the figures that they are about, in the
// packages of the papers.
package claim

import (
	"fmt"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// An Answer is what records say about a claim.
type Answer int

const (
	NotRun       Answer = iota // records or trials are missing
	Inconclusive               // too short, too small, nothing learned, or differences below what is visible
	Reproduced                 // what the claim says is what was found
	Contradicted               // the reverse was found
)

// String implements fmt.Stringer: "not run", "inconclusive", "reproduced" or "contradicted".
func (a Answer) String() string {
	return [...]string{"not run", "inconclusive", "reproduced", "contradicted"}[a]
}

// A Claim is one thing that a paper says was found, and the condition on records under which we say so too.
type Claim struct {
	ID        string // paper, figure, panel, what: "warp/fig3.copy500.beats-standard"
	Where     string // in the paper
	Says      string // what the paper says, in other words: one sentence
	Criterion string // what must hold for it to be reproduced, in every trial unless it says otherwise

	// MinTrials is how many trials of each arm the claim takes at least, so that one lucky seed decides nothing. Where
	// it is 0, they are 3.
	MinTrials int

	// Judge answers from the records of one scale.
	Judge func(Evidence) Finding

	// Computed claims are judged by calculation: Judge needs no records.
	Computed bool
}

// A Finding is what a claim's predicate found in the records of one scale.
type Finding struct {
	Answer Answer
	Found  []string // statements with the numbers that it rests on
	Why    string   // why nothing can be said, if it is NotRun or Inconclusive
}

// Found returns a finding. The reason why is only kept if the answer is Inconclusive.
func Found(answer Answer, why string, found ...string) Finding {
	if answer != Inconclusive {
		why = ""
	}
	return Finding{Answer: answer, Found: found, Why: why}
}

// Missing returns the finding that records, trials or results are not there, and which.
func Missing(format string, args ...any) Finding {
	return Finding{Answer: NotRun, Why: fmt.Sprintf(format, args...)}
}

// A Judgement is the verdict on a claim: the answer at the largest scale that has the records it takes.
type Judgement struct {
	Claim
	Verdict Answer
	Scale   record.Scale // at which it was judged; "" if not run, computation if it is Computed
	Found   []string     // statements with the numbers
	Why     string       // if it is NotRun or Inconclusive
}

const (
	defaultTrials = 3

	// computation stands for the scale of a claim that needs no records.
	computation record.Scale = "computation"

	// onlyPaper is said of what contradicts a claim in a smaller run than the paper's.
	onlyPaper = "the reverse was found, but only a run of the paper's own size can contradict it"
)

// Judge gives a verdict on each claim, in their order, from complete records; unfinished ones are passed over. Records
// of different scales are never mixed. Below scale paper no claim is contradicted: the finding is then inconclusive.
func Judge(claims []Claim, records []*record.Record) []Judgement {
	judgements := make([]Judgement, len(claims))
	for i, c := range claims {
		j := Judgement{Claim: c, Why: "no records"}
		if c.Computed {
			f := c.Judge(Evidence{Scale: computation})
			judgements[i] = Judgement{Claim: c, Verdict: f.Answer, Scale: computation, Found: f.Found, Why: f.Why}
			continue
		}
		for _, scale := range record.Scales { // from the smallest on: a larger one takes the verdict over
			e := Evidence{Scale: scale, MinTrials: c.minTrials()}
			for _, r := range records {
				if r.Scale == scale && r.End != nil {
					e.Records = append(e.Records, r)
				}
			}
			if len(e.Records) == 0 {
				continue
			}
			f := c.Judge(e)
			if f.Answer == NotRun {
				if j.Verdict == NotRun {
					j.Why = f.Why
				}
				continue
			}
			if f.Answer == Contradicted && scale != record.Paper {
				f.Answer, f.Why = Inconclusive, onlyPaper
			}
			j.Verdict, j.Scale, j.Found, j.Why = f.Answer, scale, f.Found, f.Why
		}
		judgements[i] = j
	}
	return judgements
}

// Not returns the answer to the opposite of a claim.
func Not(a Answer) Answer {
	switch a {
	case Reproduced:
		return Contradicted
	case Contradicted:
		return Reproduced
	}
	return a
}

// Every returns the answer to a claim that is made of several: Contradicted if one is, NotRun if one is not, Reproduced
// if all are, else Inconclusive. Of no answers at all it returns NotRun.
func Every(answers ...Answer) Answer {
	count := [4]int{}
	for _, a := range answers {
		count[a]++
	}
	switch {
	case count[Contradicted] > 0:
		return Contradicted
	case count[NotRun] > 0 || len(answers) == 0:
		return NotRun
	case count[Inconclusive] > 0:
		return Inconclusive
	}
	return Reproduced
}

// All returns the Judge of a claim that is made of others, which are judged at the same scale, by the rule of Every. It
// is contradicted as soon as one of them is, even where others were not run.
func All(claims ...Claim) func(Evidence) Finding {
	return func(e Evidence) Finding {
		var answers []Answer
		ids := map[Answer][]string{}
		missing := "" // of the first that was not run
		for _, c := range claims {
			e.MinTrials = c.minTrials()
			f := c.Judge(e)
			answers = append(answers, f.Answer)
			ids[f.Answer] = append(ids[f.Answer], c.ID)
			if f.Answer == NotRun && missing == "" {
				missing = f.Why
			}
		}
		answer := Every(answers...)
		if answer == NotRun {
			return Missing("%s", missing)
		}
		var found []string
		for _, a := range []Answer{Contradicted, Inconclusive, Reproduced, NotRun} {
			name := a.String()
			if a == NotRun {
				name += " at this scale"
			}
			if len(ids[a]) > 0 {
				found = append(found, name+": "+strings.Join(ids[a], ", "))
			}
		}
		return Found(answer, fmt.Sprintf("inconclusive in %d of its %d parts", len(ids[Inconclusive]), len(claims)),
			found...)
	}
}

func (c Claim) minTrials() int {
	if c.MinTrials == 0 {
		return defaultTrials
	}
	return c.MinTrials
}
