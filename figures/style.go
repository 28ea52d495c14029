package figures

import (
	"image/color"
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes. A figure is made for a text block of 7 inches, and its letters are as large as a printed footnote's. A
// notebook shows a chart at a part of its width.
const (
	figureWidth    = 7 * vg.Inch
	narrowWidth    = 3.7 * vg.Inch // of a phone
	notebookWidth  = 6 * vg.Inch
	notebookHeight = 2.8 * vg.Inch
	titleSize      = vg.Length(9.5)
	labelSize      = vg.Length(8.5)
)

// A style tells a line from the others: by its colour, and on paper without colours or to somebody who does not see
// them by its pattern and its mark.
type style struct {
	color  color.NRGBA
	dashes []vg.Length // nil: unbroken
	mark   draw.GlyphDrawer
}

// The colours of the first two styles.
var (
	Blue = color.NRGBA{0x1f, 0x4e, 0x9c, 0xff}
	Red  = color.NRGBA{0xe3, 0x4a, 0x33, 0xff}
)

// styles are in the order in which they are used. After the first two, colours are from the palette of Okabe and Ito,
// which is made for the colour-blind; its pink, which looks like green to some of them, is late.
var styles = []style{
	{Blue, nil, draw.CircleGlyph{}},
	{Red, []vg.Length{6, 2}, draw.BoxGlyph{}},
	{color.NRGBA{0x00, 0x9e, 0x73, 0xff}, []vg.Length{3, 1.5}, draw.PyramidGlyph{}},
	{color.NRGBA{0x56, 0xb4, 0xe9, 0xff}, []vg.Length{6, 1.5, 1.5, 1.5}, draw.RingGlyph{}},
	{color.NRGBA{0xe6, 0x9f, 0x00, 0xff}, nil, draw.SquareGlyph{}},
	{color.NRGBA{0xcc, 0x79, 0xa7, 0xff}, []vg.Length{6, 2}, wedge{}},
	{color.NRGBA{0x00, 0x00, 0x00, 0xff}, []vg.Length{3, 1.5}, draw.PlusGlyph{}},
	{color.NRGBA{0x58, 0x58, 0x58, 0xff}, []vg.Length{6, 1.5, 1.5, 1.5}, draw.CrossGlyph{}},
}

var (
	grey  = color.NRGBA{0x60, 0x60, 0x60, 0xff}
	black = color.NRGBA{0x00, 0x00, 0x00, 0xff}
	white = color.NRGBA{0xff, 0xff, 0xff, 0xff}
)

// A wedge is a filled triangle that stands on a corner.
type wedge struct{}

func (wedge) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	width, up := vg.Length(math.Sqrt(3)/2)*s.Radius, s.Radius/2
	var path vg.Path
	path.Move(at.Sub(vg.Point{Y: s.Radius}))
	path.Line(at.Add(vg.Point{X: width, Y: up}))
	path.Line(at.Add(vg.Point{X: -width, Y: up}))
	path.Close()
	c.SetColor(s.Color)
	c.Fill(path)
}

// styleOf is style n. When all are used they begin again with the third, because the first two are those of the arms
// that a figure compares all others with.
func styleOf(n int) style {
	const first = 2
	if n >= first {
		n = first + (n-first)%(len(styles)-first)
	}
	return styles[n]
}

func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: 1.4, Dashes: s.dashes}
}

func (s style) trial() draw.LineStyle {
	c := s.color
	c.A = 0x70
	return draw.LineStyle{Color: c, Width: 0.6}
}

func (s style) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color, Radius: 2.2, Shape: s.mark}
}

// references are dotted, or thin: no line is.
var references = []draw.LineStyle{{Color: grey, Width: 1, Dashes: []vg.Length{1, 2}}, {Color: black, Width: 0.6}}

// sans returns a text style. Liberation Sans comes with gonum/plot, and has the metrics of the sans serif of any
// browser that lacks it.
func sans(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

// under stands below the point where it is drawn, in the middle.
func under(s text.Style) text.Style {
	s.XAlign, s.YAlign = draw.XCenter, draw.YTop
	return s
}

func bold(s text.Style) text.Style {
	s.Font.Weight = xfont.WeightBold
	return s
}

// NewPlot returns empty axes in the figures' look.
func NewPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font = bold(sans(titleSize, black)).Font
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = sans(labelSize, black).Font
		axis.Tick.Label.Font = sans(labelSize, black).Font
		axis.Padding = 0
		axis.LineStyle.Width, axis.Tick.LineStyle.Width = 0.5, 0.5
		axis.Tick.Length = 4
		axis.Tick.Marker = Ticks{}
	}
	return p
}

// shades differ between neighbours, also in grey.
var shades = []color.NRGBA{
	{0xfd, 0xe0, 0xc5, 0xff}, {0xc6, 0xdb, 0xef, 0xff}, {0xe6, 0xe6, 0xe6, 0xff}, {0xa9, 0xd4, 0xc0, 0xff},
}

// widen moves the ends of an axis by shares of its length, which is then 1 if it had none.
func widen(a *plot.Axis, below, above float64) {
	length := a.Max - a.Min
	if !(length > 0) || math.IsInf(length, 0) {
		a.Min, a.Max, length = a.Min-0.5, a.Min+0.5, 1
	}
	a.Min, a.Max = a.Min-below*length, a.Max+above*length
}
