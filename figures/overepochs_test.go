package figures

import (
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

// The axis is cut at twice the update at which every model has once solved its task, and shows all of a part that has a
// model which never did, however long the other parts are and whichever comes first.
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
	short, last := part(500, 0, 0, 0, 0, 0), part(1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
	for what, c := range map[string]struct {
		parts []*record.Record
		want  float64
	}{
		"once is enough":                  {[]*record.Record{early}, 200},
		"the slowest decides":             {[]*record.Record{early, late}, 800},
		"a short part that never did it":  {[]*record.Record{early, short}, 500},
		"and one that took longer before": {[]*record.Record{late, short}, 800},
		"and after":                       {[]*record.Record{short, late}, 800},
		"no more than there is":           {[]*record.Record{early, last}, 1000},
	} {
		v := OverEpochs{Solved: 1, By: "valid_accuracy"}
		check.Equal(t, v.end(Panel{Records: c.parts}), c.want, "%s: end of the axis", what)
	}
}
