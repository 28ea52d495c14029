package show

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"github.com/gomlx/compute/support/xslices"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/figures"
)

// Blue is for standard and red for chrono initialization. The other colours are from the palette of Okabe and Ito,
// which is made for the colour-blind.
var (
	Blue  = color.RGBA(figures.Blue)
	Red   = color.RGBA(figures.Red)
	Grey  = color.RGBA{0xa0, 0xa0, 0xa0, 0xff}
	Black = color.RGBA{0x00, 0x00, 0x00, 0xff}

	Palette = []color.Color{
		color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff},
		color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0x56, 0x56, 0x56, 0xff},
	}
)

// A Chart is a plot of lines, with a legend at the top right; make one with NewChart.
//
// A logarithmic axis is gonum's linear one with logarithms on it, because gonum's own leaves too much room beside its
// numbers.
type Chart struct {
	*plot.Plot
	logX, logY bool
	says       []string // for alt: what each line with a name shows
	Words      string   // what it shows, for those who cannot see it; empty: where its lines run
}

// alt says in words what the chart shows.
func (c *Chart) alt() string {
	if c.Words != "" {
		return c.Words
	}
	return figures.AltChart(c.Title.Text, c.X.Label.Text, c.Y.Label.Text, c.says)
}

// NewChart returns a chart without lines, in the look of the figures.
func NewChart(title, x, y string) *Chart {
	p := figures.NewPlot(title, x, y)
	p.Legend.TextStyle.Font = p.X.Label.TextStyle.Font
	p.Legend.Top, p.Legend.Padding = true, 2
	p.Title.Padding = 4
	return &Chart{Plot: p}
}

// LogX makes the horizontal axis logarithmic. Call it before lines are added.
func (c *Chart) LogX() { c.logX, c.X.Tick.Marker = true, plot.TickerFunc(powers) }

// LogY makes the vertical axis logarithmic. Call it before lines are added.
func (c *Chart) LogY() { c.logY, c.Y.Tick.Marker = true, plot.TickerFunc(powers) }

// LegendLeft moves the legend to the top left.
func (c *Chart) LegendLeft() { c.Legend.Left, c.Legend.XOffs = true, 6 }

// RangeX sets what the horizontal axis shows. Call it after lines are added.
func (c *Chart) RangeX(low, high float64) {
	c.X.Min, c.X.Max = scaled(low, c.logX), scaled(high, c.logX)
}

// RangeY sets what the vertical axis shows. Call it after lines are added.
func (c *Chart) RangeY(low, high float64) {
	c.Y.Min, c.Y.Max = scaled(low, c.logY), scaled(high, c.logY)
}

// Line adds a line through the points (x, y); without x they are at 0, 1, 2, …. Without a name the line has no place in
// the legend. It is interrupted where an axis cannot show a point: NaN, infinity, and on a logarithmic axis what is not
// positive.
func (c *Chart) Line(name string, colour color.Color, x, y []float64, options ...func(*plotter.Line)) {
	if x == nil {
		x = xslices.Iota(0.0, len(y))
	}
	var piece plotter.XYs
	var thumbnail plot.Thumbnailer
	end := func() {
		if len(piece) > 0 {
			line := &plotter.Line{XYs: piece, LineStyle: plotter.DefaultLineStyle}
			line.Color, line.Width = colour, 1.5
			for _, option := range options {
				option(line)
			}
			c.Add(line)
			thumbnail, piece = line, nil
		}
	}
	for i := range x {
		point := plotter.XY{X: scaled(x[i], c.logX), Y: scaled(y[i], c.logY)}
		if math.IsNaN(point.X-point.Y) || math.IsInf(point.X-point.Y, 0) {
			end()
			continue
		}
		piece = append(piece, point)
	}
	end()
	if name != "" && thumbnail != nil {
		c.Legend.Add(name, thumbnail)
		c.says = append(c.says, figures.AltLine(name, y))
	}
}

// Histogram adds the shares of values between each of the edges and the next, which must ascend.
func (c *Chart) Histogram(name string, colour color.Color, edges, values []float64, options ...func(*plotter.Line)) {
	var x, y []float64
	for k := range len(edges) - 1 {
		n := floats.Count(func(v float64) bool { return edges[k] <= v && v < edges[k+1] }, values)
		share := float64(n) / float64(len(values))
		x, y = append(x, edges[k], edges[k+1]), append(y, share, share)
	}
	c.Line(name, colour, x, y, options...)
}

// Dashed, Thin and Wide are options of Line.
func Dashed(l *plotter.Line) { l.Dashes = []vg.Length{4, 3} }
func Thin(l *plotter.Line)   { l.Width = 0.7 }
func Wide(l *plotter.Line)   { l.Width = 4 }

func scaled(v float64, logarithm bool) float64 {
	if logarithm {
		return math.Log10(v)
	}
	return v
}

// powers puts a tick at every power of ten, on an axis of logarithms, and labels as many of them as there is room for.
func powers(low, high float64) []plot.Tick {
	from, to := int(math.Ceil(low-1e-9)), int(math.Floor(high+1e-9))
	every := 1 + (to-from)/5
	var ticks []plot.Tick
	for k := from; k <= to; k++ {
		tick := plot.Tick{Value: float64(k)}
		if (k-from)%every == 0 {
			tick.Label = strconv.FormatFloat(math.Pow10(k), 'g', -1, 64)
			if from < -4 && k != 0 {
				tick.Label = fmt.Sprintf("1e%d", k) // all in one form
			}
		}
		ticks = append(ticks, tick)
	}
	return ticks
}
