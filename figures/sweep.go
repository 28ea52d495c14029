package figures

import (
	"slices"

	"gonum.org/v1/plot"

	"github.com/warptime/warptime/replication/record"
)

// A SweepChart shows lines of a few points, each with a mark: results against a value that is swept.
type SweepChart struct {
	Title, X, Y string
	Lines       []Line
	References  []Reference
	At          []float64 // the ticks of the horizontal axis; nil: round numbers
	High        float64   // end of the vertical axis, which begins at 0; 0: as high as the points
}

// Plot implements Chart.
func (c SweepChart) Plot() *plot.Plot {
	p := newPlot(c.Title, c.X, c.Y)
	for i, r := range c.References {
		p.Add(through(r.X, r.Y, referenceLine(i)))
	}
	strip := c.High
	if strip == 0 {
		strip = highest(c.Lines)
	}
	addDots(p, c.Lines, strip)
	if c.At != nil {
		p.X.Tick.Marker = ticksAt(c.At)
	}
	p.Y.Min = 0
	if c.High > 0 {
		p.Y.Max = c.High
	}
	widen(&p.X, 0.08, 0.06) // so that marks at the ends are inside
	widen(&p.Y, 0.02, 0.03)
	return p
}

// highest is the highest finite value.
func highest(lines []Line) (value float64) {
	for _, l := range lines {
		for _, y := range l.Y {
			for _, v := range []float64{y.Min, y.Mean, y.Max} {
				if record.Finite(v) {
					value = max(value, v)
				}
			}
		}
	}
	return value
}

// Legend implements Chart.
func (c SweepChart) Legend() []Entry { return legendOf(marked(c.Lines), c.References) }

// marked are the lines whose values are where the marks are, at their means.
func marked(lines []Line) []Line {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].Trials = nil
	}
	return lines
}

// key says how to read the chart.
func (SweepChart) key() string { return meansAndTrials }

const meansAndTrials = "Marks are means over the trials. Each tick on a bar is one trial. Marks at one place " +
	"stand side by side."
