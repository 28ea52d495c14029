package figures

import (
	"fmt"
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// series draws what is measured in the course of training, over epochs.
type series struct {
	name      string                  // in the record
	y         string                  // the vertical axis, in place of the panel's; empty: the panel's
	percent   bool                    // it is a share
	convert   func(v float64) float64 // what is shown of a value; nil: the value
	log       bool                    // the vertical axis is logarithmic
	low, high float64                 // its ends; both 0: linear from 0, and as high as the points

	// levels are what a panel's lines are to be compared with; nil: only the memoryless loss, called memoryless.
	levels     func(p panel) []level
	memoryless string

	// solved cuts the horizontal axis at twice the update until which every model was once at or above this; 0: it is
	// not cut.
	solved float64
	by     string // the series of which solved is a value
}

// A level is a number that lines are to be compared with.
type level struct {
	label string
	value float64
}

func (s series) chart(title string, p panel) Chart {
	c := CurveChart{Title: title, X: p.X, Y: p.Y, Log: s.log, Low: s.low, High: s.high}
	if s.y != "" {
		c.Y = s.y
	}
	unit := 1.
	if s.percent {
		unit = 100
	}
	epoch := float64(epochOf(p))
	for _, arm := range p.Arms {
		for _, r := range p.records {
			trials := r.Arm(arm.Name)
			points := r.Series(s.name)
			if len(trials) == 0 || len(points) == 0 {
				continue
			}
			l := Line{Label: arm.Label, Style: p.style(arm.Name)}
			for _, point := range points {
				values := make([]float64, len(trials))
				for k, trial := range trials {
					values[k] = unit * point.Values[trial]
					if s.convert != nil {
						values[k] = s.convert(values[k])
					}
				}
				l.X, l.Y = append(l.X, float64(point.Update)/epoch), append(l.Y, record.SpreadOf(values))
			}
			c.Lines = append(c.Lines, l)
			c.End = max(c.End, s.end(p)/epoch)
		}
	}
	for _, l := range s.compared(p) {
		c.References = append(c.References, Reference{l.label, []float64{0, c.End}, []float64{l.value, l.value}})
	}
	return c
}

// compared are the levels of a panel that was run.
func (s series) compared(p panel) []level {
	if s.levels != nil {
		return s.levels(p)
	}
	if loss, ok := memoryless(p.records); ok && s.memoryless != "" {
		return []level{{s.memoryless, loss}}
	}
	return nil
}

// epochOf is how many updates an epoch of a panel's experiments has, at the scale of its records.
func epochOf(p panel) int {
	return p.Sizes[p.records[0].Scale].Runs([]uint64{0})[0].Length.Updates
}

// end is the update at which the horizontal axis ends.
func (s series) end(p panel) float64 {
	end, last := 0, 0
	for _, r := range p.records {
		last = max(last, r.Updates)
		for trial := range r.Trials {
			points := r.Series(s.by)
			at := slices.IndexFunc(points, func(point record.Point) bool { return point.Values[trial] >= s.solved })
			if at < 0 {
				end = max(end, r.Updates)
			} else {
				end = max(end, 2*points[at].Update)
			}
		}
	}
	if s.solved == 0 || end > last {
		return float64(last)
	}
	return float64(end)
}

func (s series) facts(r *record.Record) []string { return nil }

// cut says in a caption that the horizontal axis does not show all.
func (s series) cut(p panel) string {
	all, end := 0, s.end(p)
	for _, r := range p.records {
		all = max(all, r.Updates)
	}
	if float64(all) == end {
		return ""
	}
	return fmt.Sprintf("the axis ends at twice the time that it took until every model once had %g%s%%, and %s were "+
		"trained", 100*s.solved, nbsp, count(all/epochOf(p), "epoch"))
}
