// Package made makes up records of declared runs, for tests of what reads them.
package made

import (
	"cmp"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Record is a complete record of a task. Every number of every trial is value's, of the share of the updates that are
// done.
func Record(task experiment.Task, value func(t record.Trial, done float64) float64) *record.Record {
	r := &record.Record{Header: task.Header("go")}
	r.End = &record.End{Updates: r.Updates, Final: map[string]record.Values{}, Vectors: map[string][]record.Values{}}
	at := func(update int) record.Values {
		var values record.Values
		for _, t := range r.Trials {
			values = append(values, value(t, float64(update)/float64(r.Updates)))
		}
		return values
	}
	points := func(series string, every int) {
		for update := every; update <= r.Updates; update += every {
			r.Points = append(r.Points, record.Point{Update: update, Series: series, Values: at(update)})
		}
	}
	points(record.Train, r.Window)
	if r.Updates%r.Window != 0 {
		r.Points = append(r.Points, record.Point{Update: r.Updates, Series: record.Train, Values: at(r.Updates)})
	}
	r.End.Final[record.Loss] = at(r.Updates)
	for _, test := range task.Tests {
		for _, m := range test.Measures {
			several, ok := m.Of.(experiment.Several)
			switch {
			case ok:
				vectors := make([]record.Values, len(r.Trials))
				for k := range vectors {
					vectors[k] = make(record.Values, several.Numbers(r.Steps, r.Units))
				}
				r.End.Vectors[string(m.Name)] = vectors
			case test.Every > 0:
				points(string(m.Name), test.Every)
			default:
				r.End.Final[string(m.Name)] = at(r.Updates)
			}
		}
	}
	return r
}

// Write writes a record in its place below dir, and returns its path.
func Write(dir string, r *record.Record) (path string, err error) {
	h := r.Header
	h.Commit = cmp.Or(h.Commit, "unknown")
	path = record.Path(dir, h)
	w, err := record.Open(path, h)
	if err != nil {
		return "", err
	}
	defer w.Close()
	for _, p := range r.Points { // an error stays, and shows in Finish
		w.Point(p.Update, p.Series, p.Values)
	}
	return path, w.Finish(r.End.Seconds, r.End.Final, r.End.Vectors)
}
