package show

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Colours that readers with any form of colour blindness can tell apart (Okabe & Ito 2008).
var (
	Blue   = color.RGBA{0x00, 0x72, 0xb2, 0xff} // standard initialization
	Red    = color.RGBA{0xd5, 0x5e, 0x00, 0xff} // chrono initialization
	Green  = color.RGBA{0x00, 0x9e, 0x73, 0xff}
	Orange = color.RGBA{0xe6, 0x9f, 0x00, 0xff}
	Purple = color.RGBA{0xcc, 0x79, 0xa7, 0xff}
	Grey   = color.RGBA{0x80, 0x80, 0x80, 0xff}
)

// Chart returns an empty plot in the notebooks' style, with a grid and a legend at the top right.
func Chart(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	sans := func(size vg.Length) font.Font { return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size} }
	p.Title.TextStyle.Font = sans(11)
	p.Title.Padding = vg.Points(4)
	p.X.Label.TextStyle.Font, p.Y.Label.TextStyle.Font = sans(10), sans(10)
	p.X.Tick.Label.Font, p.Y.Tick.Label.Font = sans(9), sans(9)
	p.Legend.TextStyle.Font = sans(9)
	p.Legend.Top, p.Legend.Padding = true, vg.Points(2)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xe8}, color.Gray{0xe8}
	p.Add(grid)
	return p
}

// LogX and LogY make an axis logarithmic; what is added must then be positive there, and Line leaves out what is not.
func LogX(p *plot.Plot) { p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1} }
func LogY(p *plot.Plot) { p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1} }

// Line adds a curve. An empty name keeps it out of the legend. Points that the axes cannot show are left out.
func Line(p *plot.Plot, name string, c color.Color, x, y []float64, options ...func(*plotter.Line)) {
	var points plotter.XYs
	for i := range x {
		if shown(p.X.Scale, x[i]) && shown(p.Y.Scale, y[i]) {
			points = append(points, plotter.XY{X: x[i], Y: y[i]})
		}
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		panic("show: " + name + ": " + err.Error())
	}
	line.Color, line.Width = c, vg.Points(1.5)
	for _, option := range options {
		option(line)
	}
	p.Add(line)
	if name != "" {
		p.Legend.Add(name, line)
	}
}

// Dashed and Thin are options of Line.
func Dashed(l *plotter.Line) { l.Dashes = []vg.Length{vg.Points(4), vg.Points(3)} }
func Thin(l *plotter.Line)   { l.Width = vg.Points(0.7) }

// Level adds a dashed horizontal line over the range of x.
func Level(p *plot.Plot, name string, c color.Color, from, to, y float64) {
	Line(p, name, c, []float64{from, to}, []float64{y, y}, Dashed)
}

func shown(scale plot.Normalizer, v float64) bool {
	_, logarithmic := scale.(plot.LogScale)
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!logarithmic || v > 0)
}
