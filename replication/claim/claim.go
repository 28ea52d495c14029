// Package claim judges the empirical claims of a paper by the records of our runs.
//
// A [Claim] has a [Rule], which is a value: a combination of a few conditions ([AtMost], [Below], [Ratio], …) on
// quantities that records hold ([Curve], [Result], [Reaching], …). Everything else follows from that value: the text
// of the criterion, the numbers that a page shows, the thresholds that are varied, and the hash by which a run is
// registered. Names, titles and sentences are for readers; no verdict depends on them.
package claim

import (
	"cmp"
	"slices"

	"github.com/warptime/warptime/internal/parts"
	"github.com/warptime/warptime/replication/record"
)

// An Answer is what records say of a claim.
type Answer int

const (
	NotRun        Answer = iota // records, or trials, are missing
	Undecided                   // neither what the claim says nor its opposite
	NotReproduced               // the opposite of what the claim says
	Reproduced                  // what the claim says
)

// Answers are all of them, in the order in which a page lists them.
var Answers = []Answer{Reproduced, NotReproduced, Undecided, NotRun}

func (a Answer) String() string {
	return [...]string{"not run", "undecided", "not reproduced", "reproduced"}[a]
}

// MarshalText makes it a word in JSON.
func (a Answer) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// A Claim is one thing that a paper says was found.
type Claim struct {
	Name  string // within its set: "copy500.beats-standard"
	Says  string // in our words: one sentence
	Quote string // the paper's words, short; empty where Says is as short
	Where string // in the paper

	Rule Rule

	// MinTrials is how many trials each arm must have; 0 means 3.
	MinTrials int

	// PaperOnly claims name values that only a run of the paper's size can have, or that are calculated: smaller runs
	// do not answer them.
	PaperOnly bool

	// Untrained claims are about what the paper does not train: the size of scale paper is ours.
	Untrained bool

	// Show are quantities that a page shows besides those of the rule, such as instabilities that these do not show.
	// Those that only smaller runs have are in claims.json.
	Show []Quantity

	// Needs is what would decide the claim where runs of the paper's size do not.
	Needs string

	Ours bool // our own check; not counted
}

func (c Claim) minTrials() int { return cmp.Or(c.MinTrials, 3) }

// A Set is the claims about one figure, or those that only the text makes, with the conditions that they are judged
// under.
type Set struct {
	ID     string // "warp/fig3"
	Title  string
	Figure bool // the claims describe one figure

	// Conditions are the ways in which we fill in what the paper leaves open. The first is the main condition, which
	// the verdict is by; the others show how sensitive it is.
	Conditions []Condition

	Claims []Claim

	Words Words // what its rules call things

	// Hours are about how many core-hours the run of a panel's paper size takes, by figure and name: "warp/fig6 mnist".
	Hours map[string]float64
}

// ClaimID is the identifier of a claim of the set: "warp/fig3.copy500.beats-standard".
func (s Set) ClaimID(c Claim) string { return s.ID + "." + c.Name }

// others are the conditions but the main one.
func (s Set) others() []Condition { return s.Conditions[min(1, len(s.Conditions)):] }

// A Condition is one way to fill in what a paper leaves open. Rules name the records of the main condition; another
// condition says what takes their place.
type Condition struct {
	Name string // for readers: "rate 1e-3"
	Why  string // of the main condition: the principle by which it was chosen

	// Swaps replace parts of a rule, wherever they occur in it. A condition without effect on a rule is no condition
	// of its claim.
	Swaps []Swap
}

// A Swap puts To in place of each part of a rule that equals From. Both have the same type, or are rules. Empty fields
// of an [Arm] stand for any value in From, and for the value that was there in To.
type Swap struct{ From, To any }

// In returns the rule under the condition.
func (c Condition) In(r Rule) Rule {
	for _, s := range c.Swaps {
		r = swapped(r, s)
	}
	return r
}

// changes tells whether a rule depends on the condition.
func (c Condition) changes(r Rule) bool { return !equal(c.In(r), r) }

// An Arm is the trials that a quantity is of: those of one arm of a figure's panel. Of a trial that was trained twice,
// the longer run counts, unless Updates is the length of the other.
type Arm struct {
	Figure string `json:"figure"`
	Panel  string `json:"panel"`
	Name   string `json:"arm"`

	Updates int `json:"-"` // of runs of this length only; 0: of all
}

// isOf tells whether the arm is one of a run's panel.
func (a Arm) isOf(h record.Header) bool {
	return a.Figure == h.Paper+"/"+h.Figure && a.Panel == h.Panel
}

// over is the arm with a's fields where it has any.
func (a Arm) over(b Arm) Arm {
	return Arm{
		cmp.Or(a.Figure, b.Figure), cmp.Or(a.Panel, b.Panel), cmp.Or(a.Name, b.Name), cmp.Or(a.Updates, b.Updates),
	}
}

// Decides tells whether a rule reads the records of a run, in some condition.
func (s Set) Decides(c Claim, h record.Header) bool {
	of := func(r Rule) bool {
		return slices.ContainsFunc(parts.Of[Arm](r), func(a Arm) bool { return a.isOf(h) })
	}
	return of(c.Rule) || slices.ContainsFunc(s.Conditions, func(k Condition) bool { return of(k.In(c.Rule)) })
}
