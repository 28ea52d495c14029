// Package made makes up records of declared runs, and samples, for tests of what reads them.
package made

import (
	"cmp"
	"slices"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Record is a complete record of a task, with its points in the order of updates. Every number of every trial is
// value's, of the share of the updates that are done.
func Record(task experiment.Task, value func(t record.Trial, done float64) float64) *record.Record {
	r := &record.Record{Header: task.Header("go")}
	r.End = &record.End{Updates: r.Updates, Final: map[string]record.Values{}, Vectors: map[string][]record.Values{}}
	point := func(series string, update, numbers int) record.Point {
		p := record.Point{Update: update, Series: series}
		for _, t := range r.Trials {
			x := value(t, float64(update)/float64(r.Updates))
			if numbers > 1 {
				p.Vectors = append(p.Vectors, slices.Repeat(record.Values{x}, numbers))
			} else {
				p.Values = append(p.Values, x)
			}
		}
		return p
	}
	for update := r.Window; update < r.Updates+r.Window; update += r.Window {
		r.Points = append(r.Points, point(record.Train, min(update, r.Updates), 1))
	}
	r.End.Final[record.Loss] = r.Points[len(r.Points)-1].Values
	for _, test := range task.Tests {
		_, steps, _ := test.Data.Shape()
		for _, m := range test.Measures {
			name, numbers := string(m.Name), 1
			if several, ok := m.Of.(experiment.Several); ok {
				numbers = several.Numbers(steps, r.Units)
			}
			if test.Every > 0 {
				for update := test.Every; update <= r.Updates; update += test.Every {
					r.Points = append(r.Points, point(name, update, numbers))
				}
			} else if p := point(name, r.Updates, numbers); numbers > 1 {
				r.End.Vectors[name] = p.Vectors
			} else {
				r.End.Final[name] = p.Values
			}
		}
	}
	slices.SortStableFunc(r.Points, func(a, b record.Point) int { return a.Update - b.Update })
	return r
}

// Curves is a record of an arm with a series of each of its trials, whose points are equally far apart.
func Curves(h record.Header, arm string, series record.Result, curves ...[]float64) *record.Record {
	end := &record.End{Updates: h.Updates, Final: map[string]record.Values{}, Vectors: map[string][]record.Values{}}
	r := &record.Record{Header: h, End: end}
	memoryless := 1.
	for k := range curves {
		r.Trials = append(r.Trials, record.Trial{Arm: arm, Number: k, Memoryless: &memoryless})
	}
	for i := range curves[0] {
		p := record.Point{Update: (i + 1) * h.Updates / len(curves[0]), Series: string(series)}
		for _, c := range curves {
			p.Values = append(p.Values, c[i])
		}
		r.Points = append(r.Points, p)
	}
	return r
}

// Sample has a value of each of the trials 0, 1, …
func Sample(values ...float64) (s claim.Sample) {
	for k, v := range values {
		s = append(s, claim.Value{Trial: k, X: claim.NoX, V: v})
	}
	return s
}

// Censored is a sample whose last value is a lower bound.
func Censored(values ...float64) claim.Sample {
	s := Sample(values...)
	s[len(s)-1].Censored = true
	return s
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
	w.Record().Points = r.Points
	return path, w.Finish(r.End.Seconds, r.End.Final, r.End.Vectors)
}
