package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// A Curve is a series of one trial.
type Curve struct {
	Updates []int // ascending
	Values  []float64
}

// Mean returns the mean over all updates, of values that are means over the updates since the last point.
func (c Curve) Mean() float64 {
	mean, before := 0.0, 0
	for i, update := range c.Updates {
		mean += c.Values[i] * float64(update-before) / float64(c.Updates[len(c.Updates)-1])
		before = update
	}
	return mean
}

// When is the update of the first point that something is true of, and that of the point before. Where it is true of
// none, the value is censored at the end.
func (c Curve) When(is func(v float64) bool) Value {
	i := slices.IndexFunc(c.Values, is)
	if i < 0 {
		end := float64(c.Updates[len(c.Updates)-1])
		return Value{V: end, Before: end, Censored: true}
	}
	at := Value{V: float64(c.Updates[i])}
	if i > 0 {
		at.Before = float64(c.Updates[i-1])
	}
	return at
}

func (c Curve) Last() float64 { return c.Values[len(c.Values)-1] }

// Final is what a curve ends at: see the [Stat] of that name. One that ends in divergence ends at what is not finite.
func (c Curve) Final() float64 {
	if last := c.Last(); math.IsNaN(last) || math.IsInf(last, 0) {
		return last
	}
	return Median(c.Values[len(c.Values)-c.FinalPoints():])
}

// finalPart of a curve is its end.
const finalPart = 0.2

// FinalPoints is how many points that end has, at least 1.
func (c Curve) FinalPoints() int {
	n := len(c.Values)
	return n - min(int((1-finalPart)*float64(n)), n-1)
}

// beforeFinal is the median of as many points before that end.
func (c Curve) beforeFinal() float64 {
	end := len(c.Values) - c.FinalPoints()
	return Median(c.Values[max(0, end-c.FinalPoints()):end])
}

// Median returns the middle one of values, or the mean of the middle two; NaN if there are none or one of them is NaN.
func Median(values []float64) float64 {
	if len(values) == 0 || math.IsNaN(slices.Min(values)) {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// Mean returns the mean of values; NaN if there are none or one of them is NaN.
func Mean(values []float64) float64 { return record.SpreadOf(values).Mean }

// A Stat is a number that stands for a curve.
type Stat string

const (
	// Final is the median of the last fifth of the points, so that no single spike decides it. Wherever a page speaks
	// of a final loss, it is this number.
	Final Stat = "final"

	Last    Stat = "last"    // the last point
	MeanOf  Stat = "mean"    // over all updates; where an arm's trials differ in length, over those of the shortest
	First   Stat = "first"   // the first point
	Highest Stat = "highest" // of all points

	// WorstLate is the worst point of the last fifth: how unstable an end is that Final does not show.
	WorstLate Stat = "worst late"
)

func (s Stat) of(c Curve, higher bool) float64 {
	values := c.Values
	switch s {
	case Final:
		return c.Final()
	case Last:
		return c.Last()
	case MeanOf:
		return c.Mean()
	case First:
		return values[0]
	case Highest:
		return slices.Max(values)
	case WorstLate:
		late := values[len(values)-c.FinalPoints():]
		if higher {
			return slices.Min(late)
		}
		return slices.Max(late)
	}
	panic(fmt.Sprintf("no statistic %q", s))
}

// Series is one number of a series of each trial.
type Series struct {
	Of     Arm
	Name   record.Result
	Stat   Stat
	As     As
	Higher bool // higher is better; a trial that diverged has the worst value that there is
}

func (q Series) Read(s Source) Sample {
	trials := s.Trials(q.Of)
	if q.Stat == MeanOf {
		until := slices.MinFunc(trials, func(a, b Trial) int { return a.until - b.until }).until
		for i := range trials {
			trials[i].until = until
		}
	}
	return trials.Each(func(t Trial) float64 {
		return t.as(q.Stat.of(t.Curve(q.Name, Recorded, q.Higher), q.Higher), q.As)
	})
}

// Curve is what must no longer improve where a rule wants the series settled. A quantity that may stand in place of a
// series has this method, too.
func (q Series) Curve() Series { return q }

func (q Series) Named(w Words) Named {
	return w.loss(string(q.Stat)+" ", q.Name, q.As)
}

// Falling is by how much a series still improves when training stops: from the median of its fourth fifth to that of
// its last. What a curve ends at is a result only if it no longer improves. One that ends in divergence improves by 0.
type Falling struct{ Series }

func (q Falling) Read(s Source) Sample {
	return s.Trials(q.Of).Each(func(t Trial) float64 {
		c := t.Curve(q.Name, Recorded, q.Higher)
		if len(c.Values) == 1 {
			t.lacks("second point of " + string(q.Name))
		}
		before, after := t.as(c.beforeFinal(), q.As), t.as(c.Final(), q.As)
		switch {
		case math.IsInf(after, 0):
			return 0
		case q.Higher:
			return after - before
		}
		return before - after
	})
}

func (q Falling) Named(w Words) Named { return w.loss("late improvement of the ", q.Name, q.As) }

// Reaching is when a series first reaches a level: in updates, or in epochs of some points each. A trial that never
// does is censored at its end.
type Reaching struct {
	Of     Arm
	Name   record.Result
	As     As
	Level  Threshold
	Higher bool // reaching is to be at the level or above it; else at it or below
	Epoch  int  // points of the curve in an epoch; 0: the result is in updates
}

func (q Reaching) Read(s Source) Sample {
	return s.Trials(q.Of).Sample(q.In)
}

// In returns when the series of one trial reaches the level.
func (q Reaching) In(t Trial) Value {
	at := t.Curve(q.Name, q.As, q.Higher).When(func(v float64) bool {
		return v <= q.Level.Value && !q.Higher || v >= q.Level.Value && q.Higher
	})
	if q.Epoch > 0 {
		every := cmp.Or(t.Record.Header.Series[string(q.Name)], t.Record.Window) // updates between two points
		unit := float64(every * q.Epoch)
		at.V, at.Before = at.V/unit, at.Before/unit
	}
	return at
}

func (q Reaching) Named(w Words) Named {
	unit, of := Updates, w.loss("", q.Name, q.As)
	if q.Epoch > 0 {
		unit = Epochs
	}
	level := of.Unit.Write(q.Level.Value)
	if q.As == Recorded {
		level = of.Name + " " + level
	}
	return Named{unit.Name + " to " + level, Plain}
}

// Result is a final result of each trial. A trial that diverged has the worst value that there is.
type Result struct {
	Of     Arm
	Name   record.Result
	As     As
	Higher bool // higher is better
	Swept  bool // the result is measured at several x: x is that of the result, see [record.Result.At]
}

func (q Result) Read(s Source) Sample {
	trials := s.Trials(q.Of)
	if !q.Swept {
		return trials.Each(func(t Trial) float64 { return t.as(Worst(t.Final(q.Name), q.Higher), q.As) })
	}
	var all Sample
	for _, t := range trials {
		swept := q.Name.Swept(t.Record.End.Final)
		if len(swept) == 0 {
			t.lacks("final " + string(q.Name) + " at any x")
		}
		for _, at := range swept {
			v := t.as(Worst(at.Values[t.Place], q.Higher), q.As)
			all = append(all, Value{Trial: t.Number(), X: at.X, V: v})
		}
	}
	slices.SortStableFunc(all, func(a, b Value) int { return cmp.Compare(a.X, b.X) })
	return all
}

func (q Result) Named(w Words) Named {
	if q.As == Excess {
		return w.loss("excess ", q.Name, q.As)
	}
	return w.loss("", q.Name, q.As)
}

// Minus is A − B in each pair of trials of one arm.
type Minus struct{ A, B Quantity }

func (Minus) InPairs() bool { return true }

func (q Minus) Read(s Source) Sample {
	b := q.B.Read(s)
	if b.Censored() {
		lack("a trial ended before it got there: a difference would have no bound")
	}
	return Paired(q.A.Read(s), b, func(a, b float64) float64 { return a - b })
}

func (q Minus) Named(w Words) Named {
	a, b := q.A.Named(w), q.B.Named(w)
	return Named{a.Name + " − " + b.Name, a.Unit}
}

// Quotient is a positive quantity at one x, divided by what each trial has at another; where B is censored, it can be
// anything.
type Quotient struct{ A, B At }

func (Quotient) InPairs() bool { return true }

func (q Quotient) Read(s Source) Sample {
	b := q.B.Read(s)
	all := Paired(q.A.Read(s), b, func(a, b float64) float64 { return a / b })
	for i := range all {
		if b[i].Censored {
			all[i].V, all[i].Censored = 0, true
		}
	}
	return all
}

func (q Quotient) Named(w Words) Named {
	return Named{fmt.Sprintf("%s, at %.3g / at %.3g", q.A.Quantity.Named(w).Name, q.A.X, q.B.X), Plain}
}

// At is a quantity at one x only, as one of a panel that sweeps nothing.
type At struct {
	Quantity
	X X
}

func (q At) Read(s Source) Sample {
	all := q.Quantity.Read(s)
	at := all.At(float64(q.X))
	if len(at) == 0 {
		lack("nothing at %g, but at %v", q.X, all.Xs())
	}
	for i := range at {
		at[i].X = NoX
	}
	return at
}

func (q At) Whose(w Words) string { return fmt.Sprintf("%s at %.3g", Whose(q.Quantity, w), q.X) }
