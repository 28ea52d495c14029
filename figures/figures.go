// Package figures draws the papers' figures from run records, with gonum/plot. It never trains, and takes every number
// in a figure or its caption from the records, and every name from the declarations.
//
// There are a few kinds of charts: [CurveChart], [SweepChart], [TimesChart], [TrajectoryChart], [SchematicChart],
// [TextChart]. They know nothing of records or papers. Two tables, in all.go and context.go, say which of them shows
// which figure. Of several records of a panel those of the largest scale are drawn.
package figures

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/warptime/warptime/replication/record"
)

// A Figure is charts in rows, a legend above them and a caption below.
type Figure struct {
	Paper   string // "warp"
	Name    string // "fig3"
	Caption string
	sources []string // the records that it is drawn from, and their checksums
	rows    [][]tile
	width   vg.Length
	height  vg.Length // of a row
}

// A tile is a chart's place in a figure.
type tile struct {
	title string
	chart Chart // nil if it was not run
}

// ID is the figure's identifier, "warp/fig3".
func (f *Figure) ID() string { return f.Paper + "/" + f.Name }

// All returns the figures that there are, in the papers' order. Records of others are passed over.
func All(records []*record.Record) []*Figure {
	var all []*Figure
	for _, d := range drawings {
		all = append(all, d.figure(records))
	}
	return all
}

// Draw returns one of the figures by its identifier, "warp/fig3". An error names those that there are.
func Draw(id string, records []*record.Record) (*Figure, error) {
	var ids []string
	for _, d := range drawings {
		if d.ID() == id {
			return d.figure(records), nil
		}
		ids = append(ids, d.ID())
	}
	return nil, fmt.Errorf("unknown figure %q: choose from %s", id, strings.Join(ids, ", "))
}

// CheckCurrent returns an error, of one line, unless the SVGs in dir, where Save puts them, are drawn from the records
// that All would now draw them from.
func CheckCurrent(dir string, records []*record.Record) error {
	for _, f := range All(records) {
		path := f.path(dir, ".svg")
		svg, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.HasSuffix(svg, []byte(f.provenance())) {
			return fmt.Errorf("%s is not drawn from the records that there are: run go run ./scripts/figures", path)
		}
	}
	return nil
}

// SVG returns the figure as SVG. A comment at its end names the records that it is drawn from, with their checksums.
func (f *Figure) SVG() ([]byte, error) {
	c := vgsvg.New(f.size())
	f.draw(draw.New(c))
	svg, err := encodeSVG(c, f.Alt())
	return append(svg, f.provenance()...), err
}

// provenance is an XML comment.
func (f *Figure) provenance() string {
	if len(f.sources) == 0 {
		return "<!-- drawn from no records -->\n"
	}
	return "<!-- drawn from records " + strings.Join(f.sources, ", ") + " -->\n"
}

// Dots per inch of a PNG: for a figure sharp in print at its width, and for a notebook twice what a browser shows.
const (
	printDPI    = 200
	notebookDPI = 2 * vgimg.DefaultDPI
)

// PNG returns the figure as PNG, 1400 pixels wide.
func (f *Figure) PNG() ([]byte, error) { return f.png(printDPI) }

func (f *Figure) png(dpi int) ([]byte, error) {
	w, h := f.size()
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))}
	f.draw(draw.New(c))
	return encode(c)
}

// Save writes the figure as dir/warp/fig3.svg and dir/warp/fig3.png, each whole or not at all. An error is one line.
func (f *Figure) Save(dir string) error {
	svg, err := f.SVG()
	if err != nil {
		return err
	}
	png, err := f.PNG()
	if err != nil {
		return err
	}
	if err := record.WriteFile(f.path(dir, ".svg"), svg); err != nil {
		return err
	}
	return record.WriteFile(f.path(dir, ".png"), png)
}

func (f *Figure) path(dir, extension string) string {
	return filepath.Join(dir, f.Paper, f.Name+extension)
}

func encode(c vg.CanvasWriterTo) ([]byte, error) {
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}
