package figures

import (
	"math"
	"slices"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// TimesToLearn shows after how many updates networks have learned, against the swept value: when their training losses
// are for the first time at most the panel's Target. At a value at which some trials trained for longer than others, it
// shows these alone.
type TimesToLearn struct{ After }

func (TimesToLearn) Chart(title string, p Panel) Chart {
	c := Chart{Title: title, X: p.X, Y: p.Y, Points: true, Averaged: true}
	for _, r := range p.Records {
		c.Waited = max(c.Waited, float64(r.Updates))
	}
	c.Lines = p.lines(func(updates *Line, r *record.Record, trial int) {
		for _, x := range p.shownAt(r, trial) {
			updates.add(x, updatesTo(r, trial, p.Target))
		}
	})
	return c
}

// Shows tells whether a trial is shown at some value.
func (TimesToLearn) Shows(p Panel, r *record.Record, trial int) bool {
	return len(p.shownAt(r, trial)) > 0
}

// shownAt are the values at which no trial trained for longer than this one, which is compared with all if it has none.
func (p Panel) shownAt(r *record.Record, trial int) (xs []float64) {
	for _, x := range p.swept() {
		longest := 0
		for _, other := range p.Records {
			if slices.ContainsFunc(other.Trials, func(t record.Trial) bool { return t.X != nil && *t.X == x }) {
				longest = max(longest, other.Updates)
			}
		}
		if own := r.Trials[trial].X; r.Updates == longest && (own == nil || *own == x) {
			xs = append(xs, x)
		}
	}
	return xs
}

// updatesTo is after how many updates a trial's loss was at most a share of the memoryless loss for the first time;
// infinitely many if it never was.
func updatesTo(r *record.Record, trial int, share float64) float64 {
	if len(r.Series(record.Train)) == 0 { // there are no points yet
		return math.Inf(1)
	}
	reaching := claim.Reaching{Name: record.Train, As: claim.OfMemoryless, Level: claim.Threshold{Value: share}}
	return reaching.In(claim.Trial{Record: r, Place: trial}).High()
}
