package figures

import (
	"cmp"
	"math"
	"slices"

	"github.com/warptime/warptime/replication/claim"
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

// TimesToLearn shows after how many updates networks have learned, against the swept value: when their training losses
// are for the first time at most the panel's Target. A trial without a swept value is compared with all.
type TimesToLearn struct{ After }

func (TimesToLearn) Chart(p Panel) Chart {
	c := Chart{Points: true, Averaged: true}
	reaching := claim.Reaching{Name: record.Train, As: claim.OfMemoryless, Level: claim.Threshold{Value: p.Target}}
	for _, r := range p.Records {
		c.Waited = max(c.Waited, float64(r.Updates))
	}
	c.Lines = p.Lines(func(updates *Line, r *record.Record, trial int) {
		at, value := p.swept(), math.Inf(1)
		if x := r.Trials[trial].X; x != nil {
			at = []float64{*x}
		}
		if len(r.Series(record.Train)) > 0 { // else there are no points yet
			value = reaching.In(claim.Trial{Record: r, Place: trial}).High()
		}
		for _, x := range at {
			updates.Add(x, value)
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
