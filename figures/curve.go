package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/replication"
)

// A curve is the mean of several trials as a line, and their range as a band. It is interrupted where a value is not finite.
type curve struct {
	x      []float64
	y      []replication.Spread
	style  style
	glyphs bool // mark the means: for sweeps, whose points are few
}

// Plot implements plot.Plotter.
func (s *curve) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	for start := 0; start < len(s.x); {
		end := start
		for end < len(s.x) && s.drawable(end) {
			end++
		}
		var mean, low, high []vg.Point
		for i := start; i < end; i++ {
			x := trX(s.x[i])
			at := func(y float64) vg.Point { // kept inside the axes, so that a spike's band does not leave the panel
				return vg.Point{X: x, Y: trY(min(max(y, p.Y.Min), p.Y.Max))}
			}
			mean = append(mean, vg.Point{X: x, Y: trY(s.y[i].Mean)})
			low, high = append(low, at(s.y[i].Min)), append(high, at(s.y[i].Max))
		}
		for i := len(high) - 1; i >= 0; i-- {
			low = append(low, high[i])
		}
		c.FillPolygon(s.style.band(), low)
		c.StrokeLines(s.style.line(), c.ClipLinesXY(mean)...)
		if s.glyphs {
			for _, pt := range mean {
				c.DrawGlyph(s.style.glyphs(), pt)
			}
		}
		start = end + 1
	}
}

func (s *curve) drawable(i int) bool {
	y := s.y[i]
	for _, v := range []float64{y.Mean, y.Min, y.Max} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// DataRange implements plot.DataRanger.
func (s *curve) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin = math.Inf(1), math.Inf(1)
	xmax, ymax = math.Inf(-1), math.Inf(-1)
	for i, x := range s.x {
		xmin, xmax = min(xmin, x), max(xmax, x)
		if s.drawable(i) {
			ymin, ymax = min(ymin, s.y[i].Min), max(ymax, s.y[i].Max)
		}
	}
	return
}

// Thumbnail implements plot.Thumbnailer.
func (s *curve) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.FillPolygon(s.style.band(), []vg.Point{{X: c.Min.X, Y: y - 3}, {X: c.Max.X, Y: y - 3}, {X: c.Max.X, Y: y + 3}, {X: c.Min.X, Y: y + 3}})
	c.StrokeLine2(s.style.line(), c.Min.X, y, c.Max.X, y)
	if s.glyphs {
		c.DrawGlyph(s.style.glyphs(), vg.Point{X: c.Center().X, Y: y})
	}
}

// A level is a named reference value, drawn as a dashed line across the panel.
type level struct {
	y      float64
	label  string // written above the line, at its right end, or its left end
	dashes []vg.Length
	left   bool // where the curves end low, and a label at the right would cover them
}

var (
	dashed = []vg.Length{4, 2.5}
	dotted = []vg.Length{1, 2}
)

func (l level) line() draw.LineStyle {
	return draw.LineStyle{Color: grey, Width: 0.9, Dashes: l.dashes}
}

// Plot implements plot.Plotter.
func (l level) Plot(c draw.Canvas, p *plot.Plot) {
	_, trY := p.Transforms(&c)
	y := trY(l.y)
	if !c.ContainsY(y) {
		return
	}
	c.StrokeLine2(l.line(), c.Min.X, y, c.Max.X, y)
	if l.label == "" {
		return
	}
	style := sans(labelSize-1, grey)
	style.XAlign, style.YAlign = draw.XRight, draw.YBottom
	at := vg.Point{X: c.Max.X, Y: y + 3}
	if l.left {
		style.XAlign, at.X = draw.XLeft, c.Min.X+4
	}
	r := style.Rectangle(l.label).Add(at)
	c.FillPolygon(halo, []vg.Point{{X: r.Min.X - 2, Y: r.Min.Y}, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X - 2, Y: r.Max.Y}})
	c.FillText(style, at, l.label)
}

// halo keeps a label readable on top of a curve.
var halo = color.NRGBA{0xff, 0xff, 0xff, 0xc0}

// DataRange implements plot.DataRanger.
func (l level) DataRange() (xmin, xmax, ymin, ymax float64) {
	return math.Inf(1), math.Inf(-1), l.y, l.y
}

// Thumbnail implements plot.Thumbnailer.
func (l level) Thumbnail(c *draw.Canvas) {
	c.StrokeLine2(l.line(), c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
}

// span shades the part of the panel that is left of x, and names it.
type span struct {
	x     float64
	label string
}

// Plot implements plot.Plotter.
func (s span) Plot(c draw.Canvas, p *plot.Plot) {
	trX, _ := p.Transforms(&c)
	x := trX(s.x)
	c.FillPolygon(shade, []vg.Point{c.Min, {X: x, Y: c.Min.Y}, {X: x, Y: c.Max.Y}, {X: c.Min.X, Y: c.Max.Y}})
	style := sans(labelSize-1, grey)
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	c.FillText(style, vg.Point{X: (c.Min.X + x) / 2, Y: c.Min.Y + 3}, s.label)
}

var shade = color.NRGBA{0xee, 0xee, 0xee, 0xff}

// note is a word in the middle of an empty frame.
type note string

// Plot implements plot.Plotter.
func (n note) Plot(c draw.Canvas, _ *plot.Plot) {
	frame := []vg.Point{c.Min, {X: c.Min.X, Y: c.Max.Y}, c.Max, {X: c.Max.X, Y: c.Min.Y}, c.Min}
	c.StrokeLines(draw.LineStyle{Color: color.Gray{0xd0}, Width: 0.5}, frame)
	style := sans(titleSize, grey)
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	c.FillText(style, c.Center(), string(n))
}
