package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Curves shows a series in the course of training. Without Of it shows
// the training losses over updates, each in the middle of those that it is the mean over, beside the memoryless loss.
// Trials of an arm are one line if they have the same points. Lines of one arm at several swept values differ in their
// marks.
type Curves struct {
	Of        record.Result
	Y         string                  // the vertical axis, in place of the panel's; empty: the panel's
	As        func(v float64) float64 // what is shown of a value; nil: the value
	Updates   bool                    // over updates in place of epochs
	Log       bool                    // the vertical axis is logarithmic
	Low, High float64                 // its ends: see Chart; of losses, High follows from the memoryless loss
	Arms      []experiment.Arm        // that are shown; nil: all

	Levels func(p Panel) []Reference // what lines are to be compared with; nil: nothing
	After
}

// Percent is a share in percent.
func Percent(share float64) float64 { return 100 * share }

func (v Curves) Chart(p Panel) Chart {
	c := Chart{Y: v.Y, Log: v.Log, Low: v.Low, High: v.High, Averaged: v.Of == ""}
	epoch := 1.
	if v.Of != "" && !v.Updates {
		epoch = float64(p.Epoch())
	}
	for _, r := range p.Records {
		c.End = max(c.End, float64(r.Updates)/epoch)
	}
	if v.Arms != nil {
		p.Arms = v.Arms
	}
	c.Lines = p.curves(cmp.Or(v.Of, record.Train), func(before, update int, value float64) (x, y float64) {
		switch {
		case v.Of == "":
			return float64(before+update) / 2, value
		case v.As != nil:
			value = v.As(value)
		}
		return float64(update) / epoch, value
	})
	if v.Of != "" {
		c.Lines = slices.DeleteFunc(c.Lines, func(l Line) bool { return len(l.X) == 0 })
		if v.Levels != nil && len(c.Lines) > 0 {
			c.References = v.Levels(p)
		}
	} else if loss, ok := p.Memoryless(); ok {
		c.References = []Reference{Level("memoryless", loss)}
		// What is above one and a half times of it is cut off, unless a line ends there that has not diverged.
		c.High = 1.5 * loss
		for _, l := range c.Lines {
			if end := 1.3 * l.end(); c.High < end && end < 5*loss {
				c.High = end
			}
		}
	}
	return c
}

// swept are the values that trials of the records differ in, ascending.
func (p Panel) swept() []float64 {
	var xs []float64
	for _, r := range p.Records {
		for _, t := range r.Trials {
			if t.X != nil {
				xs = append(xs, *t.X)
			}
		}
	}
	slices.Sort(xs)
	return slices.Compact(xs)
}

// curves are the lines of a series, one for each arm and swept value, in the order of their styles. Function point
// makes a point from an update, the update of the point before, and a value. Of a trial that was trained twice, the
// longer run counts.
func (p Panel) curves(of record.Result, point func(before, update int, value float64) (x, y float64)) (lines []Line) {
	xs := p.swept()
	for _, arm := range p.Arms {
		for _, r := range p.Records {
			for _, trial := range p.shown(r, arm) {
				l := Line{Label: arm.Label, Style: p.Style(arm.Name)}
				if t := r.Trials[trial]; t.X != nil && len(xs) > 1 {
					l.Label, l.Swept = curveLabel(t, arm.Label), slices.Index(xs, *t.X)
				}
				before := 0
				for _, at := range r.Series(string(of)) {
					x, y := point(before, at.Update, at.Values[trial])
					l.Add(x, y)
					before = at.Update
				}
				if k := slices.IndexFunc(lines, l.fits); k >= 0 {
					lines[k] = lines[k].and(l)
				} else {
					lines = append(lines, l)
				}
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Or(a.Style-b.Style, a.Swept-b.Swept) })
	return lines
}

// shown are the trials of an arm in a record of which the panel has no longer run.
func (p Panel) shown(r *record.Record, arm experiment.Arm) []int {
	return slices.DeleteFunc(r.Arm(arm.Name), func(trial int) bool {
		of := r.Trials[trial]
		return slices.ContainsFunc(p.Records, func(other *record.Record) bool {
			return other.Updates > r.Updates && slices.ContainsFunc(other.Trials, func(t record.Trial) bool {
				return t.Number == of.Number && curveLabel(t, t.Arm) == curveLabel(of, of.Arm)
			})
		})
	})
}

// fits tells whether two lines are of one label, and have the same points as far as the shorter one goes.
func (l Line) fits(other Line) bool {
	n := min(len(l.X), len(other.X))
	return l.Label == other.Label && slices.Equal(l.X[:n], other.X[:n])
}

// and is the line with the trials of another that fits, which were trained in a run of their own, behind its own.
// Beyond the shorter line, its trials are NaN, so that the median ends there.
func (l Line) and(other Line) Line {
	at := func(l Line, i int) []float64 {
		if i < len(l.X) {
			return l.Trials[i]
		}
		return slices.Repeat([]float64{math.NaN()}, l.trials())
	}
	both := l
	if len(other.X) > len(l.X) {
		both.X = other.X
	}
	both.Trials = nil
	for i := range both.X {
		both.Trials = append(both.Trials, slices.Concat(at(l, i), at(other, i)))
	}
	return both
}

// losses draws the training losses of the panel's records, whatever the panel shows.
func (p Panel) losses() Chart {
	p.X, p.Y = "updates", "training loss"
	return p.chart(Curves{}, p.FullTitle())
}

// curveLabel says which curve a trial belongs to.
func curveLabel(t record.Trial, arm string) string {
	if t.X == nil {
		return arm
	}
	return fmt.Sprintf("%s, %g", arm, *t.X)
}
