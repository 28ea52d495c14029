package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// OverEpochs shows a series that is measured in the course of training, over epochs or updates.
type OverEpochs struct {
	Of        record.Result
	Y         string                  // the vertical axis, in place of the panel's; empty: the panel's
	As        func(v float64) float64 // what is shown of a value; nil: the value
	Updates   bool                    // over updates in place of epochs
	Log       bool                    // the vertical axis is logarithmic
	Low, High float64                 // its ends; both 0: a frame for what comes after the start

	Levels func(p Panel) []Reference // what lines are to be compared with; nil: nothing

	Solved float64 // the horizontal axis ends where every model once had this accuracy; 0: where training ends

	Arms []experiment.Arm // that are shown; nil: all
	After
}

// Percent is a share in percent.
func Percent(share float64) float64 { return 100 * share }

func (v OverEpochs) Chart(title string, p Panel) Chart {
	c := Chart{Title: title, X: p.X, Y: cmp.Or(v.Y, p.Y), Log: v.Log, Low: v.Low, High: v.High}
	epoch := 1.
	if !v.Updates {
		epoch = float64(p.Epoch())
	}
	if v.Arms != nil {
		p.Arms = v.Arms
	}
	lines := p.curves(v.Of, func(_, update int, value float64) (x, y float64) {
		if v.As != nil {
			value = v.As(value)
		}
		return float64(update) / epoch, value
	})
	c.Lines = slices.DeleteFunc(lines, func(l Line) bool { return len(l.X) == 0 })
	if len(c.Lines) > 0 {
		end, last := v.end(p)
		c.End = float64(end) / epoch
		if end < last {
			c.Cut = fmt.Sprintf("the axis ends where every model once had %g%s%%; %s were trained", 100*v.Solved, nbsp,
				count(last/p.Epoch(), "epoch"))
		}
		if v.Levels != nil {
			c.References = v.Levels(p)
		}
	}
	if v.Low == 0 && v.High == 0 {
		c.Low, c.High = c.afterStart()
	}
	return c
}

// afterStart returns a frame for what comes after the start: from a little below all points and levels to a little
// above the highest mean at the end of a line's first tenth, or at the end of a line that is higher.
func (c Chart) afterStart() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, l := range c.Lines {
		for i := range l.X {
			if y := l.spread(i).Min; record.Finite(y) {
				low = min(low, y)
			}
		}
		for _, at := range []int{len(l.X) / 10, len(l.X) - 1} {
			if y := l.spread(at).Mean; record.Finite(y) {
				high = max(high, y)
			}
		}
	}
	for _, r := range c.References {
		low = min(low, slices.Min(r.Y))
	}
	if !(high > low) {
		return 0, 0
	}
	margin := 0.05 * (high - low)
	return max(0, low-margin), high + margin
}

// end is the update at which the horizontal axis ends, and the last one of the longest run.
func (v OverEpochs) end(p Panel) (end, last int) {
	for _, r := range p.Records {
		last = max(last, r.Updates)
		points := r.Series(string(experiment.ValidAccuracy))
		for trial := range r.Trials {
			at := slices.IndexFunc(points, func(point record.Point) bool { return point.Values[trial] >= v.Solved })
			if at < 0 {
				end = math.MaxInt
			} else {
				end = max(end, points[at].Update)
			}
		}
	}
	if v.Solved == 0 {
		end = last
	}
	return min(end, last), last
}
