package figures

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute/support/xslices"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Texts are shown below each other, letter by letter: a letter for each step of time.
type Texts struct {
	Title string
	Rows  []Row
	Cells int // how many letters the width holds
}

// A Row is one text.
type Row struct {
	Name    string
	Letters []rune
	Shades  []int // of each letter; neighbouring numbers differ to the eye, and what is below 0 is white
}

func (t Texts) Plot(c draw.Canvas, _ *plot.Plot) {
	style := sans(labelSize, black)
	style.YAlign = draw.YTop
	c.FillText(bold(style), vg.Point{X: c.Min.X, Y: c.Max.Y}, t.Title) // over the first letter, not the middle

	const names = vg.Length(38) // the room for the rows' names
	style.YAlign = draw.YCenter
	cell := (c.Max.X - c.Min.X - names) / vg.Length(t.Cells)
	for i, row := range t.Rows {
		y := c.Max.Y - 1.6*labelSize - vg.Length(i)*(cell+3)
		style.XAlign = draw.XLeft
		c.FillText(style, vg.Point{X: c.Min.X, Y: y - cell/2}, row.Name)
		letter := style
		letter.XAlign = draw.XCenter
		letter.Font.Variant = "Mono"
		for k, r := range row.Letters {
			x := c.Min.X + names + vg.Length(k)*cell
			shade := white
			if s := row.Shades[k]; s >= 0 {
				shade = shades[s%len(shades)]
			}
			box := []vg.Point{{X: x, Y: y}, {X: x + cell, Y: y}, {X: x + cell, Y: y - cell}, {X: x, Y: y - cell}}
			c.FillPolygon(shade, box)
			c.StrokeLines(draw.LineStyle{Color: white, Width: 0.5}, append(box, box[0]))
			c.FillText(letter, vg.Point{X: x + cell/2, Y: y - cell/2}, string(r))
		}
	}
}

func (t Texts) Alt() string {
	rows := xslices.Map(t.Rows, func(r Row) string { return fmt.Sprintf("%s “%s”", r.Name, string(r.Letters)) })
	return t.Title + ": " + strings.Join(rows, ", ") + "."
}
