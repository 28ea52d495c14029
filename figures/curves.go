package figures

import (
	"math"

	"gonum.org/v1/plot"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// A CurveChart shows how lines of many points run, such as losses in the course of a training: trials thin, and their
// median thick, which no spike of one trial moves. The horizontal axis is linear and begins at 0. What is above High is
// cut off, since the first losses, and spikes, are far above what matters.
type CurveChart struct {
	Title, X, Y string
	Lines       []Line
	References  []Reference
	End         float64 // of the horizontal axis
	Log         bool    // the vertical axis is logarithmic; then Low and High must be above 0
	Low         float64 // beginning of the vertical axis
	High        float64 // end of the vertical axis; 0: as high as the points
	Difference  bool    // of two curves, which may move when both have come to rest
}

// marksPerCurve is how many marks a line of many points has.
const marksPerCurve = 8

// Plot implements Chart.
func (c CurveChart) Plot() *plot.Plot {
	p := newPlot(c.Title, c.X, c.Y)
	lines, references, low, high := c.Lines, c.References, c.Low, c.High
	if c.Log {
		p.Y.Tick.Marker = decades{}
		lines, references = scaled(lines, references, math.Log10)
		low, high = math.Log10(low), math.Log10(high)
	}
	for i, r := range references { // below, so that they hide no trial that stays at one of them
		p.Add(through(r.X, r.Y, referenceLine(i)))
	}
	for _, l := range lines {
		for k := range l.most() {
			p.Add(through(l.X, l.trial(k), styleOf(l.Style).trial()))
		}
	}
	for _, l := range lines {
		p.Add(stroke{l, max(1, len(l.X)/marksPerCurve)})
	}
	p.X.Min, p.X.Max = 0, c.End
	p.Y.Min = low
	if c.High != 0 {
		p.Y.Max = high
	}
	if !(p.Y.Max > low) { // no points yet
		p.Y.Max = low + 1
	}
	p.X.Label.Text += c.stopped(low, p.Y.Max, lines)
	return p
}

// stopped says that a training has ended while its curves still moved, all of them that did in one direction: by more
// than 1.5 % of the axis from one fifth of their points, or one point of few, to the next. Above the axis, where curves
// are clipped, they do not move.
func (c CurveChart) stopped(low, high float64, lines []Line) string {
	rising, falling := false, false
	for _, l := range lines {
		n := len(l.X)
		if fifth := max(1, n/5); n > 1 && l.most() > 0 && math.Abs(l.X[n-1]-c.End) < 0.05*c.End {
			var middles []float64
			for i := range l.X {
				middles = append(middles, min(l.Middle(i), high))
			}
			moved := claim.Median(middles[n-fifth:]) - claim.Median(middles[n-2*fifth:n-fifth])
			rising = rising || moved > 0.015*(high-low)
			falling = falling || moved < -0.015*(high-low)
		}
	}
	switch {
	case c.Difference, rising && falling:
		return ""
	case rising:
		return " (stopped while rising)"
	case falling:
		return " (stopped while falling)"
	}
	return ""
}

// Legend implements Chart.
func (c CurveChart) Legend() []Entry { return legendOf(c.Lines, c.References) }

// AfterStart returns a frame for what comes after the start: from a little below all points and levels to a little
// above the highest mean at the end of a line's first tenth, or at the end of a line that is higher.
func (c CurveChart) AfterStart() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, l := range c.Lines {
		for _, y := range l.Y {
			if record.Finite(y.Min) {
				low = min(low, y.Min)
			}
		}
		for _, at := range []int{len(l.Y) / 10, len(l.Y) - 1} {
			if y := l.Y[at].Mean; record.Finite(y) {
				high = max(high, y)
			}
		}
	}
	for _, r := range c.References {
		low = min(low, r.Y[0])
	}
	if !(high > low) {
		return 0, 0
	}
	margin := 0.05 * (high - low)
	return max(0, low-margin), high + margin
}

// key says how to read the chart.
func (c CurveChart) key() string {
	for _, l := range c.Lines {
		if l.most() > 1 {
			return "Thin lines are trials, thick lines their median."
		}
	}
	return ""
}
