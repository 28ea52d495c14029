// Package show draws in the notebooks: gonum plots as SVG below a cell, and plots that a running cell redraws.
//
// Outside of a notebook its functions do nothing.
package show

import (
	"bytes"
	"fmt"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Plots displays plots side by side, each of that size, as one picture. It panics if a plot cannot be drawn: in a notebook that stops
// the cell.
func Plots(width, height vg.Length, plots ...*plot.Plot) {
	send("", svg(width, height, plots))
}

// A Live is a place below the running cell whose picture can be replaced. The last one stays when the cell is done.
type Live struct{ id string }

// NewLive makes a new place, also when the cell runs again.
func NewLive() *Live { return &Live{id: gonbui.UniqueID()} }

// Plots replaces the picture by plots side by side, each of that size.
func (l *Live) Plots(width, height vg.Length, plots ...*plot.Plot) {
	send(l.id, svg(width, height, plots))
}

// send displays a picture under the MIME type of SVG. gonbui.DisplaySVG would wrap it in HTML, which viewers of committed
// notebooks do not show.
func send(id, picture string) {
	if gonbui.IsNotebook {
		gonbui.SendData(&protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMEImageSVG: picture}, DisplayID: id})
	}
}

func svg(width, height vg.Length, plots []*plot.Plot) string {
	canvas := vgsvg.New(vg.Length(len(plots))*width, height)
	tiles := draw.Tiles{Rows: 1, Cols: len(plots), PadX: vg.Points(12)}
	for i, row := range plot.Align([][]*plot.Plot{plots}, tiles, draw.New(canvas))[0] {
		plots[i].Draw(row)
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		panic(fmt.Sprintf("show: %v", err))
	}
	return b.String()
}
