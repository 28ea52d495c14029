package figures

import (
	"cmp"
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// A View makes a chart of a panel that was run; of records that are not finished, of what there is. It shows the
// trials of which the panel has no longer run.
type View interface {
	Chart(Panel) Chart // without a title; its axes are the panel's where it names none
	Heading() string   // after the panel's title, where a figure has several views
}

// chart is what a view makes of the panel, under a title.
func (p Panel) chart(v View, title string) Chart {
	c := v.Chart(p)
	c.Title, c.X, c.Y = title, cmp.Or(c.X, p.X), cmp.Or(c.Y, p.Y)
	return c
}

// After is a view's heading: ", long tests"; empty where a figure has one view.
type After string

func (a After) Heading() string { return string(a) }

// Finals shows how far a loss after training is from the best, in percent of what there is to gain over the best model
// without memory, against the swept value. So a failure looks alike in tasks whose losses differ.
type Finals struct {
	Of     record.Result
	Low    float64     // both axes are logarithmic, and the vertical one begins here; 0: linear ones
	High   float64     // the axis's end, unless a mean is above it; 0: as high as the points
	Levels []Reference // to compare with
	After
}

func (v Finals) Chart(p Panel) Chart {
	c := Chart{Log: v.Low > 0, Low: v.Low, High: v.High, Points: true, References: v.Levels}
	c.Lines = p.Finished().Lines(func(excess *Line, r *record.Record, trial int) {
		final, ok := r.End.Final[string(v.Of)]
		if t := r.Trials[trial]; ok && t.X != nil && t.Memoryless != nil && t.Best != nil {
			excess.Add(*t.X, 100*(final[trial]-*t.Best)/(*t.Memoryless-*t.Best))
		}
	})
	return c
}

// Lines has one for each arm with results: what add adds of its trials, in whatever records they are.
func (p Panel) Lines(add func(to *Line, r *record.Record, trial int)) (lines []Line) {
	for _, arm := range p.Arms {
		l := Line{Label: arm.Label, Style: p.Style(arm.Name)}
		for _, r := range p.Records {
			for _, trial := range p.shown(r, arm) {
				add(&l, r, trial)
			}
		}
		if len(l.X) > 0 {
			lines = append(lines, l)
		}
	}
	return lines
}

// Finished is the panel with its finished records only.
func (p Panel) Finished() Panel {
	p.Records = slices.DeleteFunc(slices.Clone(p.Records), func(r *record.Record) bool { return r.End == nil })
	return p
}

// Add adds a trial's value to those at x, of which there may be none yet.
func (l *Line) Add(x, value float64) {
	i, there := slices.BinarySearch(l.X, x)
	if !there {
		l.X, l.Trials = slices.Insert(l.X, i, x), slices.Insert(l.Trials, i, nil)
	}
	l.Trials[i] = append(l.Trials[i], value)
}
