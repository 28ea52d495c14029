package figures

import (
	"cmp"
	"math"
	"slices"

	"github.com/gomlx/compute/support/xslices"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// A Chart is one set of axes: numbers, and how they are shown. Without options its lines are curves of many points,
// such as losses in the course of training: trials thin, and their median thick, which no spike of one trial moves. The
// horizontal axis begins at 0, and what is beyond Low and High is cut off.
type Chart struct {
	Title, X, Y string
	Lines       []Line
	References  []Reference
	End         float64 // of the horizontal axis of curves
	Log         bool    // the vertical axis is logarithmic, of points both; then Low and High must be above 0
	Low, High   float64 // ends of the vertical axis; High 0: as high as the points; of points it hides no mark
	Thin        string  // what thin curves are; empty: trials
	Averaged    bool    // a point is the mean over some updates
	Cut         string  // for a caption: which part of what was run is not shown; empty: none

	Points bool    // lines of few points: marks at the means, bars over the trials, and a vertical axis from 0
	Waited float64 // of points: both axes are logarithmic, and what is infinite stands in a strip above this value

	Drawing Drawing // in place of all this
}

// A Drawing is what a chart shows that is not made of lines.
type Drawing interface {
	plot.Plotter
	Alt() string // in words
}

// A Line is what a chart compares. It is interrupted where a value is NaN or infinite.
type Line struct {
	Label  string
	Style  int // its place among what is compared: each has a colour, a pattern and a mark of its own
	Swept  int // its place among lines of one style, which differ in their marks; 0: it has the style's
	X      []float64
	Trials [][]float64 // their values, at each X; of curves as many at each
}

// Middle is the median of the trials at a place. It is NaN where one of them has diverged.
func (l Line) Middle(i int) float64 { return claim.Median(l.Trials[i]) }

func (l Line) spread(i int) record.Spread { return record.SpreadOf(l.Trials[i]) }

// middle is what is drawn of a line at a place: the mean of few points, the median of many.
func (c Chart) middle(l Line, i int) float64 {
	if c.Points {
		return l.spread(i).Mean
	}
	return l.Middle(i)
}

func (l Line) middles() []float64 { return xslices.Map(l.Trials, claim.Median) }

// end is the median of the last fifth.
func (l Line) end() float64 {
	all := l.middles()
	return claim.Median(all[max(0, len(all)-max(1, len(all)/5)):])
}

// trials is how many a curve has.
func (l Line) trials() int {
	if len(l.Trials) == 0 {
		return 0
	}
	return len(l.Trials[0])
}

func (l Line) glyph() draw.GlyphStyle {
	s := styleOf(l.Style)
	s.mark = styleOf(l.Style + l.Swept).mark
	return s.glyph()
}

// A Reference is what lines are to be compared with: a thin grey one, without a band.
type Reference struct {
	Label string    // empty: a line at 0, which no legend needs to name
	X, Y  []float64 // without X these are levels
}

// Level has numbers that lines are to be compared with.
func Level(label string, values ...float64) Reference {
	return Reference{Label: label, Y: values}
}

// Plot returns the chart with its title, without its legend.
func (c Chart) Plot() *plot.Plot {
	p := NewPlot(c.Title, c.X, c.Y)
	if c.Drawing != nil {
		p.HideAxes()
		p.X.Max, p.Y.Max = 1, 1
		p.Add(c.Drawing)
		return p
	}
	a := c.axes()
	a.set(p)
	for i, r := range c.References { // below, so that they hide no trial that stays at one of them
		if r.X != nil {
			a.addLine(p, r.X, r.Y, references[i%len(references)])
			continue
		}
		for _, level := range r.Y {
			a.addLine(p, a.ends(), []float64{level, level}, references[i%len(references)])
		}
	}
	if c.Points {
		a.addPoints(p)
	} else {
		a.addCurves(p)
	}
	return p
}

// axes are a chart's, which may be logarithmic.
type axes struct {
	Chart
	xs             []float64 // of all lines, ascending
	low, high, top float64   // ends of the vertical axis; top is where infinite values stand
}

func (c Chart) axes() axes {
	a := axes{Chart: c}
	lowest, highest, mean := math.Inf(1), 0., 0. // mean is the highest
	see := func(values ...float64) {
		for _, v := range values {
			if record.Finite(v) {
				lowest, highest = min(lowest, v), max(highest, v)
			}
		}
	}
	for _, l := range c.Lines {
		a.xs = append(a.xs, l.X...)
		for i := range l.X {
			y := l.spread(i)
			see(y.Min, y.Mean, y.Max)
			if record.Finite(y.Mean) {
				mean = max(mean, y.Mean)
			}
		}
	}
	for _, r := range c.References {
		see(r.Y...)
	}
	slices.Sort(a.xs)
	a.xs = slices.Compact(a.xs)
	a.low, a.high = c.Low, highest
	if c.High != 0 {
		a.high = c.High
		if c.Points {
			a.high = max(a.high, mean)
		}
	}
	if c.Log {
		a.low, a.high = math.Log10(a.low), math.Log10(a.high)
	}
	a.top = a.high
	if c.Waited > 0 {
		a.low, a.high = math.Log10(min(lowest, c.Waited/2)), math.Log10(c.Waited)
		a.top = a.high + 0.11*(a.high-a.low)
	}
	return a
}

// ends are where levels begin and end: those of the axis of curves, and the outermost points.
func (a axes) ends() []float64 {
	switch {
	case !a.Points:
		return []float64{0, a.End}
	case len(a.xs) == 0:
		return nil
	}
	return []float64{a.xs[0], a.xs[len(a.xs)-1]}
}

func (a axes) set(p *plot.Plot) {
	p.Y.Min, p.Y.Max = a.low, a.high
	if a.Log {
		p.Y.Tick.Marker = plot.TickerFunc(decades)
	}
	if !a.Points {
		p.X.Max = a.End
		if !(a.high > a.low) { // no points yet
			p.Y.Max = a.low + 1
		}
		return
	}
	if ends := a.ends(); ends != nil {
		p.X.Tick.Marker = ticksAt{a.xs, a.x}
		p.X.Min, p.X.Max = a.x(ends[0]), a.x(ends[1])
	}
	widen(&p.X, 0.08, 0.06) // so that marks at the ends are inside
	if a.Waited > 0 {
		p.Y.Tick.Marker = oneTwoFive{a.high, a.top}
		p.Y.Min, p.Y.Max = a.low-0.05*(a.high-a.low), 2*a.top-a.high
		return
	}
	widen(&p.Y, 0.02, 0.03)
}

// x and y are where a value stands on an axis. What is below a logarithmic one is at its end.
func (a axes) x(v float64) float64 {
	if a.Waited > 0 || a.Points && a.Log {
		return math.Log10(v)
	}
	return v
}

func (a axes) y(v float64) float64 {
	if a.Points && math.IsInf(v, 1) {
		return a.top
	}
	if a.Log || a.Waited > 0 {
		return max(math.Log10(max(v, 0)), a.low)
	}
	return v
}

// bare is a plotter whose axes end where they are set, without room for its width.
type bare struct{ plot.Plotter }

// addLine adds a line through points, which is interrupted where one is not finite.
func (a axes) addLine(p *plot.Plot, x, y []float64, style draw.LineStyle) {
	var piece plotter.XYs
	for i := range x {
		if at := (plotter.XY{X: a.x(x[i]), Y: a.y(y[i])}); record.Finite(y[i]) && record.Finite(at.Y) {
			piece = append(piece, at)
		} else {
			p.Add(bare{&plotter.Line{XYs: piece, LineStyle: style}})
			piece = nil
		}
	}
	p.Add(bare{&plotter.Line{XYs: piece, LineStyle: style}})
}

// marksPerCurve is how many marks a line of many points has.
const marksPerCurve = 8

func (a axes) addCurves(p *plot.Plot) {
	for _, l := range a.Lines {
		for k := range l.trials() {
			if l.trials() == 1 {
				break // its line is the median's
			}
			trial := xslices.Map(l.Trials, func(at []float64) float64 { return at[k] })
			a.addLine(p, l.X, trial, styleOf(l.Style).trial())
		}
	}
	for _, l := range a.Lines {
		middle := l.middles()
		a.addLine(p, l.X, middle, styleOf(l.Style).line())
		every := max(1, len(l.X)/marksPerCurve)
		var marks plotter.XYs
		for i := (l.Style + l.Swept) * every / 4 % every; i < len(l.X); i += every { // not over those of other lines
			if record.Finite(middle[i]) {
				marks = append(marks, plotter.XY{X: l.X[i], Y: a.y(middle[i])})
			}
		}
		p.Add(bare{&plotter.Scatter{XYs: marks, GlyphStyle: l.glyph()}})
	}
}

// addPoints adds lines of few points. Lines side by side are shifted, so that none hides another.
func (a axes) addPoints(p *plot.Plot) {
	if a.Waited > 0 {
		across := plotter.XYs{{X: p.X.Min, Y: a.high}, {X: p.X.Max, Y: a.high}}
		p.Add(bare{&plotter.Line{XYs: across, LineStyle: draw.LineStyle{Color: grey, Width: 0.5}}})
	}
	for n, l := range a.Lines {
		shift := a.shift(n, p)
		bars := bars{LineStyle: styleOf(l.Style).trial()}
		var marks, line plotter.XYs
		end := func() {
			if len(l.X) > 2 { // a line through two points would say that others lie on it
				p.Add(bare{&plotter.Line{XYs: line, LineStyle: styleOf(l.Style).line()}})
			}
			line = nil
		}
		for i := range l.X {
			y := l.spread(i)
			if math.IsNaN(y.Mean) {
				end()
				continue
			}
			x := a.x(l.X[i]) + shift
			barred := len(l.X) <= 8 || (len(l.X)-1-i)%3 == 0 // of many, every third from the end
			if low, high := a.y(y.Min), a.y(y.Max); low != high && barred {
				bars.ends = append(bars.ends, plotter.XY{X: x, Y: low}, plotter.XY{X: x, Y: high})
				for _, v := range l.Trials[i] {
					if !math.IsInf(v, 1) {
						bars.ticks = append(bars.ticks, plotter.XY{X: x, Y: a.y(v)})
					}
				}
			}
			if i > 0 && math.IsInf(y.Mean, 1) && math.IsInf(l.spread(i-1).Mean, 1) {
				end() // on top, where a line would mean a value
			}
			mark := plotter.XY{X: x, Y: a.y(y.Mean)}
			line, marks = append(line, mark), append(marks, mark)
		}
		end()
		p.Add(bars)
		p.Add(bare{&plotter.Scatter{XYs: marks, GlyphStyle: l.glyph()}})
	}
}

// shift is how far points of line n are moved, so that they stand beside those of others: from one line to the next a
// share of the axis, so that the last is still inside, less where a line says where its points are, and in all no more
// than half of the way to the next point.
func (a axes) shift(n int, p *plot.Plot) float64 {
	if !a.Points {
		return 0
	}
	l, axis := a.Lines[n], p.X.Max-p.X.Min
	step := min(0.022, 0.09/float64(len(a.Lines))) * axis
	if len(l.X) > 2 {
		step = 0.008 * axis
	}
	for i := 1; i < len(l.X); i++ {
		step = min(step, (a.x(l.X[i])-a.x(l.X[i-1]))/2/float64(len(a.Lines)))
	}
	return (float64(n) - float64(len(a.Lines)-1)/2) * step
}

// bars are drawn as one path, so that pictures stay small: from one end to the next, with a tick at each trial.
type bars struct {
	draw.LineStyle
	ends, ticks plotter.XYs
}

func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var lines [][]vg.Point
	for i := 0; i < len(b.ends); i += 2 {
		low, high := b.ends[i], b.ends[i+1]
		lines = append(lines, []vg.Point{{X: x(low.X), Y: y(low.Y)}, {X: x(high.X), Y: y(high.Y)}})
	}
	for _, t := range b.ticks {
		lines = append(lines, []vg.Point{{X: x(t.X) - 1.6, Y: y(t.Y)}, {X: x(t.X) + 1.6, Y: y(t.Y)}})
	}
	var path vg.Path
	for _, line := range c.ClipLinesXY(lines...) {
		path.Move(line[0])
		path.Line(line[1])
	}
	c.SetLineStyle(b.LineStyle)
	c.Stroke(path)
}

// An Entry of a legend says what a line is, and shows its mark if it has one.
type Entry struct {
	Label string
	line  draw.LineStyle
	mark  draw.GlyphStyle
}

// Legend lists the lines, then the references.
func (c Chart) Legend() (entries []Entry) {
	for _, l := range c.Lines {
		e := Entry{l.Label, styleOf(l.Style).line(), l.glyph()}
		if c.Points && len(l.X) <= 2 { // which addPoints does not join
			e.line.Width = 0
		}
		entries = append(entries, e)
	}
	for i, r := range c.References {
		if r.Label != "" {
			entries = append(entries, Entry{Label: r.Label, line: references[i%len(references)]})
		}
	}
	return entries
}

func (c Chart) reading() string {
	if c.Points {
		return "Marks are means over the trials. Each tick on a bar is one trial. Marks at one place stand side by " +
			"side."
	}
	if slices.ContainsFunc(c.Lines, func(l Line) bool { return l.trials() > 1 }) {
		return "Thin lines are " + cmp.Or(c.Thin, "trials") + ", thick lines their median."
	}
	return ""
}
