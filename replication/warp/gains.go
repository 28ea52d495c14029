package warp

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/record"
)

// gains shows by how much chrono initialization differs from standard initialization, trial by trial.
type gains struct {
	of     figures.View
	y      string  // the vertical axis; empty: a difference in what the panel shows
	within float64 // the vertical axis ends at this difference, up and down; 0: a frame for what comes after the start
}

func (gains) Heading() string { return ", chrono − standard" }

func (g gains) Chart(p figures.Panel) figures.Chart {
	both := g.of.Chart(p)
	c := figures.Chart{Y: cmp.Or(g.y, "difference in "+p.Y), End: both.End, Low: -g.within, High: g.within}
	lines := map[int]figures.Line{} // by style; of an arm that was not run, without points
	for _, l := range both.Lines {
		lines[l.Style] = l
	}
	standard, chrono := lines[p.Style(standardArm)], lines[p.Style(chronoArm)]
	line := figures.Line{Label: "chrono − standard", Style: len(ptbPanel.Arms)} // no arm's
	for i, x := range chrono.X {
		at := slices.Index(standard.X, x)
		if at < 0 || len(standard.Trials[at]) != len(chrono.Trials[i]) {
			continue // not measured of both
		}
		difference := floats.SubTo(make([]float64, len(chrono.Trials[i])), chrono.Trials[i], standard.Trials[at])
		line.X, line.Trials = append(line.X, x), append(line.Trials, difference)
	}
	c.Lines = []figures.Line{line}
	c.References = []figures.Reference{figures.Level("", 0)}
	if g.within > 0 {
		return c
	}
	for _, trials := range line.Trials[len(line.X)/5:] {
		for _, v := range trials {
			if record.Finite(v) { // not of a trial that has diverged
				c.Low, c.High = min(c.Low, 1.1*v), max(c.High, 1.1*v)
			}
		}
	}
	c.High = max(c.High, -c.Low/5)
	return c
}
