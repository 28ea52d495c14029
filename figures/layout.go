package figures

import (
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/internal/printable"
)

const (
	margin     = vg.Length(9)
	leading    = 1.3 * labelSize // from one line of the caption to the next
	captionGap = vg.Length(8)
	tableGap   = vg.Length(7) // above the table
	columnGap  = vg.Length(16)
	legendLine = vg.Length(14)
	legendGap  = vg.Length(6)
	titleLine  = 1.9 * titleSize
	remarkLine = 1.2 * labelSize
)

func (p *Page) size() (w, h vg.Length) {
	_, remarks, legends := p.above()
	h = 2*margin + p.legendHeight() + vg.Length(len(p.rows))*(p.Layout.Height+remarks+legends) + p.captionHeight()
	return p.width, h
}

// above returns the heights of what is above each row of charts: titles, remarks, and a legend of its own.
func (p *Page) above() (titles, remarks, legends vg.Length) {
	for _, row := range p.rows {
		for _, t := range row {
			if t.Title != "" {
				titles = titleLine
			}
			if t.remark != "" {
				remarks = remarkLine
			}
		}
		if p.Layout.Legends {
			legends = max(legends, vg.Length(len(p.legendLines(p.legend(row))))*legendLine+legendGap)
		}
	}
	return titles, remarks, legends
}

func (p *Page) inner() vg.Length { return p.width - 2*margin }

func (p *Page) draw(c draw.Canvas) {
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	p.drawCaption(c)
	if !p.Layout.Legends {
		p.drawLegend(c, p.legend(p.rows...))
	}
	if len(p.rows) > 0 {
		p.drawRows(draw.Crop(c, 0, 0, p.captionHeight(), -p.legendHeight()))
	}
	if p.remark != "" {
		at := vg.Point{X: c.Center().X, Y: c.Max.Y - p.legendHeight() + legendLine + 3}
		c.FillText(under(sans(labelSize, grey)), at, p.remark)
	}
}

// drawRows draws the charts. Their titles are drawn here rather than by the plots: there, they would stand as high as
// each one's own tick labels let them.
func (p *Page) drawRows(c draw.Canvas) {
	plots := make([][]*plot.Plot, len(p.rows))
	for i, row := range p.rows {
		for _, t := range row {
			t.Title = ""
			plots[i] = append(plots[i], t.Plot())
		}
		for len(plots[i]) < len(plots[0]) {
			plots[i] = append(plots[i], Chart{Drawing: Schematic{}}.Plot())
		}
	}
	if p.Layout.Alike {
		shareAxes(plots)
	}
	p.labelOnce(plots)
	titles, remarks, legends := p.above()
	top := titles + remarks + legends
	tiles := draw.Tiles{Rows: len(p.rows), Cols: len(p.rows[0]), PadX: 14, PadY: 8 + top, PadTop: top, PadRight: 6}
	title, below := under(bold(sans(titleSize, black))), under(sans(labelSize, grey))
	for i, row := range plot.Align(plots, tiles, c) {
		var heads []vg.Point
		highest := c.Min.Y
		for j, t := range p.rows[i] {
			plots[i][j].Draw(row[j])
			data := plots[i][j].DataCanvas(row[j])
			if p.spots != nil {
				p.spots = append(p.spots, spotsOf(data, plots[i][j], t.Chart)...)
			}
			heads = append(heads, vg.Point{X: data.Center().X})
			highest = max(highest, data.Max.Y)
		}
		if p.Layout.Legends {
			at, entries := c, p.legend(p.rows[i])
			at.Max.Y = highest + titles + remarks + legendGap + vg.Length(len(p.legendLines(entries)))*legendLine
			p.drawLegend(at, entries)
		}
		for j, head := range heads {
			t := p.rows[i][j]
			head.Y = highest + titles + remarks
			c.FillText(title, head, t.Title)
			head.Y -= titles - 0.5*labelSize
			c.FillText(below, head, t.remark)
		}
	}
}

// labelOnce leaves the labels of axes at the left and at the bottom, where they are those of all axes in their row or
// column. Charts that stand below each other keep theirs: a phone shows one at a time.
func (p *Page) labelOnce(plots [][]*plot.Plot) {
	if len(plots[0]) == 1 || p.Layout.Legends {
		return
	}
	below, left := true, true
	for _, row := range plots {
		for j := range row {
			below = below && row[j].X.Label.Text == plots[0][j].X.Label.Text
			left = left && row[j].Y.Label.Text == row[0].Y.Label.Text
		}
	}
	for i, row := range plots {
		for j := range row {
			if below && i < len(plots)-1 {
				row[j].X.Label.Text = ""
			}
			if left && j > 0 {
				row[j].Y.Label.Text = ""
			}
		}
	}
}

// shareAxes gives vertical axes that show one quantity one range.
func shareAxes(plots [][]*plot.Plot) {
	all := slices.Concat(plots...)
	for _, p := range all {
		for _, other := range all {
			if other.Y.Label.Text == p.Y.Label.Text {
				p.Y.Min, p.Y.Max = min(p.Y.Min, other.Y.Min), max(p.Y.Max, other.Y.Max)
			}
		}
	}
}

// legend returns what the lines of charts in some rows are, each once.
func (p *Page) legend(rows ...[]tile) (all []Entry) {
	for _, t := range slices.Concat(rows...) {
		for _, e := range t.Legend() {
			if !slices.ContainsFunc(all, func(other Entry) bool { return other.Label == e.Label }) {
				all = append(all, e)
			}
		}
	}
	return all
}

const (
	keyWidth = vg.Length(30)
	keyGap   = vg.Length(4)
	keySpace = vg.Length(14)
)

func (e Entry) width() vg.Length { return keyWidth + keyGap + sans(labelSize, black).Width(e.Label) }

func legendWidth(line []Entry) vg.Length {
	width := -keySpace
	for _, e := range line {
		width += e.width() + keySpace
	}
	return width
}

// legendLines breaks a legend where the figure's width requires it.
func (p *Page) legendLines(entries []Entry) [][]Entry {
	return printable.Lines(entries, func(line []Entry) bool { return legendWidth(line) <= p.inner() })
}

// legendHeight is that of the legend above all rows, and of what is said of all charts.
func (p *Page) legendHeight() vg.Length {
	height := vg.Length(0)
	if n := len(p.legendLines(p.legend(p.rows...))); n > 0 && !p.Layout.Legends {
		height = vg.Length(n)*legendLine + legendGap
	}
	if p.remark != "" {
		height += legendLine + 3
	}
	return height
}

// drawLegend centres each line of a legend at the top.
func (p *Page) drawLegend(c draw.Canvas, entries []Entry) {
	style := sans(labelSize, black)
	style.YAlign = draw.YCenter
	for i, line := range p.legendLines(entries) {
		x, y := c.Center().X-legendWidth(line)/2, c.Max.Y-(vg.Length(i)+0.5)*legendLine
		for _, e := range line {
			c.StrokeLine2(e.line, x, y, x+keyWidth, y)
			if e.mark.Shape != nil {
				c.DrawGlyph(e.mark, vg.Point{X: x + keyWidth/2, Y: y})
			}
			c.FillText(style, vg.Point{X: x + keyWidth + keyGap, Y: y}, e.Label)
			x += e.width() + keySpace
		}
	}
}

// captionLines breaks the caption at spaces where the figure's width requires it, with room for a reader's slightly
// wider font.
func (p *Page) captionLines() [][]string {
	style := sans(labelSize, black)
	words := strings.FieldsFunc(p.Caption, func(r rune) bool { return r == ' ' }) // not at an nbsp
	return printable.Lines(words, func(line []string) bool {
		return style.Width(strings.Join(line, " ")) <= 0.97*p.inner()
	})
}

func (p *Page) captionHeight() vg.Length {
	height := vg.Length(0)
	if n := len(p.captionLines()); n > 0 {
		height += captionGap + vg.Length(n)*leading
	}
	if n := len(p.Table); n > 0 {
		height += tableGap + vg.Length(n)*leading + 3
	}
	return height
}

func (p *Page) drawCaption(c draw.Canvas) {
	style := sans(labelSize, black)
	style.YAlign = draw.YTop
	y := c.Min.Y + p.captionHeight() - captionGap
	for _, line := range p.captionLines() {
		c.FillText(style, vg.Point{X: c.Min.X, Y: y}, strings.Join(line, " "))
		y -= leading
	}
	if len(p.Table) == 0 {
		return
	}
	y -= tableGap
	x := c.Min.X
	head := style
	head.Color = grey
	for k, title := range p.Table[0] {
		c.FillText(head, vg.Point{X: x, Y: y}, title)
		width := style.Width(title)
		for i, row := range p.Table[1:] {
			c.FillText(style, vg.Point{X: x, Y: y - vg.Length(i+1)*leading - 3}, row[k])
			width = max(width, style.Width(row[k]))
		}
		x += width + columnGap
	}
	under := y - leading - 0.8
	c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.4}, c.Min.X, under, x-columnGap, under)
}

// Alt says in words what the figure shows, for those who cannot see it. It is in its SVG, too.
func (p *Page) Alt() string {
	var parts []string
	for _, t := range slices.Concat(p.rows...) {
		if t.remark != "" {
			t.Title += ", " + t.remark
		}
		parts = append(parts, Alt(t.Chart))
	}
	if len(parts) == 0 {
		return strings.TrimPrefix(p.Title+". Not run.", ". ")
	}
	head := p.Title
	if p.remark != "" {
		head = strings.TrimPrefix(head+", "+p.remark, ", ")
	}
	if head != "" && !strings.HasSuffix(head, "?") {
		head += "."
	}
	return strings.TrimSpace(head + " " + strings.Join(parts, " "))
}
