package figures

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/replication/record"
)

// A TimesChart shows how long things take, against a value that is swept. Both axes are logarithmic. A time that is
// infinite was not waited for: its mark stands above a line at End, the longest that anything took.
type TimesChart struct {
	Title, X, Y string
	Lines       []Line // of times above 0; Mean and Max are infinite if that of one of the trials is
	End         float64
}

// Plot implements Chart.
func (c TimesChart) Plot() *plot.Plot {
	p := newPlot(c.Title, c.X, c.Y)
	end := math.Log10(c.End)
	low := end - 0.3
	lines, _ := scaled(c.Lines, nil, math.Log10)
	for k, l := range lines {
		lines[k].X = make([]float64, len(l.X))
		for i := range l.X {
			lines[k].X[i] = math.Log10(l.X[i])
			if record.Finite(l.Y[i].Min) {
				low = min(low, l.Y[i].Min)
			}
		}
	}
	strip := stripShare * (end - low)
	p.Add(endLine(end))
	addDots(p, lines, end+strip/2)
	xs := c.xs()
	p.X.Tick.Marker, p.Y.Tick.Marker = swept(xs), oneTwoFive{end, end + strip/2}
	if len(xs) > 0 {
		p.X.Min, p.X.Max = math.Log10(xs[0]), math.Log10(xs[len(xs)-1])
	}
	if len(xs) == 1 {
		p.X.Min, p.X.Max = p.X.Min-0.5, p.X.Max+0.5
	}
	p.Y.Min, p.Y.Max = low-0.05*(end-low), end+strip
	widen(&p.X, 0.08, 0.08)
	return p
}

// Legend implements Chart.
func (c TimesChart) Legend() []Entry { return legendOf(c.Lines, nil) }

// key says how to read the chart.
func (TimesChart) key() string { return meansAndTrials }

// xs are the swept values of all lines.
func (c TimesChart) xs() []float64 {
	var xs []float64
	for _, l := range c.Lines {
		xs = append(xs, l.X...)
	}
	slices.Sort(xs)
	return slices.Compact(xs)
}

// alt says of each line where it begins and ends, and where it was not waited for.
func (c TimesChart) alt() string {
	var lines []string
	for _, l := range c.Lines {
		var known []float64
		var beyond []string
		for i, y := range l.Y {
			if record.Finite(y.Mean) {
				known = append(known, y.Mean)
			} else {
				beyond = append(beyond, sweptLabel(l.X[i]))
			}
		}
		line := l.Label
		if len(known) > 0 {
			line = AltLine(line, known)
		}
		if len(beyond) > 0 {
			line += ", not in every trial at " + strings.Join(beyond, ", ")
		}
		lines = append(lines, line)
	}
	return AltChart(c.Title, c.X, c.Y, lines)
}

// stripShare is how high the strip is that is for what is beyond the end, as a share of the axis up to there.
const stripShare = 0.22

// An endLine is a thin line where the waiting ended, and the strip begins.
type endLine float64

// Plot implements plot.Plotter.
func (e endLine) Plot(c draw.Canvas, p *plot.Plot) {
	_, trY := p.Transforms(&c)
	y := trY(float64(e))
	c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.5}, c.Min.X, y, c.Max.X, y)
}
