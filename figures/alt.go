package figures

import (
	"fmt"
	"math"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// Alt says in words what a chart shows.
func Alt(c Chart) string { return alt(c.Plot().Title.Text, c) }

func alt(title string, c Chart) string {
	if texts, ok := c.(interface{ alt() string }); ok {
		return strings.TrimPrefix(texts.alt(), ": ") // without a title
	}
	p := c.Plot()
	visible := (p.Y.Max - p.Y.Min) / 1e4 // less than that is 0
	if curves, ok := c.(CurveChart); ok && curves.Log {
		visible = 0
	}
	var lines []string
	for _, e := range c.Legend() {
		switch key := e.Key.(type) {
		case stroke:
			var middle []float64
			for i := range key.X {
				y := key.Middle(i)
				if math.Abs(y) < visible {
					y = 0
				}
				middle = append(middle, y)
			}
			lines = append(lines, AltLine(e.Label, middle))
		case thinLine:
			var y []float64
			for _, at := range key.XYs {
				y = append(y, at.Y)
			}
			lines = append(lines, AltLine(e.Label, y))
		}
	}
	return AltChart(title, p.X.Label.Text, p.Y.Label.Text, lines)
}

// AltChart says what a chart of those axes and lines shows; see AltLine.
func AltChart(title, x, y string, lines []string) string {
	text := title
	if x != "" || y != "" {
		text = fmt.Sprintf("%s by %s", y, x)
	}
	if text != title && title != "" {
		text = title + ": " + text
	}
	if len(lines) > 0 {
		text += ". " + strings.Join(lines, "; ")
	}
	return text + "."
}

// AltLine says where a line begins and ends, and where on its way it is highest or lowest, if that is elsewhere.
func AltLine(label string, y []float64) string {
	var known []float64
	for _, v := range y {
		if record.Finite(v) {
			known = append(known, v)
		}
	}
	if len(known) == 0 {
		return label + ", no points"
	}
	first, last := known[0], known[len(known)-1]
	low, high := min(first, last), max(first, last)
	if first == last {
		label += " " + record.Number(first)
	} else {
		label += fmt.Sprintf(" from %s to %s", record.Number(first), record.Number(last))
	}
	lowest, highest := low, high
	for _, v := range known {
		lowest, highest = min(lowest, v), max(highest, v)
	}
	if apart := 0.1 * (highest - lowest); lowest < low-apart {
		label += ", lowest " + record.Number(lowest)
	} else if highest > high+apart {
		label += ", highest " + record.Number(highest)
	}
	return label
}
