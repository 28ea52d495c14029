package claim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// A Stat is a number that stands for a curve.
type Stat string

const (
	// Final is the median of the last fifth of the points, so that no single spike decides it. Wherever a page speaks
	// of a final loss, it is this number.
	Final Stat = "final"

	Last    Stat = "last"    // the last point
	MeanOf  Stat = "mean"    // over all updates; where an arm's trials differ in length, over those of the shortest
	First   Stat = "first"   // the first point
	Lowest  Stat = "lowest"  // of all points
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
	case Lowest:
		return slices.Min(values)
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

func (q Series) Read(s Source) (Sample, error) {
	trials, err := s.Trials(q.Of)
	if err != nil {
		return nil, err
	}
	if q.Stat == MeanOf {
		until := slices.MinFunc(trials, func(a, b Trial) int { return a.until - b.until }).until
		for i := range trials {
			trials[i].until = until
		}
	}
	return trials.each(func(t Trial) (float64, error) {
		c, err := t.curve(q.Name, q.Higher)
		if err != nil {
			return 0, err
		}
		return t.as(q.Stat.of(c, q.Higher), q.As)
	})
}

func (q Series) Unit(w Words) Unit { return q.As.unit(w.Result(q.Name).Unit) }

func (q Series) What(w Words) string { return fmt.Sprintf("%s %s", q.Stat, w.Result(q.Name).Name) }

// Falling is by how much a series still improves when training stops: from the median of its fourth fifth to that of
// its last. What a curve ends at is a result only if it no longer improves.
type Falling struct{ Series }

func (q Falling) Read(s Source) (Sample, error) {
	return s.Each(q.Of, func(t Trial) (float64, error) {
		c, err := t.curve(q.Name, q.Higher)
		if err != nil {
			return 0, err
		}
		before, err := t.as(c.beforeFinal(), q.As)
		if err != nil {
			return 0, err
		}
		after, err := t.as(c.Final(), q.As)
		if q.Higher {
			before, after = after, before
		}
		return before - after, err
	})
}

func (q Falling) What(w Words) string { return "late improvement of the " + w.Result(q.Name).Name }

// Reaching is when a series first reaches a level: in updates, or in epochs of some points each. A trial that never
// does is censored at its end.
type Reaching struct {
	Of      Arm
	Name    record.Result
	As      As
	Level   Threshold
	Higher  bool // reaching is to be at the level or above it; else at it or below
	Epoch   int  // points of the curve in an epoch; 0: the result is in updates
	Longest bool // of runs of several lengths only the longest count
}

func (q Reaching) Read(s Source) (Sample, error) {
	trials, err := s.Trials(q.Of)
	if q.Longest {
		trials, err = s.Longest(q.Of)
	}
	if err != nil {
		return nil, err
	}
	return trials.Sample(q.In)
}

// In returns when the series of one trial reaches the level.
func (q Reaching) In(t Trial) (Value, error) {
	c, err := t.Curve(q.Name)
	if err != nil {
		return Value{}, err
	}
	unit := 1.
	if q.Epoch > 0 {
		unit = float64(t.Record.Window * q.Epoch)
	}
	for i, v := range c.Values {
		if v, err = t.as(v, q.As); err != nil {
			return Value{}, err
		}
		if v <= q.Level.Value && !q.Higher || v >= q.Level.Value && q.Higher {
			at := Value{V: float64(c.Updates[i]) / unit}
			if i > 0 {
				at.Before = float64(c.Updates[i-1]) / unit
			}
			return at, nil
		}
	}
	end := float64(c.Updates[len(c.Updates)-1]) / unit
	return Value{V: end, Before: end, Censored: true}, nil
}

func (q Reaching) Unit(Words) Unit {
	if q.Epoch > 0 {
		return Epochs
	}
	return Updates
}

func (q Reaching) What(w Words) string {
	named := w.Result(q.Name)
	level := q.As.unit(named.Unit).Write(q.Level.Value)
	if q.As == Recorded {
		level = named.Name + " " + level
	}
	return q.Unit(w).Name + " to " + level
}

// Result is a final result of each trial. A trial that diverged has the worst value that there is.
type Result struct {
	Of     Arm
	Name   record.Result
	As     As
	Higher bool // higher is better
	Swept  bool // the result is measured at several x: x is that of the result, see [record.Result.At]
}

func (q Result) Read(s Source) (Sample, error) {
	if !q.Swept {
		return s.Each(q.Of, func(t Trial) (float64, error) {
			v, err := t.Final(q.Name)
			if err != nil {
				return 0, err
			}
			return t.as(worst(v, q.Higher), q.As)
		})
	}
	trials, err := s.Trials(q.Of)
	if err != nil {
		return nil, err
	}
	var all Sample
	for _, t := range trials {
		swept := q.Name.Swept(t.Record.End.Final)
		if len(swept) == 0 {
			return nil, t.lacks("final " + string(q.Name) + " at any x")
		}
		for _, at := range swept {
			v, err := t.as(worst(at.Values[t.Place], q.Higher), q.As)
			if err != nil {
				return nil, err
			}
			all = append(all, Value{Trial: t.Number(), X: at.X, V: v})
		}
	}
	slices.SortStableFunc(all, func(a, b Value) int { return cmp.Compare(a.X, b.X) })
	return all, nil
}

func (q Result) Unit(w Words) Unit { return q.As.unit(w.Result(q.Name).Unit) }

func (q Result) What(w Words) string { return q.As.prefix() + w.Result(q.Name).Name }

// Minus is A − B in each pair of trials.
type Minus struct{ A, B Quantity }

func (Minus) InPairs() bool { return true }

func (q Minus) Read(s Source) (Sample, error) {
	a, err := q.A.Read(s)
	if err != nil {
		return nil, err
	}
	b, err := q.B.Read(s)
	if err != nil {
		return nil, err
	}
	return Paired(a, b, func(a, b float64) float64 { return a - b })
}

func (q Minus) Unit(w Words) Unit { return q.A.Unit(w) }

func (q Minus) What(w Words) string {
	if Whose(q, w) == "" {
		return Text(q.A, w) + " − " + Text(q.B, w)
	}
	return q.A.What(w) + " − " + q.B.What(w)
}

// Whose implements Quantity: the arm of both, or none.
func (q Minus) Whose(w Words) string {
	if whose := Whose(q.A, w); whose == Whose(q.B, w) {
		return whose
	}
	return ""
}

// At is a quantity at one x only, as one of a panel that sweeps nothing.
type At struct {
	Quantity
	X X
}

func (q At) Read(s Source) (Sample, error) {
	all, err := q.Quantity.Read(s)
	if err != nil {
		return nil, err
	}
	at := all.At(float64(q.X))
	if len(at) == 0 {
		return nil, fmt.Errorf("nothing at %g, but at %v", q.X, all.Xs())
	}
	for i := range at {
		at[i].X = NoX
	}
	return at, nil
}

func (q At) Whose(w Words) string { return fmt.Sprintf("%s at %.3g", Whose(q.Quantity, w), q.X) }
