package figures

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/replication/claim"
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

// A Line is what a chart compares. It is interrupted where a value is NaN or infinite.
type Line struct {
	Label  string
	Style  int // its place among what is compared: each has a colour, a pattern and a mark of its own
	Swept  int // its place among lines of one style, which differ in their marks; 0: it has the style's
	X      []float64
	Y      []record.Spread // one for each X
	Trials [][]float64     // the values that Y is the spread of, for each X; nil: not known
	Aside  bool            // it is not what the chart is about: with few points, it is thin and has no bars
	Larger bool            // it is of a larger scale than the line of its style: with few points, thin, marked by rings
}

// Middle is the median of the trials at a place, which no spike of a single trial moves; or else their mean. It is NaN
// where one of them has diverged.
func (l Line) Middle(i int) float64 {
	if l.Trials == nil {
		return l.Y[i].Mean
	}
	return claim.Median(l.Trials[i])
}

// most is the number of trials at the place that has most.
func (l Line) most() int {
	n := 0
	for _, at := range l.Trials {
		n = max(n, len(at))
	}
	return n
}

// trial returns one trial's values.
func (l Line) trial(k int) []float64 {
	values := make([]float64, len(l.X))
	for i, at := range l.Trials {
		values[i] = math.NaN()
		if k < len(at) {
			values[i] = at[k]
		}
	}
	return values
}

// A Reference is what lines are to be compared with: a thin grey one, without a band.
type Reference struct {
	Label string
	X, Y  []float64
}

// legendOf lists lines, then references.
func legendOf(lines []Line, references []Reference) []Entry {
	var entries []Entry
	for _, l := range lines {
		entries = append(entries, Entry{l.Label, stroke{l, 1}})
	}
	for i, r := range references {
		if i == 0 || references[i-1].Label != r.Label {
			entries = append(entries, Entry{r.Label, through(r.X, r.Y, referenceLine(i))})
		}
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
		lines[i].Trials = slices.Clone(l.Trials)
		for k, at := range l.Trials {
			lines[i].Trials[k] = make([]float64, len(at))
			for trial, y := range at {
				lines[i].Trials[k][trial] = f(y)
			}
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

// stroke is how the line is drawn.
func (l Line) stroke() draw.LineStyle {
	s := styleOf(l.Style).line()
	if l.Aside || l.Larger {
		s.Width /= 2
	}
	return s
}

// glyph is the line's mark, in its colour.
func (l Line) glyph() draw.GlyphStyle {
	s := styleOf(l.Style)
	s.mark = styleOf(l.Style + l.Swept).mark
	if l.Larger {
		s.mark = draw.RingGlyph{}
	}
	return s.glyph()
}

// transform returns where a chart shows a point. What is below its axis is on it.
func transform(c draw.Canvas, p *plot.Plot) func(x, y float64) vg.Point {
	trX, trY := p.Transforms(&c)
	return func(x, y float64) vg.Point { return vg.Point{X: trX(x), Y: trY(max(y, p.Y.Min))} }
}

// A stroke draws the middle of a Line of many points.
type stroke struct {
	Line
	every int // points from one mark to the next
}

// Plot implements plot.Plotter.
func (s stroke) Plot(c draw.Canvas, p *plot.Plot) {
	at := transform(c, p)
	var line []vg.Point
	for i, x := range s.X {
		y := s.Middle(i)
		if !record.Finite(y) {
			c.StrokeLines(styleOf(s.Style).line(), c.ClipLinesXY(line)...)
			line = nil
			continue
		}
		line = append(line, at(x, y))
		if i%s.every == (s.Style+s.Swept)*s.every/4%s.every { // not over the marks of the others
			c.DrawGlyph(s.glyph(), at(x, y))
		}
	}
	c.StrokeLines(styleOf(s.Style).line(), c.ClipLinesXY(line)...)
}

// DataRange implements plot.DataRanger.
func (s stroke) DataRange() (xmin, xmax, ymin, ymax float64) {
	var middle []float64
	for i := range s.X {
		middle = append(middle, s.Middle(i))
	}
	return through(s.X, middle, draw.LineStyle{}).DataRange()
}

// Thumbnail implements plot.Thumbnailer.
func (s stroke) Thumbnail(c *draw.Canvas) {
	c.StrokeLine2(s.stroke(), c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
	if s.every > 0 {
		c.DrawGlyph(s.glyph(), c.Center())
	}
}

// Dots draw a Line of few points: a mark at each mean, and a bar over the range of the trials, with a tick at each. A
// mean that is infinite is beyond the axis, at strip. Lines side by side are shifted, so that none hides another.
type dots struct {
	Line
	place, of int // among the lines
	strip     float64
}

// addDots adds lines to a plot.
func addDots(p *plot.Plot, lines []Line, strip float64) {
	for i, l := range lines {
		p.Add(dots{l, i, len(lines), strip})
	}
}

// shift is how far the line is moved: a part of the way from one place to the next.
func (d dots) shift(x func(float64) vg.Length) vg.Length {
	step := vg.Length(4.5)
	if d.connected() {
		step = 1 // a line says where its points are
	}
	for i := 1; i < len(d.X); i++ {
		step = min(step, (x(d.X[i])-x(d.X[i-1]))/2/vg.Length(d.of))
	}
	return (vg.Length(d.place) - vg.Length(d.of-1)/2) * step
}

// connected tells whether a line goes through the points. Two points have none, which would say that others lie on it.
func (d dots) connected() bool { return len(d.X) > 2 }

// Plot implements plot.Plotter.
func (d dots) Plot(c draw.Canvas, p *plot.Plot) {
	at := transform(c, p)
	style := styleOf(d.Style)
	trX, _ := p.Transforms(&c)
	shift := d.shift(trX)
	var line []vg.Point
	end := func() {
		if d.connected() {
			c.StrokeLines(d.stroke(), c.ClipLinesXY(line)...)
		}
		line = nil
	}
	var marks []vg.Point
	for i, y := range d.Y {
		if math.IsNaN(y.Mean) {
			end()
			continue
		}
		beyond := isBeyond(y)
		mean, low, high := y.Mean, y.Min, y.Max
		if beyond {
			mean, high = d.strip, d.strip
			low = min(low, d.strip)
		}
		from, to, mark := at(d.X[i], low), at(d.X[i], high), at(d.X[i], mean)
		x := mark.X + shift
		mark.X = x
		if d.Aside && !beyond {
			from, to = mark, mark
		}
		bar := [][]vg.Point{{{X: x, Y: from.Y}, {X: x, Y: to.Y}}}
		if from != to && d.Trials != nil {
			for _, v := range d.Trials[i] {
				if y := at(d.X[i], v).Y; record.Finite(v) {
					bar = append(bar, []vg.Point{{X: x - tick, Y: y}, {X: x + tick, Y: y}})
				}
			}
		}
		strokeTogether(c, draw.LineStyle{Color: style.color, Width: 0.7}, c.ClipLinesXY(bar...))
		if beyond && i > 0 && isBeyond(d.Y[i-1]) { // along the strip, a line would say that they are there
			end()
		}
		line, marks = append(line, mark), append(marks, mark)
	}
	end()
	for _, mark := range marks {
		c.DrawGlyph(d.glyph(), mark)
	}
}

// strokeTogether draws lines as one path.
func strokeTogether(c draw.Canvas, style draw.LineStyle, lines [][]vg.Point) {
	var path vg.Path
	for _, line := range lines {
		path.Move(line[0])
		for _, p := range line[1:] {
			path.Line(p)
		}
	}
	c.SetLineStyle(style)
	c.Stroke(path)
}

// tick is half of the length of a trial's tick.
const tick = vg.Length(1.6)

// DataRange implements plot.DataRanger.
func (d dots) DataRange() (xmin, xmax, ymin, ymax float64) {
	var x, y []float64
	for i, s := range d.Y {
		x, y = append(x, d.X[i], d.X[i]), append(y, s.Min, s.Max)
	}
	return through(x, y, draw.LineStyle{}).DataRange()
}

func isBeyond(y record.Spread) bool { return math.IsInf(y.Mean, 1) }
