package figures

import (
	"math"
	"testing"

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
	for what, c := range map[string]struct {
		parts []*record.Record
		want  int
	}{
		"once is enough":                 {[]*record.Record{early}, 100},
		"the slowest decides":            {[]*record.Record{early, late}, 400},
		"a short part that never did it": {[]*record.Record{early, short}, 1000},
	} {
		end, _ := OverEpochs{Solved: 1}.end(Panel{Records: c.parts})
		check.Equal(t, end, c.want, "%s: end of the axis", what)
	}
}

// Each thin line is one trial, where a run ends before another, too; the median goes as far as all of them.
func TestOverEpochsOfRunsOfSeveralLengths(t *testing.T) {
	run := func(number int, values ...float64) *record.Record {
		r := made.Curves(record.Header{Updates: len(values)}, "one", "loss", values)
		r.Trials[0].Number = number
		return r
	}
	p := Panel{Records: []*record.Record{run(0, 5, 6, 7), run(1, 1, 2), run(2, 8, 8), run(2, 8, 8, 9)}}
	v := OverEpochs{Of: "loss", Updates: true, High: 10, Arms: []experiment.Arm{{Name: "one"}}}
	l := v.Chart("", p).Lines[0]
	check.Equal(t, l.Trials[:2], [][]float64{{5, 1, 8}, {6, 2, 8}}, "trials, in their order")
	after := l.Trials[2]
	check.Equal(t, after[0] == 7 && math.IsNaN(after[1]) && after[2] == 9, true, "those that go on: %v", after)
	check.Equal(t, math.IsNaN(l.Middle(2)), true, "the median ends")
}
