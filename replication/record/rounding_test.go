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
		"after a wide spread":             {train(5, 1, 2e-3), train(7, 1, -0.5), "", Train},
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

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		values Values
		want   float64
	}{
		{Values{0.336, 0.744}, 1. / 125}, {Values{0.5, 0, 1, 0.25}, 1. / 100}, {Values{1. / 3, 0.4}, 1. / 105},
		{Values{float64(float32(1. / 3))}, 1. / 102}, {Values{0.1234567, 0.7654321, 0.2718281}, 0}, // a loss
		{Values{0, 1}, 0}, {Values{1.5, 0.5}, 0}, {Values{math.NaN(), 0.5}, 0.01}, {nil, 0},
	} {
		got := steps([]list{{"x", 1, []Values{c.values}}})["x"]
		if math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: steps of %g, want %g", c.values, got, c.want)
		}
	}
}

// measured is how far our records of scale quick, of AVX-512, are from the same runs computed with something else,
// figure by figure: the number that takes most of its bound. Of some runs all was computed, of others the first minute.
// The spread is that of a run with moved weights.
var measured = []struct {
	with, figure    string
	runs, whole     int
	numbers, close  int // all, and those that were not compared by their size alone
	spread, differs float64
}{
	{"portable", "context/beyond-order", 2, 2, 828, 429, 7.9e-04, 3.0e-04},
	{"portable", "context/beyond-warping", 1, 0, 39, 39, 1.6e-07, 3.3e-07},
	{"portable", "context/fig2", 1, 0, 3, 3, 0, 0},
	{"portable", "context/fig5", 1, 0, 48, 48, 5.6e-07, 1.7e-06},
	{"portable", "context/fig6", 1, 0, 57, 57, 3.9e-04, 4.5e-04},
	{"portable", "warp/beyond-gates", 1, 0, 90, 90, 6.6e-06, 1.8e-06},
	{"portable", "warp/beyond-long", 1, 0, 12, 12, 6.9e-08, 5.9e-08},
	{"portable", "warp/beyond-pixels", 5, 1, 405, 3, 0, 0},
	{"portable", "warp/beyond-plain", 15, 13, 11244, 5640, 2.7e-04, 9.1e-04},
	{"portable", "warp/beyond-safe", 7, 3, 3264, 1092, 2.1e-04, 2.5e-03},
	{"portable", "warp/beyond-tied", 2, 0, 216, 168, 2.0e-05, 2.1e-05},
	{"portable", "warp/beyond-torch", 2, 1, 768, 669, 5.9e-05, 1.2e-04},
	{"portable", "warp/fig1", 8, 1, 2700, 1341, 2.8e-07, 1.3e-05},
	{"portable", "warp/fig3", 2, 0, 42, 36, 3.9e-08, 1.6e-06},
	{"portable", "warp/fig4", 1, 0, 30, 30, 1.6e-07, 6.6e-08},
	{"portable", "warp/fig5", 8, 6, 1794, 1794, 8.0e-06, 2.9e-04},
	{"portable", "warp/fig6", 2, 0, 30, 12, 3.5e-04, 2.9e-03},
	{"portable", "warp/fig7", 3, 1, 48, 15, 5.3e-04, 1.3e-03},
	{"avx2", "context/beyond-order", 2, 2, 828, 429, 8.4e-07, 2.2e-07},
	{"avx2", "context/fig5", 2, 2, 828, 696, 3.3e-07, 2.4e-07},
	{"avx2", "warp/beyond-gates", 1, 1, 657, 351, 7.3e-05, 2.2e-07},
	{"avx2", "warp/beyond-pixels", 5, 5, 1419, 18, 1.2e-04, 3.6e-08},
	{"avx2", "warp/beyond-plain", 16, 16, 13512, 5688, 1.7e-06, 3.7e-06},
	{"avx2", "warp/beyond-safe", 5, 5, 4674, 993, 4.6e-08, 3.7e-08},
	{"avx2", "warp/beyond-torch", 1, 1, 624, 609, 2.3e-07, 0},
	{"avx2", "warp/fig1", 13, 13, 8325, 3465, 5.9e-07, 2.1e-06},
	{"avx2", "warp/fig5", 7, 7, 2214, 2127, 2.9e-07, 2.4e-07},
	{"avx2", "warp/fig7", 1, 1, 36, 3, 5.3e-04, 5.5e-04},
	{"go", "context/beyond-order", 1, 0, 63, 63, 6.1e-05, 1.8e-05},
	{"go", "warp/beyond-pixels", 1, 0, 12, 0, 0, 0},
	{"go", "warp/beyond-plain", 2, 0, 300, 84, 5.3e-08, 5.3e-06},
	{"go", "warp/beyond-safe", 2, 1, 774, 312, 6.3e-05, 5.4e-04},
	{"go", "warp/fig1", 1, 0, 117, 117, 5.2e-06, 3.3e-05},
	{"go", "warp/fig5", 2, 0, 264, 264, 4.2e-06, 2.6e-05},
	{"go", "warp/fig7", 1, 0, 3, 3, 0, 0},
}

func TestRoundingAsMeasured(t *testing.T) {
	for _, m := range measured {
		if bound := floor + amplified*m.spread; m.differs > bound/5 {
			t.Errorf("%s, %s: a number differs by %g; its bound is %g, and should leave more room", m.with, m.figure,
				m.differs, bound)
		}
	}
}
