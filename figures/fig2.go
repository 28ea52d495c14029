package figures

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/chrono/task"
)

// Fig2 draws W Figure 2, the warping task on the paper's own example. It needs no records.
func Fig2() *Figure {
	const text = "All human beings are born free and equal"
	// The paper's variable warping: how long each character of its example lasts.
	variable := []int{1, 2, 4, 2, 3, 1, 3, 2, 3, 1, 4, 2, 3, 1, 1, 4}
	f := &Figure{Name: "fig2", height: 0.72 * vg.Inch}
	for _, example := range []struct {
		title string
		steps []int
	}{
		{"unwarped", slices.Repeat([]int{1}, len(text))},
		{"uniform warping, 4 steps each", slices.Repeat([]int{4}, 9)},
		{"variable warping, 1 to 4 steps each", variable},
	} {
		p := newPlot("", "", "")
		p.HideAxes()
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
		p.Add(warpedText{example.title, text[:len(example.steps)], example.steps})
		f.rows = append(f.rows, []*plot.Plot{p})
	}
	f.Caption = "Figure 2. The task of pure warping on the paper's example: say the previous character. Every step of time is a cell, and steps that show the same " +
		"character of the text have the same shade. Input and output are warped alike, so the output always has the shade that the input had one character before; the dot is the dummy, while there is no character to say."
	return f
}

// warpedText draws the input and the output of the warping task as two rows of cells, one per step.
type warpedText struct {
	title string
	text  string
	steps []int // how long each character lasts
}

// Shades that neighbours differ in, also in grey.
var shades = []color.NRGBA{{0xfd, 0xe0, 0xc5, 0xff}, {0xc6, 0xdb, 0xef, 0xff}, {0xe6, 0xe6, 0xe6, 0xff}, {0xa9, 0xd4, 0xc0, 0xff}}

const textCells = 40 // as many as the unwarped text has

// Plot implements plot.Plotter.
func (w warpedText) Plot(c draw.Canvas, _ *plot.Plot) {
	in, out := task.WarpText(w.text, w.steps, '·')
	style := sans(labelSize, black)
	style.YAlign = draw.YTop
	c.FillText(bold(style), vg.Point{X: c.Min.X, Y: c.Max.Y}, w.title)

	const name = vg.Length(38)
	style.YAlign = draw.YCenter
	cell := (c.Max.X - c.Min.X - name) / textCells
	top := c.Max.Y - 1.6*labelSize
	of := w.characters()
	for row, s := range []string{in, out} {
		y := top - vg.Length(row)*(cell+3)
		style.XAlign = draw.XLeft
		c.FillText(style, vg.Point{X: c.Min.X, Y: y - cell/2}, []string{"input", "output"}[row])
		style.XAlign = draw.XCenter
		letter := style
		letter.Font.Variant = "Mono"
		for t, character := range []rune(s) {
			x := c.Min.X + name + vg.Length(t)*cell
			shade := color.Color(color.White)
			if k := of[t] - row; k >= 0 { // the output is one character of the text behind
				shade = shades[k%len(shades)]
			}
			box := []vg.Point{{X: x, Y: y}, {X: x + cell, Y: y}, {X: x + cell, Y: y - cell}, {X: x, Y: y - cell}}
			c.FillPolygon(shade, box)
			c.StrokeLines(draw.LineStyle{Color: color.White, Width: 0.5}, append(box, box[0]))
			c.FillText(letter, vg.Point{X: x + cell/2, Y: y - cell/2}, string(character))
		}
	}
}

// characters returns for each step of time which character of the text the input shows.
func (w warpedText) characters() []int {
	var of []int
	for i, steps := range w.steps {
		of = append(of, slices.Repeat([]int{i}, steps)...)
	}
	return of
}
