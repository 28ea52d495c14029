package show

import (
	"fmt"
	"html"
	"strings"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/figures"
)

// A Frame is one position of a slider: what it says, and what it shows.
type Frame struct {
	Says  string
	Chart *Chart
}

// Slider displays a slider over charts, all of one size, beginning at the given one. All are in the page, so that it
// moves without a kernel: also in the book, and long after the cell has ended. (GoNB's own slider needs its cell to run
// for as long as it is to answer, and the cells below would wait.) Where no script runs, the first chart stays.
func Slider(label string, width, height vg.Length, begin int, frames []Frame) {
	const id = "warptime-slider" // a notebook has one
	var b strings.Builder
	fmt.Fprintf(&b, "<style>#%s svg { max-width: 100%%; height: auto }</style>\n", id)
	fmt.Fprintf(&b, "<div id=\"%s\" style=\"max-width: %.0fpx\">\n", id, width.Dots(96))
	fmt.Fprintf(&b, "<label>%s\n<input type=\"range\" min=\"0\" max=\"%d\" value=\"%d\" style=\"width: 100%%\">"+
		"</label>\n", html.EscapeString(label), len(frames)-1, begin)
	for i, f := range frames {
		hidden := ""
		if i != begin {
			hidden = " hidden"
		}
		on := func(canvas draw.Canvas) { drawRow([]*Chart{f.Chart}, canvas) }
		svg := string(Must(figures.SVG(width, height, f.Chart.alt(), on)))
		fmt.Fprintf(&b, "<div data-frame%s><p>%s</p>\n<div style=\"background: white\">%s</div></div>\n", hidden,
			html.EscapeString(f.Says), svg[strings.Index(svg, "<svg"):])
	}
	fmt.Fprintf(&b, `<script>(() => {
  const root = document.getElementById(%q), input = root.querySelector("input");
  input.oninput = () => root.querySelectorAll("[data-frame]").forEach((f, i) => { f.hidden = i != input.value; });
})();</script>
</div>
`, id)
	display(&protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: b.String()}})
}
