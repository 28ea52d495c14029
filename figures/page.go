// Package figures is a kit to draw figures of papers from run records, with gonum/plot. It knows no paper, and trains
// nothing: every number in a figure or its caption comes from records, and every name from a declaration.
//
// A [Chart] is numbers and how they are shown, or a [Drawing]: a [Schematic], [Texts]. A [View] makes a chart of a
// panel's records: [Curves], [TimesToLearn], or what a paper adds where a figure is special. A [Figure] is a
// declaration of panels, views, a caption and claims; drawn from records it is a [Page], which can be saved. The
// committed pictures lie in this directory.
package figures

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/replication/record"
)

// A Page is a figure that was drawn: charts in rows, a legend above them and a caption below.
type Page struct {
	Figure           // its caption is the whole one
	Table   table    // under which conditions the records were made: a head, and rows; nil without records
	sources []string // the records that it is drawn from, and their checksums
	rows    [][]tile
	remark  string // of all charts
	width   vg.Length
	spots   []spot // that drawing adds to; nil: it does not
}

// Single is a chart by itself, with its legend, of a size for a notebook.
func Single(c Chart) *Page {
	one := Figure{Layout: Layout{Height: notebookHeight}}
	return &Page{Figure: one, rows: [][]tile{{{Chart: c}}}, width: notebookWidth}
}

// A tile is a chart in a row.
type tile struct {
	Chart
	remark string // below the title
}

func (t tile) run() bool { return t.Drawing != notRun{} }

// notRun stands in place of the chart of a panel that was not run.
type notRun struct{}

func (notRun) Plot(c draw.Canvas, _ *plot.Plot) {
	c.FillText(under(sans(labelSize, grey)), vg.Point{X: c.Center().X, Y: c.Max.Y}, "not run")
}

func (notRun) Alt() string { return "not run." }

// SVG returns the figure as SVG. A comment at its end names the records that it is drawn from, with their checksums.
// For pages that set the caption as text, its metadata hold it as Markdown, and the attribute data-picture-height is
// where the picture ends and the caption begins: a viewport of that height shows the picture alone. A single chart has
// none of these.
func (p *Page) SVG() ([]byte, error) {
	w, h := p.size()
	svg, err := SVG(w, h, p.Alt(), p.draw)
	if p.Caption == "" {
		return svg, err
	}
	picture := fmt.Sprintf(`<svg data-picture-height="%.2f" `, float64(h-margin-p.captionHeight()+captionGap/2))
	svg = bytes.Replace(svg, []byte("<svg "), []byte(picture), 1)
	caption := "<metadata>" + html.EscapeString(p.Markdown()) + "</metadata>\n</svg>"
	svg = bytes.Replace(svg, []byte("</svg>"), []byte(caption), 1)
	from := "no records"
	if len(p.sources) > 0 {
		from = "records " + strings.Join(p.sources, ", ")
	}
	return fmt.Appendf(svg, "<!-- drawn from %s -->\n", from), err
}

// Markdown is the caption, with the table of conditions.
func (p *Page) Markdown() string {
	text := p.Caption
	for i, row := range p.Table {
		line := "\n| " + strings.Join(row, " | ") + " |"
		if i == 0 { // the head
			line = "\n" + line + "\n|" + strings.Repeat(":--|", len(row))
		}
		text += line
	}
	return text + "\n"
}

// PNG returns the figure as PNG; see DPI.
func (p *Page) PNG() ([]byte, error) {
	w, h := p.size()
	return PNG(w, h, p.draw)
}

// Save writes the figure as dir/warp/fig3.svg and dir/warp/fig3.png, each whole or not at all. An error is one line.
func (p *Page) Save(dir string) error {
	path := filepath.Join(dir, p.Paper, p.Name)
	svg, err := p.SVG()
	if err != nil {
		return err
	}
	png, err := p.PNG()
	if err != nil {
		return err
	}
	return cmp.Or(record.WriteFile(path+".svg", svg), record.WriteFile(path+".png", png))
}
