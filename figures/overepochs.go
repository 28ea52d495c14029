package figures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// OverEpochs shows a series that is measured in the course of training, over epochs.
type OverEpochs struct {
	Of        record.Result
	Y         string                  // the vertical axis, in place of the panel's; empty: the panel's
	Percent   bool                    // it is a share
	Convert   func(v float64) float64 // what is shown of a value; nil: the value
	Log       bool                    // the vertical axis is logarithmic
	Low, High float64                 // its ends; both 0: linear from 0, and as high as the points

	// Levels are what a panel's lines are to be compared with; nil: only the memoryless loss, called Memoryless.
	Levels     func(p Panel) []Level
	Memoryless string

	// Solved cuts the horizontal axis at twice the update until which every model was once at or above this; 0: it is
	// not cut.
	Solved   float64
	By       record.Result // the series of which Solved is a value
	SolvedBy []string      // the arms whose models count, where a panel has them; nil: all
}

// A Level is a number that lines are to be compared with.
type Level struct {
	Label string
	Value float64
}

// Chart implements View.
func (v OverEpochs) Chart(title string, p Panel) Chart { return v.Curves(title, p) }

// Curves is Chart, for views that change something about it.
func (v OverEpochs) Curves(title string, p Panel) CurveChart {
	c := CurveChart{Title: title, X: p.X, Y: p.Y, Log: v.Log, Low: v.Low, High: v.High}
	if v.Y != "" {
		c.Y = v.Y
	}
	unit := 1.
	if v.Percent {
		unit = 100
	}
	epoch := float64(p.Epoch())
	for _, arm := range p.Arms {
		values := results{} // of all trials, in whatever records they are
		for _, r := range p.Records {
			for _, trial := range r.Arm(arm.Name) {
				for _, point := range r.Series(string(v.Of)) {
					value := unit * point.Values[trial]
					if v.Convert != nil {
						value = v.Convert(value)
					}
					values.add(float64(point.Update)/epoch, value)
				}
			}
		}
		if len(values) > 0 {
			c.Lines = append(c.Lines, values.line(arm.Label, p.Style(arm.Name)))
			c.End = max(c.End, v.end(p)/epoch)
		}
	}
	for _, l := range v.compared(p) {
		c.References = append(c.References, level(l.Label, l.Value, c.End))
	}
	return c
}

// compared are the levels of a panel that was run.
func (v OverEpochs) compared(p Panel) []Level {
	if v.Levels != nil {
		return v.Levels(p)
	}
	if loss, ok := p.Memoryless(); ok && v.Memoryless != "" {
		return []Level{{v.Memoryless, loss}}
	}
	return nil
}

// end is the update at which the horizontal axis ends.
func (v OverEpochs) end(p Panel) float64 {
	end, last := 0, 0
	for _, r := range p.Records {
		last = max(last, r.Updates)
		for trial, t := range r.Trials {
			if len(v.solvers(p)) > 0 && !slices.Contains(v.solvers(p), t.Arm) {
				continue
			}
			points := r.Series(string(v.By))
			at := slices.IndexFunc(points, func(point record.Point) bool { return point.Values[trial] >= v.Solved })
			if at < 0 {
				end = max(end, r.Updates)
			} else {
				end = max(end, 2*points[at].Update)
			}
		}
	}
	if v.Solved == 0 || end > last {
		return float64(last)
	}
	return float64(end)
}

// solvers are those of the arms that count which a panel has; none: all count.
func (v OverEpochs) solvers(p Panel) []string {
	return slices.DeleteFunc(slices.Clone(v.SolvedBy), func(name string) bool {
		return !slices.ContainsFunc(p.Arms, func(arm experiment.Arm) bool { return arm.Name == name })
	})
}

// Cut says in a caption that the horizontal axis does not show all.
func (v OverEpochs) Cut(p Panel) string {
	all, end := 0, v.end(p)
	for _, r := range p.Records {
		all = max(all, r.Updates)
	}
	if float64(all) == end {
		return ""
	}
	which := "every model"
	if solvers := v.solvers(p); len(solvers) > 0 {
		which += " of " + strings.Join(solvers, ", ")
	}
	return fmt.Sprintf("the axis ends at twice the time until %s once had %g%s%%; %s were trained", which, 100*v.Solved,
		nbsp, count(all/p.Epoch(), "epoch"))
}
