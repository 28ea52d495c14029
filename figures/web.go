package figures

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/replication/record"
)

// CSV returns the points of all lines that the figure shows: a row for each, with its panel, its line, x, the value
// that is drawn (the mean of points; of curves the median of the trials), the least and the largest of them, and how
// many they are. It is empty if no chart has lines.
func (p *Page) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for _, t := range slices.Concat(p.rows...) {
		for _, l := range t.Lines {
			if b.Len() == 0 {
				w.Write([]string{"panel", "line", "x is", "y is", "x", "value", "min", "max", "trials"})
			}
			for i, x := range l.X {
				y := l.spread(i)
				w.Write([]string{t.Title, l.Label, t.X, t.Y, number(x), number(t.middle(l, i)), number(y.Min),
					number(y.Max), strconv.Itoa(y.N)})
			}
			w.Flush()
		}
	}
	return b.Bytes(), w.Error()
}

// Inline returns the figure without its caption, as SVG to stand within HTML or alone. A browser shows the values of
// the point that the pointer is at.
func (p *Page) Inline() ([]byte, error) {
	page := *p
	page.Caption, page.Table = "", nil
	page.spots = []spot{} // so that they are kept
	w, h := page.size()
	svg, err := SVG(w, h, page.Alt(), page.draw)
	_, svg, _ = bytes.Cut(svg, []byte("-->\n")) // the head of an XML document
	var b bytes.Buffer
	b.Write(bytes.TrimSuffix(bytes.TrimSpace(svg), []byte("</svg>")))
	b.WriteString(`<g fill="transparent">`)
	for _, s := range page.spots {
		fmt.Fprintf(&b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%s</title></circle>\n", s.at.X, h-s.at.Y,
			html.EscapeString(s.says))
	}
	b.WriteString("</g></svg>\n")
	return b.Bytes(), err
}

// Narrow returns the figure as Inline does, for a phone: its charts stand below each other. It returns nil if one of
// them is a drawing.
func (p *Page) Narrow() ([]byte, error) {
	page := *p
	page.width, page.rows = narrowWidth, nil
	for _, t := range slices.Concat(p.rows...) {
		if t.run() && t.Drawing != nil {
			return nil, nil
		}
		page.rows = append(page.rows, []tile{t})
	}
	return page.Inline()
}

// A spot is a place on a canvas, and what a reader is told who points at it.
type spot struct {
	at   vg.Point
	says string
}

// spotsOf are the points of a chart's lines, on the canvas of its data.
func spotsOf(c draw.Canvas, p *plot.Plot, chart Chart) (spots []spot) {
	trX, trY := p.Transforms(&c)
	a := chart.axes()
	for k, l := range chart.Lines {
		for i, x := range l.X {
			y, value := l.spread(i), chart.middle(l, i)
			at := vg.Point{X: trX(a.x(x) + a.shift(k, p)), Y: trY(a.y(value))}
			if !record.Finite(value) || !c.Contains(at) {
				continue
			}
			says := fmt.Sprintf("%s: %s", l.Label, record.Number(value))
			if y.N > 1 {
				says += fmt.Sprintf(" [%s, %s]", record.Number(y.Min), record.Number(y.Max))
			}
			spots = append(spots, spot{at, fmt.Sprintf("%s; %s: %s", says, chart.X, record.Number(x))})
		}
	}
	return spots
}
