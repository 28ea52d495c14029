package claim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptime/warptime/internal/parts"
)

// A Rule is a condition on quantities. Rules are structs of exported fields. A rule of a paper's own implements both
// methods like those of this file.
type Rule interface {
	// Judge answers from evidence: Reproduced, NotReproduced (the opposite) or Undecided. What it answers where
	// evidence is missing does not matter.
	Judge(*Evidence) Finding

	// Text is the criterion: what must hold for Reproduced.
	Text(Words) string
}

// A Threshold is a number of a rule. To see what depends on it, it is halved and doubled.
type Threshold struct {
	Value float64

	// From is where the half and the double are counted from: 0 for a loss, a share or a difference, 1 for an accuracy
	// (what is halved is what it lacks to 1) and for a factor (2 times as long is halved to 1.5 times). A number that
	// the paper gives equals its From, and stays.
	From float64
}

func (t Threshold) times(factor float64) Threshold {
	return Threshold{t.From + factor*(t.Value-t.From), t.From}
}

// MarshalJSON makes it a number.
func (t Threshold) MarshalJSON() ([]byte, error) { return json.Marshal(t.Value) }

func (t Threshold) set() bool { return t != Threshold{} }

// A Finding is what a rule found.
type Finding struct {
	Answer  Answer
	Why     string   // if undecided, in a few words
	Numbers []Number // those that the answer rests on, the most important first
}

// Decide makes a finding: Reproduced or NotReproduced if one of two conditions holds, and else, or if neither can be
// asked for, Undecided.
func Decide(reproduced, not bool, why string, numbers ...Number) Finding {
	switch {
	case reproduced:
		return Finding{Reproduced, "", numbers}
	case not:
		return Finding{NotReproduced, "", numbers}
	}
	return Finding{Undecided, why, numbers}
}

// A Number is a typed number of a finding.
type Number struct {
	Kind Kind
	Of   Quantity // what it is the mean of, or a ratio to; the first of two
	To   Quantity // the second, of a ratio
	Interval

	Least bool // of a sweep, what matters is the least of its numbers, and else the largest

	Met, Trials int     // of Kind Counted: how many trials of how many
	X           float64 // at which it is, where the panel sweeps something; else NoX
}

// A Kind says what a number is.
type Kind string

const (
	MeanNumber Kind = "mean"         // over the trials
	RatioOfAll Kind = "ratio"        // of geometric means
	RatioOfMid Kind = "median ratio" // of medians
	Counted    Kind = "trials"       // that meet a condition
)

// Evidence is where a rule gets samples from. It keeps what was asked for, in order.
type Evidence struct {
	read func(Quantity) (Sample, error)
	x    *float64 // only values at this x
	*asked
}

type asked struct {
	seen    []Shown
	missing bool // some of it is
}

// Shown is a quantity that a rule asked for, and what it was.
type Shown struct {
	Quantity Quantity
	Sample   Sample
}

// Of returns a quantity. Where it is missing, the sample is NaN, and the claim is not run whatever the rule answers.
func (e *Evidence) Of(q Quantity) Sample {
	i := slices.IndexFunc(e.seen, func(s Shown) bool { return equal(s.Quantity, q) })
	if i < 0 {
		s, err := e.read(q)
		e.missing = e.missing || err != nil
		i, e.seen = len(e.seen), append(e.seen, Shown{q, s})
	}
	s := e.seen[i].Sample
	if e.x != nil {
		s = slices.DeleteFunc(slices.Clone(s), func(v Value) bool { return v.X != *e.x && v.X != NoX })
	}
	if len(s) == 0 {
		e.missing = true // at one x
		return Sample{{X: NoX, V: math.NaN()}}
	}
	return s
}

func (e *Evidence) At(x float64) *Evidence { return &Evidence{e.read, &x, e.asked} }

// Over says what of several trials must meet a condition.
type Over string

const (
	EveryTrial   Over = ""
	OnAverage    Over = "average" // the mean, with all of its 95 % interval
	InPairs      Over = "pairs"   // of Below: each trial, and that of the same number of the other arm
	HighestTrial Over = "highest" // of Below and About: that of all which has the highest value
)

// Why a claim is undecided.
const (
	someTrials  = "only some trials meet the rule"
	overlap     = "the trials overlap"
	somePairs   = "not all pairs of trials differ alike"
	tooNear     = "the means are too near"
	wide        = "the interval is too wide"
	notByFactor = "it is so by a smaller factor"
	stillFalls  = "the arm behind still improves"
)

// AtMost holds if a quantity is at most a limit, and its opposite if it is above.
type AtMost Level

func (r AtMost) Judge(e *Evidence) Finding { return Level(r).judge(e, false) }

func (r AtMost) Text(w Words) string { return Level(r).text(w, "at most") }

// AtLeast holds if a quantity is at least a limit, and its opposite if it is below.
type AtLeast Level

func (r AtLeast) Judge(e *Evidence) Finding { return Level(r).judge(e, true) }

func (r AtLeast) Text(w Words) string { return Level(r).text(w, "at least") }

// A Level is a quantity and the limit that it is compared with.
type Level struct {
	Q     Quantity
	Limit Threshold
	Over  Over
}

func (r Level) judge(e *Evidence, least bool) Finding {
	s := e.Of(r.Q)
	mean, why := meanOf(r.Q, s), someTrials
	mean.Least = least
	numbers := []Number{mean, {Kind: Counted, Of: r.Q, Met: met(s, r.Limit, least), Trials: len(s), X: s[0].X}}
	if r.Over == OnAverage {
		mean.Interval, why = meanInterval(s), wide
		numbers = []Number{mean}
	}
	if least {
		return Decide(mean.Low >= r.Limit.Value, mean.High < r.Limit.Value, why, numbers...)
	}
	return Decide(mean.High <= r.Limit.Value, mean.Low > r.Limit.Value, why, numbers...)
}

// meanOf is the mean of a quantity, and the range of its values.
func meanOf(q Quantity, s Sample) Number {
	return Number{Kind: MeanNumber, Of: q, X: s[0].X, Interval: Interval{
		Value: s.Mean(), Low: s.Min(), High: s.Max(), AtLeast: s.Censored(),
	}}
}

// met is how many values are at a limit or below it, or with least at it or above.
func met(s Sample, limit Threshold, least bool) int {
	n := 0
	for _, v := range s {
		if !least && v.High() <= limit.Value || least && v.V >= limit.Value {
			n++
		}
	}
	return n
}

// text is the criterion that quantities of one kind are at a level.
func (r Level) text(w Words, most string) string {
	named := r.Q.Named(w)
	text := of(named.Name, Whose(r.Q, w)) + " " + most + " " + named.Unit.Write(r.Limit.Value)
	if r.Over == OnAverage {
		text += " (interval)"
	}
	return text
}

// of is how a criterion begins: what is measured, and of whom.
func of(what, whose string) string { return what + ": " + whose }

// rounding is the largest relative difference that is taken for the rounding of float32 sums over a training.
const rounding = 1e-4

// Below holds if A is below B, and its opposite if B is below A.
type Below struct {
	A, B Quantity

	By      Threshold // the least difference of the means
	Share   Threshold // the same, as a share of the lower mean
	Factor  Threshold // how much of B's mean A's is at most
	Settled Threshold // the arm behind must not still improve by more; see [Falling] and [Series.Curve]

	// Over is what is compared: every trial of one with every trial of the other; on average, the difference of the
	// means, with all of its interval; in pairs, and then each differs by the least difference.
	Over Over
}

func (r Below) InPairs() bool { return r.Over == InPairs }

func (r Below) Judge(e *Evidence) Finding {
	a, b := e.Of(r.A), e.Of(r.B)
	if r.Over == HighestTrial {
		a, b = a.highest(), b.highest()
	}
	why := map[Over]string{OnAverage: wide, InPairs: somePairs}[r.Over]
	least := max(r.By.Value, shareOf(r.Share.Value, min(a.Mean(), b.Mean())))
	lower := func(a, b Sample) bool {
		apart := a.Max() < b.Min()
		gap := b.Mean() - a.Mean()
		switch r.Over {
		case OnAverage:
			return difference(a, b).Low > least
		case InPairs:
			gaps, err := reading(func() Sample { return Paired(b, a, func(b, a float64) float64 { return b - a }) })
			e.missing = e.missing || err != nil
			return err == nil && !a.Censored() && gaps.Min() >= max(least, shareOf(rounding, a.Mean()))
		}
		if apart && gap < least {
			why = tooNear
		}
		return apart && gap >= max(least, shareOf(rounding, a.Mean()))
	}
	is, not, behind := lower(a, b), lower(b, a), r.B
	if not {
		behind = r.A
	}
	if is && r.Factor.set() && a.Mean() > r.Factor.Value*b.Mean() {
		is, why = false, notByFactor
	}
	if r.Settled.set() && (is || not) {
		if q, ok := behind.(interface{ Curve() Series }); !ok {
			e.missing = true // nothing says whether it still improves
		} else if e.Of(Falling{q.Curve()}).Mean() > r.Settled.Value {
			is, not, why = false, false, stillFalls
		}
	}
	first, second := meanOf(r.A, a), meanOf(r.B, b)
	second.X = first.X
	return Decide(is, not, cmp.Or(why, overlap), first, second)
}

// shareOf is a share of a mean; 0 where that is infinite, because a trial diverged.
func shareOf(share, mean float64) float64 {
	if math.IsInf(mean, 0) {
		return 0
	}
	return share * math.Abs(mean)
}

func (r Below) Text(w Words) string {
	text := compared(r.A, r.B, w, "below") + map[Over]string{
		OnAverage: " (interval)", InPairs: " in every pair of trials", HighestTrial: " in the highest trial of each",
	}[r.Over]
	if r.By.set() {
		text += ", by " + r.A.Named(w).Unit.Write(r.By.Value)
	}
	if r.Share.set() {
		text += ", by " + Percent.Write(r.Share.Value) + " of the lower"
	}
	if r.Factor.set() {
		text += ", mean at most " + Percent.Write(r.Factor.Value) + " of it"
	}
	if r.Settled.set() {
		text += "; settled"
	}
	return text
}

// Equivalent holds if the 95 % interval of the difference of two means is within bounds, and its opposite if every
// trial of one is further below every trial of the other.
type Equivalent struct {
	A, B   Quantity
	Within Threshold
	Share  bool // Within is a share of B's mean
}

func (r Equivalent) Judge(e *Evidence) Finding {
	a, b := e.Of(r.A), e.Of(r.B)
	within := r.Within
	if r.Share {
		within.Value *= math.Abs(b.Mean())
	}
	f := Below{A: r.A, B: r.B, By: within}.Judge(e)
	switch gap := difference(a, b); {
	case gap.Low >= -within.Value && gap.High <= within.Value:
		f.Answer, f.Why = Reproduced, ""
	case f.Answer == Reproduced:
		f.Answer = NotReproduced
	case f.Answer == Undecided:
		f.Why = wide
	}
	return f
}

func (r Equivalent) Text(w Words) string {
	within := r.A.Named(w).Unit.Write(r.Within.Value)
	if r.Share {
		within = Percent.Write(r.Within.Value)
	}
	return compared(r.A, r.B, w, "within "+within+" (interval) of")
}

// compared writes a comparison: "final loss: chrono below standard".
func compared(a, b Quantity, w Words, how string) string {
	first, second := a.Named(w).Name, Whose(b, w)
	if what := b.Named(w).Name; what != first || second == "" {
		second = of(what, second)
	}
	return of(first, Whose(a, w)) + " " + how + " " + second
}

// About holds if the mean of a quantity is at most Within from a number, and its opposite if every trial is further
// away on one side. With HighestTrial it is the highest value in place of the mean.
type About struct {
	Q      Quantity
	Is     float64
	Within Threshold
	Over   Over
}

func (r About) Judge(e *Evidence) Finding {
	s := e.Of(r.Q)
	n := meanOf(r.Q, s)
	if r.Over == HighestTrial {
		n.Value = s.highest().Mean()
	}
	low, high := r.Is-r.Within.Value, r.Is+r.Within.Value
	return Decide(n.Value >= low && n.Value <= high && !n.AtLeast, n.High < low || n.Low > high, someTrials, n)
}

func (r About) Text(w Words) string {
	over := "(mean)"
	if r.Over == HighestTrial {
		over = "in its highest trial"
	}
	unit := r.Q.Named(w).Unit
	return fmt.Sprintf("%s is within %s of %s %s", Text(r.Q, w), unit.Write(r.Within.Value), unit.Write(r.Is), over)
}

// Ratio holds if the ratio of two quantities is about a number, or within bounds. Its opposite holds if all of
// the ratio's interval is outside.
type Ratio struct {
	Of, To Quantity
	Median bool // of the medians; else of the geometric means

	About   float64   // with Within: from About/Within to About·Within
	Within  Threshold // a factor
	AtLeast Threshold // in place of About
	AtMost  Threshold // in place of About
}

func (r Ratio) bounds() (low, high float64) {
	low, high = 0, math.Inf(1)
	if r.About != 0 {
		low, high = r.About/r.Within.Value, r.About*r.Within.Value
	}
	if r.AtLeast.set() {
		low = r.AtLeast.Value
	}
	if r.AtMost.set() {
		high = r.AtMost.Value
	}
	return low, high
}

func (r Ratio) Judge(e *Evidence) Finding {
	of, to := e.Of(r.Of), e.Of(r.To)
	n := Number{Kind: RatioOfAll, Of: r.Of, To: r.To, X: of[0].X, Interval: RatioOf(of, to)}
	if r.Median {
		n.Kind, n.Interval = RatioOfMid, MedianRatio(of, to)
	}
	why := wide
	if n.AtLeast || n.AtMost {
		why = "a training is too short"
	}
	low, high := r.bounds()
	return Decide(n.Low >= low && n.High <= high, n.High < low || n.Low > high, why, n)
}

func (r Ratio) Text(w Words) string {
	bounds := ""
	switch low, high := r.bounds(); {
	case low == 0:
		bounds = fmt.Sprintf("at most %.3g", high)
	case math.IsInf(high, 1):
		bounds = fmt.Sprintf("at least %.3g", low)
	default:
		bounds = fmt.Sprintf("between %.3g and %.3g", low, high)
	}
	if r.Median {
		bounds += " (medians)"
	}
	return compared(r.Of, r.To, w, "/") + " " + bounds
}

// All holds if all of its rules do, and its opposite if that of one does.
type All []Rule

func (r All) Judge(e *Evidence) Finding { return combine(judged(r, e), false) }

func (r All) Text(w Words) string { return texts(r, w, "; ") }

// Any holds if one of its rules does, and its opposite if that of all does.
type Any []Rule

func (r Any) Judge(e *Evidence) Finding { return combine(judged(r, e), true) }

func (r Any) Text(w Words) string { return texts(r, w, " or ") }

// texts joins criteria. One that is the same for several arms, or in several panels, is written once.
func texts(rules []Rule, w Words, with string) string {
	var all []string
	names := strings.Replace(with, ";", ",", 1)
	for len(rules) > 0 {
		like := rules[0].Text(w.calling("…"))
		isLike := func(r Rule) bool { return r.Text(w.calling("…")) == like }
		alike := slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return !isLike(r) })
		rules = slices.DeleteFunc(slices.Clone(rules), isLike)
		var whose, panels []string
		for _, r := range alike {
			arms := distinct(parts.Of[Arm](r))
			if len(arms) == 1 {
				whose = append(whose, w.Arm(arms[0]))
			}
			if len(arms) > 0 {
				panels = append(panels, w.panel(arms[0]))
			}
		}
		switch n := len(alike); {
		case n > 1 && len(whose) == n:
			all = append(all, alike[0].Text(w.calling(strings.Join(whose, names))))
		case n > 1 && len(distinct(panels)) == n:
			all = append(all, alike[0].Text(w.withoutPanels())+" ("+strings.Join(panels, "; ")+")")
		default:
			for _, r := range alike {
				all = append(all, inOnePanel(r, w))
			}
		}
	}
	return strings.Join(all, with)
}

// inOnePanel is a criterion with the name of its panel, if it has one, in front.
func inOnePanel(r Rule, w Words) string {
	panels := distinct(each(parts.Of[Arm](r), w.panel))
	if len(panels) != 1 || panels[0] == "" || w.all != "" {
		return r.Text(w)
	}
	return "on " + panels[0] + ", " + r.Text(w.withoutPanels())
}

func distinct[T comparable](all []T) (out []T) {
	for _, v := range all {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// each is what a function makes of each of some values.
func each[T, U any](all []T, of func(T) U) (out []U) {
	for _, v := range all {
		out = append(out, of(v))
	}
	return out
}

func judged(rules []Rule, e *Evidence) []Finding {
	return each(rules, func(r Rule) Finding { return r.Judge(e) })
}

// combine makes one finding of several: an answer that decides, else Undecided if one is, else the other answer.
func combine(all []Finding, any bool) Finding {
	decides, otherwise := NotReproduced, Reproduced
	if any {
		decides, otherwise = Reproduced, NotReproduced
	}
	out := Finding{Answer: otherwise}
	for _, f := range all {
		out.Numbers = append(out.Numbers, f.Numbers...)
		switch {
		case f.Answer == decides:
			out.Answer, out.Why = decides, ""
		case f.Answer == Undecided && out.Answer != decides:
			out.Answer, out.Why = Undecided, f.Why
		}
	}
	if len(all) == 0 {
		out.Answer, out.Why = Undecided, "there is nothing to judge"
	}
	return out
}

// Not turns a rule round.
type Not struct{ Rule Rule }

func (r Not) Judge(e *Evidence) Finding {
	f := r.Rule.Judge(e)
	switch f.Answer {
	case Reproduced:
		f.Answer = NotReproduced
	case NotReproduced:
		f.Answer = Reproduced
	}
	for i, n := range f.Numbers {
		f.Numbers[i].Met = n.Trials - n.Met
	}
	return f
}

func (r Not) Text(w Words) string {
	if r, ok := r.Rule.(AtMost); ok {
		return Level(r).text(w, "above")
	}
	return "not: " + r.Rule.Text(w)
}

// Given judges a rule only where something else holds, such as that a network has learned at all. Else nothing can be
// said.
type Given struct{ If, Then Rule }

func (r Given) Judge(e *Evidence) Finding {
	f, then := r.If.Judge(e), r.Then.Judge(e)
	if f.Answer != Reproduced {
		return Finding{Answer: Undecided, Why: "its premise does not hold", Numbers: append(then.Numbers, f.Numbers...)}
	}
	return then
}

func (r Given) Text(w Words) string {
	return r.Then.Text(w) + "; only if " + r.If.Text(w)
}

// Ends holds if what a quantity waits for happens in every trial, and its opposite if it does in none.
type Ends struct{ Q Quantity }

func (r Ends) Judge(e *Evidence) Finding {
	s := e.Of(r.Q)
	goesOn := func(v Value) bool { return !v.Censored }
	return Decide(!s.Censored(), !slices.ContainsFunc(s, goesOn), someTrials)
}

func (r Ends) Text(w Words) string { return Text(r.Q, w) + " ends" }

// Settled judges a rule where some series no longer improve, on average over the trials. Where one does, longer
// training might still change the answer: nothing is said, or, with Opposite, nothing but what the rule says.
type Settled struct {
	Of       []Series
	By       Threshold // by more than this they improve
	Opposite bool
	Rule     Rule
}

func (r Settled) Judge(e *Evidence) Finding {
	f := r.Rule.Judge(e)
	for _, q := range r.Of {
		if e.Of(Falling{q}).Mean() > r.By.Value && (f.Answer == NotReproduced || !r.Opposite) {
			f.Answer, f.Why = Undecided, "it may still change"
		}
	}
	return f
}

func (r Settled) Text(w Words) string {
	if r.Opposite {
		return r.Rule.Text(w) + "; settled against it"
	}
	return r.Rule.Text(w) + "; settled"
}

// AtEveryX holds if a rule does at every x of a sweep, or, with Some, at one of them. Its opposite holds if that of the
// rule does at one x, or with Some at all.
type AtEveryX struct {
	Of   Quantity  // whose x they are
	From Threshold // a share of the largest x: smaller ones do not count
	Over X         // only x above this
	UpTo X         // only x up to this; 0: all
	Some bool
	Rule Rule

	// Where leaves out each x at which it does not hold, and Last all of the others but the largest. If it holds at
	// none, and its opposite at all, so does that of the rule: there is nothing to compare.
	Where Rule
	Last  bool
}

// X is a value that a panel sweeps.
type X float64

// IsZero tells whether it is [NoX], which is left out of JSON.
func (x X) IsZero() bool { return float64(x) == NoX }

func (r AtEveryX) Judge(e *Evidence) Finding {
	var all, left []Finding
	xs := e.Of(r.Of).Xs()
	for _, x := range xs {
		if x < r.From.Value*xs[len(xs)-1] || x <= float64(r.Over) || r.UpTo != 0 && x > float64(r.UpTo) {
			continue
		}
		if r.Where != nil {
			if f := r.Where.Judge(e.At(x)); f.Answer != Reproduced {
				left = append(left, f)
				continue
			}
		}
		all = append(all, r.Rule.Judge(e.At(x)))
	}
	switch {
	case len(all) == 0:
		return combine(left, true)
	case r.Last:
		all = all[len(all)-1:]
	}
	return combine(all, r.Some)
}

func (r AtEveryX) Text(w Words) string {
	at := "at every value"
	if r.Some {
		at = "at some value"
	}
	switch {
	case r.From.Value == 1, r.Last:
		at = "at the largest value"
	case r.From.set():
		at += " from " + Percent.Write(r.From.Value) + " of the largest on"
	}
	if r.Over != 0 {
		at += fmt.Sprintf(" above %g", r.Over)
	}
	if r.UpTo != 0 {
		at += fmt.Sprintf(" up to %g", r.UpTo)
	}
	if r.Where != nil {
		at += " where " + r.Where.Text(w)
	}
	return at + ", " + r.Rule.Text(w)
}

// AtX judges a rule at one x.
type AtX struct {
	X    X
	Rule Rule
}

func (r AtX) Judge(e *Evidence) Finding { return r.Rule.Judge(e.At(float64(r.X))) }

func (r AtX) Text(w Words) string { return fmt.Sprintf("at %g, %s", r.X, r.Rule.Text(w)) }
