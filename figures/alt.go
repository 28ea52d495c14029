package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// Alt says in words what a chart shows: of each line where it begins and ends, and where it was not waited for.
func Alt(c Chart) string {
	if c.Drawing != nil {
		return strings.TrimPrefix(c.Title+": ", ": ") + c.Drawing.Alt()
	}
	a := c.axes()
	visible := (a.high - a.low) / 1e4 // less than that is 0
	if c.Log || c.Waited > 0 {
		visible = 0
	}
	var lines []string
	for _, l := range c.Lines {
		var values []float64
		var beyond []string
		for i := range l.X {
			y := c.middle(l, i)
			if c.Waited > 0 && math.IsInf(y, 1) {
				beyond = append(beyond, sweptLabel(l.X[i]))
			}
			if math.Abs(y) < visible {
				y = 0
			}
			values = append(values, y)
		}
		line := AltLine(l.Label, values)
		if len(beyond) == len(l.X) {
			line = l.Label
		}
		if len(beyond) > 0 {
			line += ", not in every trial at " + strings.Join(beyond, ", ")
		}
		lines = append(lines, line)
	}
	for _, r := range c.References {
		if r.Label != "" {
			lines = append(lines, AltLine(r.Label, r.Y))
		}
	}
	return AltChart(c.Title, c.X, c.Y, lines)
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
	lowest, highest := slices.Min(known), slices.Max(known)
	if apart := 0.1 * (highest - lowest); lowest < low-apart {
		label += ", lowest " + record.Number(lowest)
	} else if highest > high+apart {
		label += ", highest " + record.Number(highest)
	}
	return label
}
