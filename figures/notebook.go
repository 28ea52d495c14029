package figures

import "gonum.org/v1/plot/vg/vgimg"

// PanelSVG returns a chart, with its legend, as SVG of a size for a notebook.
func PanelSVG(c Chart) ([]byte, error) {
	p := single(c)
	w, h := p.size()
	return SVG(w, h, Alt(c), p.draw)
}

// PanelHover returns what PanelSVG does, with values as in [Page.Inline].
func PanelHover(c Chart) ([]byte, error) { return single(c).Hover() }

// PanelPNG returns what PanelSVG does as PNG of twice as many pixels as a notebook should show it with, so that it is
// sharp: its display width is half its own.
func PanelPNG(c Chart) ([]byte, error) {
	p := single(c)
	w, h := p.size()
	return PNG(w, h, 2*vgimg.DefaultDPI, p.draw)
}

func single(c Chart) *Page {
	one := Figure{Layout: Layout{Height: notebookHeight}}
	return &Page{Figure: one, rows: [][]tile{{{title: c.Title, chart: &c}}}, width: notebookWidth}
}
