package figures

import (
	"math"

	"gonum.org/v1/plot"
)

// A SweepChart shows lines of a few points, each with a mark: results against a value that is swept.
type SweepChart struct {
	Title, X, Y string
	Lines       []Line
	References  []Reference
	Least       string  // what the horizontal axis says of the least X, in place of a number; empty: the number
	Log         bool    // the vertical axis is logarithmic; then Low must be above 0
	Low         float64 // end of the vertical axis; what is below is an arrow
	High        float64 // its other end; 0: as high as the points
}

// Plot implements Chart.
func (c SweepChart) Plot() *plot.Plot {
	p := newPlot(c.Title, c.X, c.Y)
	scale := func(y float64) float64 { return y }
	if c.Log {
		p.Y.Tick.Marker = decades{}
		scale = func(y float64) float64 { return math.Log10(max(y, c.Low/10)) }
	}
	lines, references := scaled(c.Lines, c.References, scale)
	add(p, references, lines, func(Line) int { return 1 })
	if c.Least != "" {
		p.X.Tick.Marker = leastNamed{c.Least, p.X.Min}
	}
	p.Y.Min = scale(c.Low)
	if c.High > 0 {
		p.Y.Max = scale(c.High)
	}
	widen(&p.X, 0.05, 0.03) // so that marks at the ends are inside
	widen(&p.Y, 0, 0.03)
	return p
}

// Legend implements Chart.
func (c SweepChart) Legend() []Entry { return legendOf(c.Lines, c.References) }
