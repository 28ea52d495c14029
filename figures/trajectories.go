package figures

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/replication/record"
)

// A TrajectoryChart shows series that were generated beside the one that they should be like: each a thin line, their
// mean a thick one, with a band of one standard deviation to either side.
type TrajectoryChart struct {
	Title, X, Y string
	Truth       []float64   // at 0, 1, 2, …
	Samples     [][]float64 // each of as many values as Truth
	Low, High   float64     // ends of the vertical axis
}

// Plot implements Chart.
func (t TrajectoryChart) Plot() *plot.Plot {
	p := newPlot(t.Title, t.X, t.Y)
	mean := t.mean()
	if len(t.Samples) > 0 {
		p.Add(band{mean})
		for _, s := range t.Samples {
			p.Add(through(mean.X, s, sampleLine))
		}
		p.Add(through(mean.X, means(mean), draw.LineStyle{Color: styleOf(mean.Style).color, Width: 1.6}))
	}
	p.Add(through(mean.X, t.Truth, truthLine))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(max(1, len(t.Truth)-1)), t.Low, t.High
	return p
}

// Legend implements Chart.
func (t TrajectoryChart) Legend() []Entry {
	if len(t.Samples) == 0 {
		return nil
	}
	mean := styleOf(t.mean().Style)
	return []Entry{
		{"truth", through(nil, nil, truthLine)},
		{"generated", through(nil, nil, sampleLine)},
		{"mean and standard deviation", key{draw.LineStyle{Color: mean.color, Width: 1.6}, mean.band()}},
	}
}

// key says how to read the chart.
func (TrajectoryChart) key() string {
	return "Thin lines are samples, the thick line their mean; the band is one standard deviation to either side."
}

// mean is the samples' mean, with one standard deviation as its range.
func (t TrajectoryChart) mean() Line {
	l := Line{Style: 1}
	for at := range t.Truth {
		var values []float64
		for _, s := range t.Samples {
			values = append(values, s[at])
		}
		mean, sd := stat.MeanStdDev(values, nil)
		l.X = append(l.X, float64(at))
		l.Y = append(l.Y, record.Spread{N: len(values), Mean: mean, Min: mean - sd, Max: mean + sd})
	}
	return l
}

// lines are the truth, and the samples' mean with their range.
func (t TrajectoryChart) lines() []Line {
	truth, generated := Line{Label: "truth"}, Line{Label: "mean of the generated series"}
	for at, y := range t.Truth {
		truth.X, truth.Y = append(truth.X, float64(at)), append(truth.Y, record.SpreadOf([]float64{y}))
		var values []float64
		for _, s := range t.Samples {
			values = append(values, s[at])
		}
		if len(values) > 0 {
			generated.X, generated.Y = append(generated.X, float64(at)), append(generated.Y, record.SpreadOf(values))
		}
	}
	return []Line{truth, generated}
}

func means(l Line) []float64 {
	var y []float64
	for _, s := range l.Y {
		y = append(y, s.Mean)
	}
	return y
}

// alt says where the truth and the samples' mean run.
func (t TrajectoryChart) alt() string {
	lines := []string{AltLine("truth", t.Truth)}
	if len(t.Samples) > 0 {
		lines = append(lines, AltLine(fmt.Sprintf("mean of %d generated", len(t.Samples)), means(t.mean())))
	}
	return AltChart(t.Title, t.X, t.Y, lines)
}

// A band draws the range of a Line.
type band struct{ Line }

// Plot implements plot.Plotter.
func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	at := transform(c, p)
	var low, high []vg.Point
	for i, y := range b.Y {
		if record.Finite(y.Min) && record.Finite(y.Max) {
			low, high = append(low, at(b.X[i], y.Min)), append(high, at(b.X[i], y.Max))
		}
	}
	slices.Reverse(high)
	c.FillPolygon(styleOf(b.Style).band(), c.ClipPolygonXY(append(low, high...)))
}

var (
	truthLine  = draw.LineStyle{Color: black, Width: 1.2, Dashes: []vg.Length{4, 2}}
	sampleLine = draw.LineStyle{Color: color.NRGBA{0x60, 0x60, 0x60, 0x80}, Width: 0.5}
)

// A key stands in a legend for a line and the band around it.
type key struct {
	line draw.LineStyle
	band color.Color
}

// Thumbnail implements plot.Thumbnailer.
func (k key) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(k.band, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	c.StrokeLine2(k.line, c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
}
