package figures

import (
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gonum.org/v1/plot"
)

// Sizes of a figure: it is made for a text block of 7 inches, and its letters are as large as a printed footnote's.
const (
	figureWidth = 7 * vg.Inch
	panelHeight = 2.1 * vg.Inch
	titleSize   = vg.Length(9.5)
	labelSize   = vg.Length(8.5)
	captionSize = vg.Length(8.5)
	lineWidth   = vg.Length(1.4)
)

// A style tells one curve from the others: by colour, to colour-blind readers by lightness, and where there is room by its glyph.
type style struct {
	color color.NRGBA
	glyph draw.GlyphDrawer
}

// The paper's colours are blue for standard and red for chrono; these two also differ in lightness, for grey prints. The architectures'
// are from the palette of Okabe and Ito, which is made for the colour-blind.
var styles = map[string]style{
	"standard": {color.NRGBA{0x1f, 0x4e, 0x9c, 0xff}, draw.CircleGlyph{}},
	"chrono":   {color.NRGBA{0xe3, 0x4a, 0x33, 0xff}, draw.SquareGlyph{}},
	"rnn":      {color.NRGBA{0x56, 0x56, 0x56, 0xff}, draw.CircleGlyph{}},
	"leaky":    {color.NRGBA{0xe6, 0x9f, 0x00, 0xff}, draw.PyramidGlyph{}},
	"gated":    {color.NRGBA{0x00, 0x72, 0xb2, 0xff}, draw.SquareGlyph{}},
}

// labels are the names that a legend gives to the arms.
var labels = map[string]string{
	"standard": "standard", "chrono": "chrono", "rnn": "RNN", "leaky": "leaky RNN", "gated": "gated RNN",
}

// others are for arms that have no colour of their own.
var others = []style{
	{color.NRGBA{0x00, 0x9e, 0x73, 0xff}, draw.CircleGlyph{}},
	{color.NRGBA{0xcc, 0x79, 0xa7, 0xff}, draw.SquareGlyph{}},
	{color.NRGBA{0x56, 0xb4, 0xe9, 0xff}, draw.PyramidGlyph{}},
	{color.NRGBA{0x00, 0x00, 0x00, 0xff}, draw.BoxGlyph{}},
}

var (
	grey  = color.NRGBA{0x60, 0x60, 0x60, 0xff} // reference lines, "not run"
	black = color.NRGBA{0x00, 0x00, 0x00, 0xff}
)

func (s style) line() draw.LineStyle { return draw.LineStyle{Color: s.color, Width: lineWidth} }

// band is the colour of the range of the trials.
func (s style) band() color.Color {
	c := s.color
	c.A = 0x38
	return c
}

func (s style) glyphs() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color, Radius: 2.2, Shape: s.glyph}
}

// sans returns a text style. Liberation Sans comes with gonum/plot, and has the metrics of the sans serif of any browser that lacks it.
func sans(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

func bold(s text.Style) text.Style {
	s.Font.Weight = xfont.WeightBold
	return s
}

// newPlot returns an empty panel in the figures' look.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle = bold(sans(titleSize, black))
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	p.Title.Padding = 3
	for axis, label := range map[*plot.Axis]string{&p.X: x, &p.Y: y} {
		align := axis.Label.TextStyle
		tick := axis.Tick.Label
		axis.Label.Text = label
		axis.Label.TextStyle = sans(labelSize, black)
		axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign, axis.Label.TextStyle.Rotation = align.XAlign, align.YAlign, align.Rotation
		axis.Tick.Label = sans(labelSize, black)
		axis.Tick.Label.XAlign, axis.Tick.Label.YAlign = tick.XAlign, tick.YAlign
		axis.Padding = 0
		axis.LineStyle.Width, axis.Tick.LineStyle.Width = 0.5, 0.5
		axis.Tick.Length = 4
		axis.Tick.Marker = ticks{}
	}
	p.Legend.TextStyle = sans(labelSize, black)
	p.Legend.ThumbnailWidth = 18
	return p
}
