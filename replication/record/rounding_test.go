package record

import (
	"math"
	"strings"
	"testing"
)

// roundable is a record of two trials with a curve of 40 points, a result and a vector.
func roundable() *Record {
	r := &Record{Header: testHeader()}
	r.Updates, r.Window, r.Header.Series = 40, 1, nil
	for u := 1; u <= r.Updates; u++ {
		loss := 2 / float64(u)
		r.Points = append(r.Points, Point{Update: u, Series: Train, Values: Values{loss, loss / 3}})
	}
	r.End = &End{
		Final:   map[string]Values{"error": {0.17, 0.23}, "accuracy": {0.336, 0.744}}, // of 125 answers
		Vectors: map[string][]Values{"gates": {{0, 1.7, math.NaN()}, {0.3, -4, 2}}},
	}
	return r
}

func TestCompareRounded(t *testing.T) {
	train := func(update, trial int, by float64) func(*Record) {
		return func(r *Record) { r.Points[update-1].Values[trial] *= 1 + by }
	}
	accuracy := func(by float64) func(*Record) { return func(r *Record) { r.End.Final["accuracy"][1] += by } }
	gate := func(trial, i int, by float64) func(*Record) {
		return func(r *Record) { r.End.Vectors["gates"][trial][i] += by }
	}
	diverged := func(r *Record) { r.Diverged = []Diverged{{40, 1, Values{1, 2}}} }
	number := func(r *Record) { r.End.Vectors["gates"][0][2] = 1 }
	same := func(*Record) {}
	for what, c := range map[string]struct {
		moved, forged          func(*Record)
		unexplained, unchecked string // what is named
	}{
		"nothing":                         {same, same, "", ""},
		"last digits":                     {same, train(7, 1, 0.9e-3), "", ""},
		"more":                            {same, train(7, 1, 1.2e-3), Train, ""},
		"a hundred times the spread":      {train(5, 1, 1e-5), train(7, 1, 1.9e-3), "", ""},
		"more than that":                  {train(5, 1, 1e-5), train(7, 1, 2.2e-3), Train, ""},
		"before the spread":               {train(8, 1, 1e-5), train(7, 1, 1.9e-3), Train, ""},
		"in the other trial":              {train(5, 0, 1e-5), train(7, 1, 1.9e-3), Train, ""},
		"after a wide spread":             {train(5, 1, 2e-3), train(7, 1, -0.5), "", Train + ": 1 of 80 "},
		"last digits after a wide spread": {train(5, 1, 2e-3), train(7, 1, 0.9e-3), "", ""},
		"another size":                    {train(5, 1, 2e-3), train(7, 1, 1000), Train, Train},
		"a NaN":                           {train(8, 1, 2e-3), train(7, 1, math.NaN()), Train, ""},
		"a NaN after a wide spread":       {train(5, 1, 2e-3), train(7, 1, math.NaN()), "", Train},
		"a result after a curve's spread": {train(5, 1, 2e-3), accuracy(0.1), "", "final accuracy"},
		"an answer or two":                {same, accuracy(2. / 125), "", ""},
		"three answers":                   {same, accuracy(3. / 125), "final accuracy", ""},
		"an answer does not spread":       {accuracy(1. / 125), accuracy(3. / 125), "final accuracy", ""},
		"a small one of a vector":         {same, gate(1, 0, 0.003), "", ""},
		"a large one of a vector":         {same, gate(1, 2, 0.005), "final gates", ""},
		"one of a vector with a NaN":      {same, gate(0, 0, 0.1), "final gates", ""},
		"the NaN of a vector":             {same, number, "final gates", ""},
		"a divergence":                    {same, diverged, "divergence", ""},
	} {
		again, moved, forged := roundable(), roundable(), roundable()
		c.moved(moved)
		c.forged(forged)
		unexplained, unchecked := CompareRounded(forged, again, moved)
		for _, lines := range []struct {
			got  []string
			want string
		}{{unexplained, c.unexplained}, {unchecked, c.unchecked}} {
			if lines.want == "" && lines.got != nil || lines.want != "" && (len(lines.got) != 1 ||
				!strings.HasPrefix(lines.got[0], lines.want)) {
				t.Errorf("%s: unexplained %q, unchecked %q; want %q, %q", what, unexplained, unchecked,
					c.unexplained, c.unchecked)
			}
		}
	}
}
