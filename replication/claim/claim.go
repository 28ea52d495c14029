// Package claim judges the sentences of the papers that say what was found. A [Claim] is such a sentence with a rule,
// which answers from run records; [Judge] applies it to each way to fill in what the paper leaves open (a [Reading]),
// at the largest scale that was run, and again with other thresholds, other end points and fewer trials. The claims
// themselves stand beside the figures that they are about, in the packages of the papers.
package claim

import (
	"fmt"
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// An Answer is what records say about a claim.
type Answer int

const (
	NotRun       Answer = iota // records or trials are missing
	Inconclusive               // too short, too small, nothing learned, or differences within the trials' spread
	Contradicted               // the reverse was found
	Depends                    // reproduced in some readings of what the paper leaves open, and not in others
	Reproduced                 // what the claim says is what was found
)

// Answers are those of records that exist, in the order in which a page lists them.
var Answers = []Answer{Reproduced, Depends, Contradicted, Inconclusive}

// String implements fmt.Stringer: "not run", "inconclusive", "contradicted", "depends" or "reproduced".
func (a Answer) String() string {
	return [...]string{"not run", "inconclusive", "contradicted", "depends", "reproduced"}[a]
}

// A Claim is one thing that a paper says was found, and the condition on records under which we say so too.
type Claim struct {
	ID        string // paper, figure, panel, what: "warp/fig3.copy500.beats-standard"
	Where     string // in the paper
	Says      string // what the paper says, in other words: one sentence
	Criterion string // what must hold for it to be reproduced, in every trial unless it says otherwise

	// Open are the choices that the paper leaves to us and that the claim may depend on. It is judged once for each
	// combination of their readings; its rule learns which by Evidence.Read.
	Open []Choice

	// Size is set if the sentence names a size, such as T = 2000. It returns what is trained at a scale, as
	// experiment.Panel.TitleAt does; runs of another size than that of scale paper do not answer the claim.
	Size func(record.Scale) string

	// DecidedBy are the runs that would decide the claim where it is inconclusive or not run; see Judgement.Left.
	DecidedBy []Run

	// MinTrials is how many trials of each arm the claim takes at least, so that one lucky seed decides nothing. Where
	// it is 0, they are 3.
	MinTrials int

	// Judge is the rule: it answers from the records of one scale, under one reading.
	Judge func(Evidence) Finding

	// Computed claims are judged by calculation: Judge needs no records.
	Computed bool

	// Reverse is what a smaller run shows that does not find what the claim says: "no great gain". Empty, it is "the
	// reverse".
	Reverse string

	// Ours is set of a check of our own, which no paper says. It is not counted.
	Ours bool
}

// A Run is what would decide a claim: a panel of a figure at a scale, or what no figure declares.
type Run struct {
	Figure string // "warp/fig3"
	Panel  string // "copy2000"; empty: all of the figure's
	Scale  record.Scale
	Trials int    // of each arm, where more are needed than some records have; 0: as declared
	Needs  string // in place of all these: a run that no figure declares, in words
}

// A Finding is what a claim's rule found in the records of one scale.
type Finding struct {
	Answer Answer
	Found  []string // statements with the numbers that it rests on
	Why    string   // why nothing can be said, if it is NotRun or Inconclusive; which readings, if it Depends
	Number string   // the one number that matters, in a few words; see Finding.With

	unlearned bool   // see Unlearned
	under     string // Why without the reasons, where it Depends
	holds, of int    // where it Depends: in how many of the readings that were run it is reproduced
	ran       int    // under how many readings it was run, if it has any
	against   bool   // one of these contradicts the claim
}

// Found returns a finding. The reason why is only kept if the answer is Inconclusive.
func Found(answer Answer, why string, found ...string) Finding {
	if answer != Inconclusive {
		why = ""
	}
	return Finding{Answer: answer, Found: found, Why: why}
}

// With returns the finding with the one number that matters, in a few words: "14.7 % against 100 %".
func (f Finding) With(format string, args ...any) Finding {
	f.Number = fmt.Sprintf(format, args...)
	return f
}

// Missing returns the finding that records, trials or results are not there, and which.
func Missing(format string, args ...any) Finding {
	return Finding{Answer: NotRun, Why: fmt.Sprintf(format, args...)}
}

// NothingLearned is the reason of a claim about networks of which none has learned its task.
const NothingLearned = "nothing was learned"

// Unlearned returns the finding that no network has learned anything. It is inconclusive; a reading under which it is
// found cannot be the paper's, and does not count where another does.
func Unlearned(found ...string) Finding {
	return Finding{Answer: Inconclusive, Found: found, Why: NothingLearned, unlearned: true}
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

// Every returns the answer to a claim that is made of several, all of which must hold: Contradicted if one is; else
// NotRun or Inconclusive if one is, in this order; else Reproduced. Of no answers at all it returns NotRun.
func Every(answers ...Answer) Answer {
	return first(answers, Contradicted, NotRun, Inconclusive, Reproduced)
}

// Some returns the answer to a claim that is made of several, one of which is enough: Reproduced if one is; else
// NotRun or Inconclusive if one is, in this order; else Contradicted. Of no answers at all it returns NotRun.
func Some(answers ...Answer) Answer {
	return first(answers, Reproduced, NotRun, Inconclusive, Contradicted)
}

// first returns the first of an order that is among answers.
func first(answers []Answer, order ...Answer) Answer {
	for _, a := range order {
		if slices.Contains(answers, a) {
			return a
		}
	}
	return NotRun
}
