// Package show draws in the notebooks: pictures below a cell, and pictures that a running cell replaces.
//
// Outside of a notebook its pictures go nowhere.
package show

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// SVG displays a picture below the cell. It takes an encoder's results; an error stops the cell.
func SVG(picture []byte, err error) { send("", picture, err) }

// Markdown displays a text below the cell.
func Markdown(text string) { display("", protocol.MIMETextMarkdown, text) }

// Charts displays charts side by side, each of that size, as one picture.
func Charts(width, height vg.Length, charts ...*Chart) { SVG(encode(width, height, charts)) }

// A Live is a place below the running cell whose picture can be replaced. The last one stays when the cell is done.
type Live struct{ id string }

// NewLive makes a new place.
func NewLive() *Live { return &Live{id: gonbui.UniqueID()} }

// SVG replaces the picture; see the function of this name.
func (l *Live) SVG(picture []byte, err error) { send(l.id, picture, err) }

// Charts replaces the picture by charts side by side, each of that size.
func (l *Live) Charts(width, height vg.Length, charts ...*Chart) {
	l.SVG(encode(width, height, charts))
}

// send displays a picture under the MIME type of SVG. gonbui.DisplaySVG would wrap it in HTML, which viewers of committed
// notebooks do not show.
func send(id string, picture []byte, err error) {
	if err != nil {
		panic(fmt.Sprintf("show: %v", err))
	}
	display(id, protocol.MIMEImageSVG, string(picture))
}

// display shows something in the place with that id, or in a new one if it is empty.
func display(id string, kind protocol.MIMEType, content string) {
	if gonbui.IsNotebook {
		gonbui.SendData(&protocol.DisplayData{Data: map[protocol.MIMEType]any{kind: content}, DisplayID: id})
		gonbui.Sync() // else what is sent just before the cell ends may be lost
	}
}

func encode(width, height vg.Length, charts []*Chart) ([]byte, error) {
	plots := make([]*plot.Plot, len(charts))
	for i, chart := range charts {
		plots[i] = chart.Plot
	}
	canvas := vgsvg.New(vg.Length(len(plots))*width, height)
	tiles := draw.Tiles{Rows: 1, Cols: len(plots), PadX: 14, PadTop: 4, PadBottom: 4, PadRight: 12}
	for i, tile := range plot.Align([][]*plot.Plot{plots}, tiles, draw.New(canvas))[0] {
		plots[i].Draw(tile)
	}
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	// For readers without the font, others of the same widths.
	return []byte(strings.ReplaceAll(b.String(), "Liberation Sans;", "Liberation Sans,Arimo,Arial,Helvetica,sans-serif;")), err
}
