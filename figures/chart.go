package figures

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/replication/record"
)

// A Chart is one set of axes: numbers, and how they are shown.
type Chart interface {
	Plot() *plot.Plot // with its title, without its legend
	Legend() []Entry
}

// An Entry of a legend says what a line is.
type Entry struct {
	Label string
	Key   plot.Thumbnailer
}

// A Line is what a chart compares. The mean of several trials is a line, their range a band. Both are interrupted where
// a value is NaN or infinite.
type Line struct {
	Label string
	Style int // its place among what is compared: each has a colour, a pattern and a mark of its own
	Swept int // its place among lines of one style, which differ in their marks; 0: it has the style's
	X     []float64
	Y     []record.Spread // one for each X
}

// A Reference is what lines are to be compared with: a thin grey one, without a band.
type Reference struct {
	Label string
	X, Y  []float64
}

// add adds lines and references to a plot: bands below all lines, so that none is hidden.
func add(p *plot.Plot, references []Reference, lines []Line, every func(Line) int) {
	for _, l := range lines {
		p.Add(band{l})
	}
	for i, r := range references {
		p.Add(through(r.X, r.Y, referenceLine(i)))
	}
	for i, l := range lines {
		p.Add(stroke{l, every(l), besides(lines, i)})
	}
}

// legendOf lists lines, then references.
func legendOf(lines []Line, references []Reference) []Entry {
	var entries []Entry
	for _, l := range lines {
		entries = append(entries, Entry{l.Label, stroke{Line: l}})
	}
	for i, r := range references {
		entries = append(entries, Entry{r.Label, through(r.X, r.Y, referenceLine(i))})
	}
	return entries
}

// A thinLine is gonum's, but its axes end where its points do, without room for its width.
type thinLine struct{ *plotter.Line }

// GlyphBoxes implements plot.GlyphBoxer: there are none.
func (thinLine) GlyphBoxes(*plot.Plot) []plot.GlyphBox { return nil }

// level is a line at a value from 0 to the end of the horizontal axis.
func level(label string, value, end float64) Reference {
	return Reference{label, []float64{0, end}, []float64{value, value}}
}

// through is a line through those of some points that are finite.
func through(x, y []float64, style draw.LineStyle) thinLine {
	l := thinLine{&plotter.Line{LineStyle: style}}
	for i := range y {
		if record.Finite(y[i]) {
			l.XYs = append(l.XYs, plotter.XY{X: x[i], Y: y[i]})
		}
	}
	return l
}

// scaled are lines and references whose values are f of those of others.
func scaled(lines []Line, references []Reference, f func(float64) float64) ([]Line, []Reference) {
	lines, references = slices.Clone(lines), slices.Clone(references)
	for i, l := range lines {
		lines[i].Y = make([]record.Spread, len(l.Y))
		for k, s := range l.Y {
			lines[i].Y[k] = record.Spread{N: s.N, Mean: f(s.Mean), Min: f(s.Min), Max: f(s.Max)}
		}
	}
	for i, r := range references {
		references[i].Y = make([]float64, len(r.Y))
		for k, y := range r.Y {
			references[i].Y[k] = f(y)
		}
	}
	return lines, references
}

// glyph is the line's mark, in its colour.
func (l Line) glyph() draw.GlyphStyle {
	s := styleOf(l.Style)
	s.mark = styleOf(l.Style + l.Swept).mark
	return s.glyph()
}

// pieces returns from where to where a line's values are all finite.
func (l Line) pieces() [][2]int {
	var pieces [][2]int
	for i, y := range l.Y {
		if !record.Finite(y.Mean) || !record.Finite(y.Min) || !record.Finite(y.Max) {
			continue
		}
		if n := len(pieces); n > 0 && pieces[n-1][1] == i {
			pieces[n-1][1] = i + 1
		} else {
			pieces = append(pieces, [2]int{i, i + 1})
		}
	}
	return pieces
}

// transform returns where a chart shows a point. What is below its axis is on it.
func transform(c draw.Canvas, p *plot.Plot) func(x, y float64) vg.Point {
	trX, trY := p.Transforms(&c)
	return func(x, y float64) vg.Point { return vg.Point{X: trX(x), Y: trY(max(y, p.Y.Min))} }
}

// A band draws the range of a Line.
type band struct{ Line }

// Plot implements plot.Plotter.
func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	at := transform(c, p)
	for _, piece := range b.pieces() {
		var low, high []vg.Point
		for i := piece[0]; i < piece[1]; i++ {
			low, high = append(low, at(b.X[i], b.Y[i].Min)), append(high, at(b.X[i], b.Y[i].Max))
		}
		slices.Reverse(high)
		c.FillPolygon(styleOf(b.Style).band(), c.ClipPolygonXY(append(low, high...)))
	}
}

// DataRange implements plot.DataRanger.
func (b band) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin = math.Inf(1), math.Inf(1)
	xmax, ymax = math.Inf(-1), math.Inf(-1)
	for _, x := range b.X {
		xmin, xmax = min(xmin, x), max(xmax, x)
	}
	for _, piece := range b.pieces() {
		for _, y := range b.Y[piece[0]:piece[1]] {
			ymin, ymax = min(ymin, y.Min), max(ymax, y.Max)
		}
	}
	return
}

// A stroke draws the mean of a Line.
type stroke struct {
	Line
	every int // points from one mark to the next
	neighbours
}

// Plot implements plot.Plotter. Where the mean is below the axis it draws an arrow in place of a mark, and no line from
// one such place to the next: along the axis, it would say that they are there.
func (s stroke) Plot(c draw.Canvas, p *plot.Plot) {
	at := transform(c, p)
	style := styleOf(s.Style)
	isBelow := func(y record.Spread) bool { return y.Mean < p.Y.Min }
	below := func(i int) bool { return isBelow(s.Y[i]) }
	for _, piece := range s.pieces() {
		var line []vg.Point
		for i := piece[0]; i < piece[1]; i++ {
			point := at(s.X[i], s.Y[i].Mean)
			if len(line) > 0 && below(i-1) && below(i) {
				c.StrokeLines(style.line(), c.ClipLinesXY(line)...)
				line = nil
			}
			line = append(line, point)
			switch {
			case below(i):
				drawArrow(c, style.color, vg.Point{X: point.X + s.shift(s.X[i], isBelow), Y: c.Min.Y})
			case i%s.every == (s.Style+s.Swept)*s.every/4%s.every: // not over the marks of the others
				c.DrawGlyph(s.glyph(), point)
			}
		}
		c.StrokeLines(style.line(), c.ClipLinesXY(line)...)
	}
}

// Thumbnail implements plot.Thumbnailer: the band too.
func (s stroke) Thumbnail(c *draw.Canvas) {
	style := styleOf(s.Style)
	corners := []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}}
	c.FillPolygon(style.band(), corners)
	c.StrokeLine2(style.line(), c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
	c.DrawGlyph(s.glyph(), c.Center())
}

// arrowSize is the width and height of an arrow, which is a triangle.
const arrowSize = vg.Length(5)

// drawArrow draws an arrow that points down at tip.
func drawArrow(c draw.Canvas, colour color.Color, tip vg.Point) {
	left, right := tip.X-arrowSize/2, tip.X+arrowSize/2
	c.FillPolygon(colour, []vg.Point{tip, {X: left, Y: tip.Y + arrowSize}, {X: right, Y: tip.Y + arrowSize}})
}

// Neighbours are the lines before and after one in a chart.
type neighbours struct{ before, after []Line }

func besides(lines []Line, i int) neighbours { return neighbours{lines[:i], lines[i+1:]} }

// shift is how far a mark at x, outside of the axis, is moved: those of several lines stand side by side, about x.
func (n neighbours) shift(x float64, outside func(record.Spread) bool) vg.Length {
	count := func(lines []Line) vg.Length {
		n := vg.Length(0)
		for _, l := range lines {
			if i := slices.Index(l.X, x); i >= 0 && outside(l.Y[i]) {
				n++
			}
		}
		return n
	}
	return (count(n.before) - count(n.after)) / 2 * 1.3 * arrowSize
}
