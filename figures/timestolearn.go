package figures

import (
	"math"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// TimesToLearn shows after how many updates networks have learned, against the swept value: when their training losses
// are for the first time at most the panel's Target. At a value at which some trials trained for longer than others, it
// shows these alone.
type TimesToLearn struct{}

func (TimesToLearn) Chart(title string, p Panel) Chart {
	c := Chart{Title: title, X: p.X, Y: p.Y, Points: true}
	xs := p.swept()
	longest := map[float64]int{} // updates
	for _, r := range p.Records {
		c.Waited = max(c.Waited, float64(r.Updates))
		for _, t := range r.Trials {
			if t.X != nil {
				longest[*t.X] = max(longest[*t.X], r.Updates)
			}
		}
	}
	c.Lines = p.lines(func(updates results, r *record.Record, trial int) {
		at := xs // a trial without x is to be compared with all
		if x := r.Trials[trial].X; x != nil {
			at = []float64{*x}
		}
		for _, x := range at {
			if r.Updates == longest[x] {
				updates.add(x, updatesTo(r, trial, p.Target))
			}
		}
	})
	return c
}

// Averaged says that the times are read off curves of which a point is the mean over some updates.
func (TimesToLearn) Averaged() {}

// updatesTo is after how many updates a trial's loss was at most a share of the memoryless loss for the first time;
// infinitely many if it never was.
func updatesTo(r *record.Record, trial int, share float64) float64 {
	if len(r.Series(record.Train)) == 0 { // there are no points yet
		return math.Inf(1)
	}
	reaching := claim.Reaching{Name: record.Train, As: claim.OfMemoryless, Level: claim.Threshold{Value: share}}
	return reaching.In(claim.Trial{Record: r, Place: trial}).High()
}
