package figures

import (
	"math"

	"github.com/gomlx/compute/support/xslices"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Schematic shows how the parts of a network are connected. Its unit of length is the width of the chart.
type Schematic struct {
	Says   string  // what it shows, for those who cannot see it
	Height float64 // of the boxes that are added
	Boxes  []Box
	Arrows []Arrow
}

// A Box is a part, with its name in the middle. One without a width is a text without a frame.
type Box struct {
	X, Y, Width, Height float64 // of the middle
	Text                string
	Shade               int // as a Row's
}

// An Arrow goes through these points, and points at the last.
type Arrow struct {
	Through [][2]float64
	Dashed  bool
}

// Add adds a box and returns it.
func (s *Schematic) Add(x, y, width float64, text string, shade int) Box {
	b := Box{X: x, Y: y, Width: width, Height: s.Height, Text: text, Shade: shade}
	s.Boxes = append(s.Boxes, b)
	return b
}

// Chain adds an arrow from each of some boxes to the next, which is above, below or beside it.
func (s *Schematic) Chain(boxes ...Box) {
	for i, to := range boxes[1:] {
		from := boxes[i]
		begin, end := [2]float64{from.X, from.Y}, [2]float64{to.X, to.Y}
		axis, room := 0, [2]float64{from.Width / 2, to.Width / 2}
		if from.X == to.X {
			axis, room = 1, [2]float64{from.Height / 2, to.Height / 2}
		}
		way := math.Copysign(1, end[axis]-begin[axis])
		begin[axis] += way * room[0]
		end[axis] -= way * room[1]
		s.Arrows = append(s.Arrows, Arrow{Through: [][2]float64{begin, end}})
	}
}

// schematicHeight is the height of a schematic, as a part of its width.
const schematicHeight = 0.4

func (s Schematic) Alt() string { return s.Says }

func (s Schematic) Plot(c draw.Canvas, p *plot.Plot) {
	trX, across := p.Transforms(&c)
	trY := func(y float64) vg.Length { return across(y / schematicHeight) }
	line, centred := draw.LineStyle{Color: black, Width: 0.7}, sans(labelSize, black)
	centred.XAlign, centred.YAlign = draw.XCenter, draw.YCenter
	for _, a := range s.Arrows {
		points := xslices.Map(a.Through, func(at [2]float64) vg.Point { return vg.Point{X: trX(at[0]), Y: trY(at[1])} })
		style := line
		if a.Dashed {
			style.Dashes = []vg.Length{3, 2}
		}
		c.StrokeLines(style, points)
		head(c, points[len(points)-2], points[len(points)-1])
	}
	for _, b := range s.Boxes {
		left, right := trX(b.X-b.Width/2), trX(b.X+b.Width/2)
		bottom, top := trY(b.Y-b.Height/2), trY(b.Y+b.Height/2)
		corners := []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}}
		if b.Width > 0 {
			c.FillPolygon(shades[b.Shade%len(shades)], corners)
			c.StrokeLines(line, append(corners, corners[0]))
		}
		c.FillText(centred, vg.Point{X: trX(b.X), Y: trY(b.Y)}, b.Text)
	}
}

func head(c draw.Canvas, from, to vg.Point) {
	const size = vg.Length(4.5)
	along := to.Sub(from)
	along = along.Scale(size / vg.Length(math.Hypot(float64(along.X), float64(along.Y))))
	across := vg.Point{X: -along.Y / 2.5, Y: along.X / 2.5}
	back := to.Sub(along)
	c.FillPolygon(black, []vg.Point{to, back.Add(across), back.Sub(across)})
}
