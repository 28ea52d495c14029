package figures

import (
	"math"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// TimesToLearn shows after how many updates networks have learned, against the swept value: when their training losses
// are for the first time at most the panel's Target. A trial without a swept value is compared with all.
type TimesToLearn struct{ After }

func (TimesToLearn) Chart(p Panel) Chart {
	c := Chart{Points: true, Averaged: true}
	for _, r := range p.Records {
		c.Waited = max(c.Waited, float64(r.Updates))
	}
	c.Lines = p.Lines(func(updates *Line, r *record.Record, trial int) {
		at := p.swept()
		if x := r.Trials[trial].X; x != nil {
			at = []float64{*x}
		}
		for _, x := range at {
			updates.Add(x, updatesTo(r, trial, p.Target))
		}
	})
	return c
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
