package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// TrainingCurves shows the training losses.
type TrainingCurves struct {
	LogFrom float64 // where the vertical axis begins, which is then logarithmic; 0: it is linear, from 0
}

// Chart implements View. Trials of an arm are one line if they have the same points. Lines of one arm at several swept
// values differ in their marks.
func (v TrainingCurves) Chart(title string, p Panel) Chart {
	c := Chart{Title: title, X: p.X, Y: p.Y, Log: v.LogFrom > 0, Low: v.LogFrom}
	xs := p.swept()
	for _, r := range p.Records {
		c.End = max(c.End, float64(r.Updates))
		for i, t := range r.Trials {
			if p.longer(r, i) {
				continue
			}
			label := t.Arm // if it is not declared
			if arm := slices.IndexFunc(p.Arms, func(a experiment.Arm) bool { return a.Name == t.Arm }); arm >= 0 {
				label = p.Arms[arm].Label
			}
			if len(xs) > 1 {
				label = curveLabel(t, label)
			}
			if !slices.Contains(p.styles, t.Arm) {
				p.styles = append(p.styles, t.Arm)
			}
			l := trainingLine(label, p.Style(t.Arm), r, i)
			if t.X != nil {
				l.Swept = slices.Index(xs, *t.X)
			}
			c.add(l)
		}
	}
	slices.SortStableFunc(c.Lines, func(a, b Line) int { return cmp.Or(a.Style-b.Style, a.Swept-b.Swept) })
	// What is above one and a half times of it is cut off, unless a line ends there that has not diverged.
	if loss, ok := p.Memoryless(); ok {
		c.References = levels(0, c.End, Level{"memoryless", loss})
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

// Averaged says that a point is the mean over some updates.
func (TrainingCurves) Averaged() {}

// trainingLine is the training losses of a trial of a record, each in the middle of the updates that it is the mean
// over.
func trainingLine(label string, style int, r *record.Record, trial int) Line {
	l := Line{Label: label, Style: style}
	before := 0
	for _, point := range r.Series(record.Train) {
		l.point(float64(before+point.Update)/2, point.Values[trial])
		before = point.Update
	}
	return l
}

func (l *Line) point(x, value float64) {
	l.X, l.Trials = append(l.X, x), append(l.Trials, []float64{value})
}

// longer tells whether the panel has a longer run of a record's trial.
func (p Panel) longer(r *record.Record, trial int) bool {
	of := r.Trials[trial]
	return slices.ContainsFunc(p.Records, func(other *record.Record) bool {
		return other.Updates > r.Updates && slices.ContainsFunc(other.Trials, func(t record.Trial) bool {
			return t.Number == of.Number && curveLabel(t, t.Arm) == curveLabel(of, of.Arm)
		})
	})
}

// add adds a trial's line: to that of its label, if they can be joined.
func (c *Chart) add(l Line) {
	for k := range c.Lines {
		if c.Lines[k].Label == l.Label && c.Lines[k].join(l) {
			return
		}
	}
	c.Lines = append(c.Lines, l)
}

// join adds the trials of another line, which were trained in a run of their own, behind those that it has, if both
// lines have the same points as far as the shorter one goes. Beyond it, its trials are NaN, so that the median ends
// there.
func (l *Line) join(other Line) bool {
	first, xs := *l, l.X
	if len(other.X) > len(xs) {
		xs = other.X
	}
	if n := min(len(l.X), len(other.X)); !slices.Equal(l.X[:n], other.X[:n]) {
		return false
	}
	at := func(l Line, i int) []float64 {
		if i < len(l.X) {
			return l.Trials[i]
		}
		return slices.Repeat([]float64{math.NaN()}, l.most())
	}
	l.X, l.Trials = xs, nil
	for i := range xs {
		l.Trials = append(l.Trials, slices.Concat(at(first, i), at(other, i)))
	}
	return true
}

// curves draws the training losses of the panel's records, whatever the panel shows.
func (p Panel) curves() Chart {
	p.X, p.Y = "updates", "training loss"
	return TrainingCurves{}.Chart(p.FullTitle(), p)
}

// curveLabel says which curve a trial belongs to.
func curveLabel(t record.Trial, arm string) string {
	if t.X == nil {
		return arm
	}
	return fmt.Sprintf("%s, %g", arm, *t.X)
}
