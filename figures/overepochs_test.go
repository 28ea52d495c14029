package figures

import (
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

// The axis is cut where every model has once solved its task, and not where one of any part never did.
func TestCutAxis(t *testing.T) {
	part := func(updates int, values ...float64) *record.Record {
		r := &record.Record{Header: record.Header{Updates: updates, Trials: []record.Trial{{Arm: "one"}}}}
		for k, v := range values {
			r.Points = append(r.Points, record.Point{
				Update: (k + 1) * updates / len(values), Series: "valid_accuracy", Values: record.Values{v},
			})
		}
		return r
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
		v := OverEpochs{Solved: 1}
		check.Equal(t, v.end(Panel{Records: c.parts}), c.want, "%s: end of the axis", what)
	}
}
