package figures

import "gonum.org/v1/plot"

// A CurveChart shows how lines of many points run, such as losses in the course of a training. Both axes are linear and
// begin at 0. What is above High is cut off, since the first losses, and spikes, are far above what matters.
type CurveChart struct {
	Title, X, Y string
	Lines       []Line
	References  []Reference
	End         float64 // of the horizontal axis
	High        float64 // end of the vertical axis; 0: as high as the points
}

// marksPerCurve is how many marks a line of many points has.
const marksPerCurve = 8

// Plot implements Chart.
func (c CurveChart) Plot() *plot.Plot {
	p := newPlot(c.Title, c.X, c.Y)
	add(p, c.References, c.Lines, func(l Line) int { return max(1, len(l.X)/marksPerCurve) })
	p.X.Min, p.X.Max = 0, c.End
	p.Y.Min = 0
	if c.High > 0 {
		p.Y.Max = c.High
	}
	if !(p.Y.Max > 0) { // no points yet
		p.Y.Max = 1
	}
	return p
}

// Legend implements Chart.
func (c CurveChart) Legend() []Entry { return legendOf(c.Lines, c.References) }
