package contextual

import (
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// The axis is cut where every model has once solved its task, and not where one of any part never did.
func TestCutAxis(t *testing.T) {
	part := func(updates int, values ...float64) *record.Record {
		return made.Curves(record.Header{Updates: updates}, "one", experiment.ValidAccuracy, values)
	}
	early, late := part(1000, 1, 0.5, 1, 1, 1, 1, 1, 1, 1, 1), part(1000, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1)
	short := part(500, 0, 0, 0, 0, 0)
	one := experiment.Panel{Sizes: map[record.Scale]experiment.Size{"": {Runs: func([]uint64) []experiment.Run {
		return []experiment.Run{{Experiment: experiment.Experiment{Length: experiment.Length{Updates: 1}}}}
	}}}}
	for what, c := range map[string]struct {
		parts []*record.Record
		want  float64
	}{
		"once is enough":                 {[]*record.Record{early}, 100},
		"the slowest decides":            {[]*record.Record{early, late}, 400},
		"a short part that never did it": {[]*record.Record{early, short}, 1000},
	} {
		v := untilSolved{figures.Curves{Of: experiment.ValidAccuracy}}
		check.Equal(t, v.Chart(figures.Panel{Panel: one, Records: c.parts}).End, c.want, "%s: end of the axis", what)
	}
}
