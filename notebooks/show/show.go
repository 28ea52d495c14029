// Package show is what the notebooks would otherwise repeat: pictures below a cell, a training that draws itself while
// it goes on, and what the repository holds of a figure: its picture, its claims, what the paper leaves open.
//
// Outside of a notebook its pictures go nowhere.
package show

import (
	"fmt"
	"image/color"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/support/xslices"
	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/figures"
)

// Must returns a value, or stops the cell with the error.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Assert stops the cell where a statement is not true.
func Assert(ok bool, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf(format, args...))
	}
}

// Engine is what the cell computes on, the same at every call: a model's variables stay with the engine that made them.
var Engine = sync.OnceValue(func() compute.Backend { return Must(backend.New("")) })

// Markdown displays a text below the cell. Tests replace it.
var Markdown = func(text string) {
	display(&protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextMarkdown: text}})
}

// Charts displays charts side by side, each of that size, as one picture.
func Charts(width, height vg.Length, charts ...*Chart) { row(width, height, charts).display("") }

// Panel displays a chart of package figures.
func Panel(chart figures.Chart) { page(figures.Single(chart)).display("") }

// A picture is a drawing in both forms that viewers of notebooks know. Jupyter shows the SVG. The PNG is for those that
// do not: Jupyter itself where a notebook is not trusted, and nbconvert's HTML. It has more pixels than it is shown
// with, so that it is sharp.
type picture struct {
	svg, png func() ([]byte, error)
	alt      string // what it shows, in words
}

func page(p *figures.Page) picture { return picture{p.SVG, p.PNG, p.Alt()} }

func row(width, height vg.Length, charts []*Chart) picture {
	width *= vg.Length(len(charts))
	return drawing(width, height, alt(charts), func(canvas draw.Canvas) { drawRow(charts, canvas) })
}

// drawing is a picture of that size, drawn by on.
func drawing(width, height vg.Length, alt string, on func(draw.Canvas)) picture {
	return picture{
		func() ([]byte, error) { return figures.SVG(width, height, alt, on) },
		func() ([]byte, error) { return figures.PNG(width, height, on) },
		alt,
	}
}

// alt says in words what charts show.
func alt(charts []*Chart) string {
	return strings.Join(xslices.Map(charts, (*Chart).alt), " ")
}

func drawRow(charts []*Chart, canvas draw.Canvas) {
	plots := xslices.Map(charts, func(c *Chart) *plot.Plot { return c.Plot })
	canvas.SetColor(color.White) // the margins, too: the page below may be dark
	canvas.Fill(canvas.Rectangle.Path())
	tiles := draw.Tiles{Rows: 1, Cols: len(plots), PadX: 14, PadTop: 4, PadBottom: 4, PadLeft: 4, PadRight: 12}
	for i, tile := range plot.Align([][]*plot.Plot{plots}, tiles, canvas)[0] {
		plots[i].Draw(tile)
	}
}

// display shows the picture in the place with that id, or in a new one if it is empty. gonbui.DisplaySVG would wrap it
// in HTML, which viewers of committed notebooks do not show.
func (p picture) display(id string) {
	bitmap, size := smaller(Must(p.png()))
	shown := func(pixels int) int { return (pixels*vgimg.DefaultDPI + figures.DPI/2) / figures.DPI }
	display(&protocol.DisplayData{
		Data: map[protocol.MIMEType]any{protocol.MIMEImageSVG: string(Must(p.svg())), protocol.MIMEImagePNG: bitmap},
		Metadata: map[string]any{
			string(protocol.MIMEImagePNG): map[string]int{"width": shown(size.X), "height": shown(size.Y)},
			"alt":                         p.alt, // where nbconvert looks for it
		},
		DisplayID: id,
	})
}

// draft shows the picture for a moment: a running notebook is trusted, and needs no PNG.
func (p picture) draft(id string) {
	display(&protocol.DisplayData{
		Data:      map[protocol.MIMEType]any{protocol.MIMEImageSVG: string(Must(p.svg()))},
		DisplayID: id,
	})
}

// display is a variable for the tests.
var display = func(data *protocol.DisplayData) {
	if gonbui.IsNotebook {
		gonbui.SendData(data)
		gonbui.Sync() // else what is sent just before the cell ends may be lost
	}
}
