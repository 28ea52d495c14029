// Package figures draws the papers' figures from run records, with gonum/plot. It never trains, and takes every number in a
// figure or its caption from the records.
//
// The mean over trials is a line, the range from minimum to maximum a band, as in the papers. Where no complete record is there, the panel says "not run". Of
// several records of a panel, the one of the largest scale is drawn.
package figures

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/warptime/warptime/replication"
)

// A Figure is panels in rows, a legend above them and a caption below.
type Figure struct {
	Name    string // the name of its files: "fig3"
	Caption string
	sources []string // the records that it is drawn from, and their checksums
	rows    [][]*plot.Plot
	legend  []entry
	height  vg.Length // of a row
}

type entry struct {
	label string
	thumb plot.Thumbnailer
}

// All returns the figures there are, in the paper's order. Records of others are passed over.
func All(records []*replication.Record) []*Figure {
	return []*Figure{Fig1(records), Fig2(), Fig3(records), Fig4(records), Fig5(records)}
}

// Dots per inch of a PNG: sharp in print at the figure's width, and about 1400 pixels wide.
const pngDPI = 200

// SVG returns the figure as SVG. A comment in it names the records that it is drawn from, with their checksums.
func (f *Figure) SVG() ([]byte, error) {
	c := vgsvg.New(f.size())
	f.draw(draw.New(c))
	svg, err := encodeSVG(c)
	return append(svg, f.provenance()...), err
}

// provenance is an XML comment.
func (f *Figure) provenance() string {
	if len(f.sources) == 0 {
		return "<!-- drawn from no records -->\n"
	}
	return "<!-- drawn from records " + strings.Join(f.sources, ", ") + " -->\n"
}

// drawn notes what the figure is drawn from.
func (f *Figure) drawn(panels []panelRecords) {
	for _, p := range panels {
		for _, r := range p.records {
			f.sources = append(f.sources, filepath.ToSlash(replication.RecordPath("", r.Header))+" "+r.End.SHA256)
		}
	}
}

// CheckCurrent returns an error, of one line, unless the SVGs in dir are drawn from the records that All would now draw them from.
func CheckCurrent(dir string, records []*replication.Record) error {
	for _, f := range All(records) {
		path := filepath.Join(dir, f.Name+".svg")
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

// PNG returns the figure as PNG.
func (f *Figure) PNG() ([]byte, error) { return f.png(pngDPI) }

func (f *Figure) png(dpi int) ([]byte, error) {
	w, h := f.size()
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))}
	f.draw(draw.New(c))
	return encode(c)
}

// Save writes the figure as dir/Name.svg and dir/Name.png, each whole or not at all. An error is one line.
func (f *Figure) Save(dir string) error {
	for extension, render := range map[string]func() ([]byte, error){".svg": f.SVG, ".png": f.PNG} {
		data, err := render()
		if err == nil {
			err = replication.WriteFile(filepath.Join(dir, f.Name+extension), data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// PanelSVG returns one panel as SVG of a size for a notebook.
func PanelSVG(p *plot.Plot) ([]byte, error) {
	c := vgsvg.New(4.8*vg.Inch, 2.8*vg.Inch)
	p.Draw(draw.Crop(draw.New(c), 4, -8, 4, -4))
	return encodeSVG(c)
}

func encode(c vg.CanvasWriterTo) ([]byte, error) {
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}

const (
	margin       = vg.Length(6)
	legendHeight = vg.Length(18)
	captionGap   = vg.Length(8)
	leading      = 1.3 * captionSize
	titleHeight  = 1.9 * titleSize
)

func (f *Figure) size() (w, h vg.Length) {
	h = 2*margin + vg.Length(len(f.rows))*f.height
	if len(f.legend) > 0 {
		h += legendHeight
	}
	if lines := f.captionLines(); len(lines) > 0 {
		h += captionGap + vg.Length(len(lines))*leading
	}
	return figureWidth, h
}

func (f *Figure) draw(c draw.Canvas) {
	c.SetColor(plot.New().BackgroundColor)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)

	lines := f.captionLines()
	style := sans(captionSize, black)
	style.YAlign = draw.YTop
	for i, line := range lines {
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Min.Y + leading*vg.Length(len(lines)-i)}, line)
	}
	if len(lines) > 0 {
		c.Min.Y += captionGap + vg.Length(len(lines))*leading
	}
	if len(f.legend) > 0 {
		f.drawLegend(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: c.Max.Y - legendHeight}, Max: c.Max}})
		c.Max.Y -= legendHeight
	}
	// The titles are drawn here rather than by the plots: there, they would stand as high as each one's own tick labels let them.
	untitled := make([][]*plot.Plot, len(f.rows))
	top := vg.Length(0)
	for i, row := range f.rows {
		for _, p := range row {
			q := *p
			q.Title.Text = ""
			untitled[i] = append(untitled[i], &q)
			if p.Title.Text != "" {
				top = titleHeight
			}
		}
	}
	tiles := draw.Tiles{Rows: len(f.rows), Cols: len(f.rows[0]), PadX: 14, PadY: 8 + top, PadTop: top, PadRight: 6}
	canvases := plot.Align(untitled, tiles, c)
	for i, row := range f.rows {
		for j, p := range row {
			untitled[i][j].Draw(canvases[i][j])
			data := untitled[i][j].DataCanvas(canvases[i][j])
			c.FillText(p.Title.TextStyle, vg.Point{X: data.Center().X, Y: data.Max.Y + titleHeight}, p.Title.Text)
		}
	}
}

// drawLegend centres the legend's entries in one row.
func (f *Figure) drawLegend(c draw.Canvas) {
	const thumb, gap, space = vg.Length(22), vg.Length(4), vg.Length(18)
	style := sans(labelSize, black)
	style.YAlign = draw.YCenter
	width := -space
	for _, e := range f.legend {
		width += thumb + gap + style.Width(e.label) + space
	}
	x, y := c.Center().X-width/2, c.Max.Y-legendHeight/3
	for _, e := range f.legend {
		e.thumb.Thumbnail(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: y - 4}, Max: vg.Point{X: x + thumb, Y: y + 4}}})
		x += thumb + gap
		c.FillText(style, vg.Point{X: x, Y: y}, e.label)
		x += style.Width(e.label) + space
	}
}

// captionLines breaks the caption at spaces where the figure's width requires it, with room for a reader's slightly wider font.
func (f *Figure) captionLines() []string {
	style := sans(captionSize, black)
	var lines []string
	line := ""
	for _, word := range strings.Split(f.Caption, " ") {
		if longer := line + " " + word; line != "" && style.Width(longer) > 0.97*(figureWidth-2*margin) {
			lines = append(lines, line)
			line = word
		} else {
			line = strings.TrimPrefix(longer, " ")
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
