package figures

import (
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	margin     = vg.Length(6)
	leading    = 1.3 * labelSize // from one line of the caption to the next
	captionGap = vg.Length(8)
	legendLine = vg.Length(14)
	legendGap  = vg.Length(6)
	titleLine  = 1.9 * titleSize
)

// size returns the figure's width and height.
func (p *Page) size() (w, h vg.Length) {
	h = 2*margin + p.legendHeight() + vg.Length(len(p.rows))*p.height + p.captionHeight()
	return p.width, h
}

func (p *Page) inner() vg.Length { return p.width - 2*margin }

func (p *Page) draw(c draw.Canvas) {
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	p.drawCaption(c)
	p.drawLegend(c)
	if len(p.rows) > 0 {
		p.drawRows(draw.Crop(c, 0, 0, p.captionHeight(), -p.legendHeight()))
	}
}

// drawRows draws the charts. Their titles are drawn here rather than by the plots: there, they would stand as high as
// each one's own tick labels let them.
func (p *Page) drawRows(c draw.Canvas) {
	plots := make([][]*plot.Plot, len(p.rows))
	top := vg.Length(0)
	for i, row := range p.rows {
		for _, t := range row {
			plots[i] = append(plots[i], t.plot())
			if t.title != "" {
				top = titleLine
			}
		}
	}
	tiles := draw.Tiles{
		Rows: len(p.rows), Cols: len(p.rows[0]), PadX: 14, PadY: 8 + top, PadTop: top, PadRight: 6,
	}
	title, below := bold(sans(titleSize, black)), sans(labelSize, grey)
	title.XAlign, title.YAlign = draw.XCenter, draw.YTop
	below.XAlign, below.YAlign = draw.XCenter, draw.YTop
	for i, row := range plot.Align(plots, tiles, c) {
		var heads []vg.Point
		highest := c.Min.Y
		for j, at := range row {
			plots[i][j].Draw(at)
			data := plots[i][j].DataCanvas(at)
			heads = append(heads, vg.Point{X: data.Center().X})
			highest = max(highest, data.Max.Y)
		}
		for j, head := range heads {
			head.Y = highest + top
			c.FillText(title, head, p.rows[i][j].title)
			if p.rows[i][j].chart == nil {
				c.FillText(below, vg.Point{X: head.X, Y: highest}, "not run")
			}
		}
	}
}

// plot is the tile's chart without its title, or nothing.
func (t tile) plot() *plot.Plot {
	if t.chart != nil {
		p := t.chart.Plot()
		p.Title.Text = ""
		return p
	}
	p := newPlot("", "", "")
	p.HideAxes()
	p.X.Max, p.Y.Max = 1, 1
	return p
}

// legend returns what the charts' lines are, each once.
func (p *Page) legend() []Entry {
	var all []Entry
	for _, row := range p.rows {
		for _, t := range row {
			if t.chart == nil {
				continue
			}
			for _, e := range t.chart.Legend() {
				if !slices.ContainsFunc(all, func(other Entry) bool { return other.Label == e.Label }) {
					all = append(all, e)
				}
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

// legendLines breaks the legend where the figure's width requires it.
func (p *Page) legendLines() [][]Entry {
	var lines [][]Entry
	left := vg.Length(0)
	for _, e := range p.legend() {
		if left -= e.width() + keySpace; left < 0 {
			lines = append(lines, nil)
			left = p.inner() - e.width()
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], e)
	}
	return lines
}

func (p *Page) legendHeight() vg.Length {
	if n := len(p.legendLines()); n > 0 {
		return vg.Length(n)*legendLine + legendGap
	}
	return 0
}

// drawLegend centres each line of the legend at the top.
func (p *Page) drawLegend(c draw.Canvas) {
	style := sans(labelSize, black)
	style.YAlign = draw.YCenter
	for i, line := range p.legendLines() {
		width := -keySpace
		for _, e := range line {
			width += e.width() + keySpace
		}
		x, y := c.Center().X-width/2, c.Max.Y-(vg.Length(i)+0.5)*legendLine
		for _, e := range line {
			e.Key.Thumbnail(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y - 4}, Max: vg.Point{X: x + keyWidth, Y: y + 4},
			}})
			c.FillText(style, vg.Point{X: x + keyWidth + keyGap, Y: y}, e.Label)
			x += e.width() + keySpace
		}
	}
}

// captionLines breaks the caption at spaces where the figure's width requires it, with room for a reader's slightly
// wider font.
func (p *Page) captionLines() []string {
	style := sans(labelSize, black)
	var lines []string
	line := ""
	for word := range strings.SplitSeq(p.Caption, " ") {
		if longer := line + " " + word; line != "" && style.Width(longer) > 0.97*p.inner() {
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

func (p *Page) captionHeight() vg.Length {
	if n := len(p.captionLines()); n > 0 {
		return captionGap + vg.Length(n)*leading
	}
	return 0
}

func (p *Page) drawCaption(c draw.Canvas) {
	style := sans(labelSize, black)
	style.YAlign = draw.YTop
	lines := p.captionLines()
	for i, line := range lines {
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Min.Y + leading*vg.Length(len(lines)-i)}, line)
	}
}

// Alt says in words what the figure shows, for those who cannot see it. It is in its SVG, too.
func (p *Page) Alt() string {
	var parts []string
	for _, row := range p.rows {
		for _, t := range row {
			if t.chart == nil {
				parts = append(parts, t.title+": not run.")
				continue
			}
			parts = append(parts, alt(t.title, t.chart))
		}
	}
	if len(parts) == 0 {
		return "Not run."
	}
	if strings.HasPrefix(parts[0], "(") { // the letters may go down the columns
		slices.Sort(parts)
	}
	return strings.Join(parts, " ")
}
