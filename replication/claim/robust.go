package claim

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// A Threshold is a number that a rule compares with, and that the paper does not give. A rule reads it by
// Evidence.Threshold, so that the claim is judged again at half and at twice its value.
type Threshold struct {
	Name    string // with its value as %s: "a visible difference of %s of the loss"
	Value   float64
	Percent bool // how the value is written

	// From is where the half and the double are counted from: 0 for a loss, a share or a difference, 1 for an accuracy
	// (what is halved is what it lacks to 1) and for a ratio (2 times as long is halved to 1.5 times).
	From float64
}

func (t Threshold) times(factor float64) float64 { return t.From + factor*(t.Value-t.From) }

// with names the threshold with a value: "with a visible difference of 5 % of the loss".
func (t Threshold) with(value float64) string {
	text := record.Number(value)
	if t.Percent {
		text = record.Number(100*value) + " %"
	}
	return "with " + strings.Replace(t.Name, "%s", text, 1)
}

// Threshold returns the value of a threshold.
func (e Evidence) Threshold(t Threshold) float64 {
	e.notes.compared(t)
	if e.vary.factor != 0 && e.vary.threshold == t {
		return t.times(e.vary.factor)
	}
	return t.Value
}

// NoThreshold is among what could not be tried of a rule that reads no Threshold.
const NoThreshold = "other thresholds, since the rule has none"

// Robustness says whether a verdict is the same if it is judged a little differently.
type Robustness struct {
	Tried   int      // in how many ways it was judged again
	Changes []Change // those that give another verdict
	Without []string // what could not be tried, and why
}

// A Change is one thing that is judged differently, and the verdict then.
type Change struct {
	What    string // "with a visible difference of 10 % of the loss"
	Verdict string // as Finding.Short has it
}

// String is "stable", or what changes the verdict: "inconclusive without trial 0 or 2".
func (r Robustness) String() string {
	if r.Tried == 0 {
		return "–"
	}
	var verdicts []string
	by := map[string][]string{}
	for _, c := range r.Changes {
		if by[c.Verdict] == nil {
			verdicts = append(verdicts, c.Verdict)
		}
		by[c.Verdict] = append(by[c.Verdict], c.What)
	}
	for i, v := range verdicts {
		verdicts[i] = v + " " + either(by[v])
	}
	if len(verdicts) == 0 {
		return "stable"
	}
	return strings.Join(verdicts, "; ")
}

// either joins what has one beginning under it: "at 80 % of the updates, or without trial 0 or 2".
func either(whats []string) string {
	var text string
	for i, what := range whats {
		switch rest, ok := strings.CutPrefix(what, leavingOut); {
		case i == 0:
			text = what
		case ok && strings.HasPrefix(whats[i-1], leavingOut):
			text += " or " + rest
		default:
			text += ", or " + what
		}
	}
	return strings.Replace(text, "at 80 % of the updates, or at 90 %", "at 80 or 90 %", 1)
}

// leavingOut begins what is judged differently if a trial is left out.
const leavingOut = "without trial "

// A variation is in what evidence differs from all that there is. Its zero value is no difference.
type variation struct {
	what      string
	threshold Threshold
	factor    float64 // on that threshold; 0: none
	end       int     // percent of the updates after which curves are cut; 0: none
	leftOut   []int   // numbers of the trials of each arm that are left out
}

// ends are the other end points, in percent of the updates.
var ends = []int{80, 90}

// variations are those of a rule that took these notes.
func (n *notes) variations() (all []variation, without []string) {
	for _, t := range n.thresholds {
		for _, factor := range []float64{0.5, 2} {
			all = append(all, variation{what: t.with(t.times(factor)), threshold: t, factor: factor})
		}
	}
	if len(n.thresholds) == 0 {
		without = append(without, NoThreshold)
	}
	switch {
	case n.curves:
		for _, end := range ends {
			all = append(all, variation{what: fmt.Sprintf("at %d %% of the updates", end), end: end})
		}
		if n.tests {
			without = append(without, "earlier end points of what is tested after training only")
		}
	case n.tests:
		without = append(without, "earlier end points, since the networks are tested after training only")
	}
	if len(n.trials) < 2 {
		without = append(without, "fewer trials, since there is one only")
		return all, without
	}
	for _, number := range slices.Sorted(maps.Keys(n.trials)) {
		all = append(all, variation{what: leavingOut + fmt.Sprint(number), leftOut: []int{number}})
	}
	return all, without
}

// Robustness judges a claim again, by the evidence that gave its verdict: at half and at twice each of its thresholds,
// at other end points, and without one trial at a time. What was not run, or was run at another size than the claim
// names, is not judged again.
func (j Judgement) Robustness() Robustness {
	var r Robustness
	if j.evidence.notes == nil || j.Other != "" {
		return r
	}
	e := j.evidence
	e.reverse = j.reverse()
	all, without := e.notes.variations()
	if j.Computed {
		without = nil
	}
	r.Without = without
	for _, v := range all {
		f := j.verdict(e.varied(v))
		if f.Answer == NotRun { // nothing is left to judge by
			r.Without = append(r.Without, v.what+" ("+f.Why+")")
			continue
		}
		r.Tried++
		switch verdict := f.Short(); {
		case verdict != j.Short():
			r.Changes = append(r.Changes, Change{v.what, verdict})
		case f.against && !j.against:
			r.Changes = append(r.Changes, Change{v.what, verdict + ", partly " + e.word(Contradicted) + ","})
		case j.against && !f.against:
			r.Changes = append(r.Changes, Change{v.what, verdict + ", not " + e.word(Contradicted) + ","})
		}
	}
	return r
}

// varied is the evidence to judge again by.
func (e Evidence) varied(v variation) Evidence {
	e.MinTrials -= len(v.leftOut) - len(e.vary.leftOut)
	e.vary, e.notes = v, nil
	return e
}

// cut returns the points of a series at which evidence ends.
func (v variation) cut(r *record.Record, points []record.Point) []record.Point {
	if v.end == 0 {
		return points
	}
	return slices.DeleteFunc(slices.Clone(points), func(p record.Point) bool { return 100*p.Update > v.end*r.Updates })
}

// notes are what a rule asked for while it judged. Nobody notes anything in nil.
type notes struct {
	thresholds    []Threshold
	trials        map[int]bool // their numbers
	curves, tests bool         // series; results of tests after training
	most          *big.Int     // the fewest orders of trials among its comparisons; each wants one order
}

// add takes what others note.
func (n *notes) add(others *notes) {
	if n == nil {
		return
	}
	for _, t := range others.thresholds {
		n.compared(t)
	}
	for number := range others.trials {
		n.trial(number)
	}
	n.curves, n.tests = n.curves || others.curves, n.tests || others.tests
	n.fewest(others.most)
}

func (n *notes) compared(t Threshold) {
	if n != nil && !slices.Contains(n.thresholds, t) {
		n.thresholds = append(n.thresholds, t)
	}
}

func (n *notes) trial(number int) {
	if n == nil {
		return
	}
	if n.trials == nil {
		n.trials = map[int]bool{}
	}
	n.trials[number] = true
}

func (n *notes) asked(curves bool) {
	if n != nil {
		n.curves, n.tests = n.curves || curves, n.tests || !curves
	}
}

// apart notes that every trial of one arm had to be below every trial of another.
func (n *notes) apart(a, b int) {
	if n == nil || a < 2 || b < 2 {
		return
	}
	n.fewest(new(big.Int).Binomial(int64(a+b), int64(a)))
}

func (n *notes) fewest(orders *big.Int) {
	if orders != nil && (n.most == nil || orders.Cmp(n.most) < 0) {
		n.most = orders
	}
}

// luck is how often two arms that do not differ lie apart in the order that a rule wants: "1 in 20" with 3 and 3
// trials, "1 in 252" with 5 and 5. It is empty if the rule does not want it.
func (n *notes) luck() string {
	if n.most == nil {
		return ""
	}
	return "1 in " + n.most.String()
}
