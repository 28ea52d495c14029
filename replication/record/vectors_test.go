package record

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// sampled is testHeader with a series of several numbers of each trial, at 15 and 30 updates.
func sampled() Header {
	h := testHeader()
	h.Series = map[string]int{"samples": 15}
	return h
}

var samples = [][]Values{{{1, 2, 3}, {4, math.NaN(), 6}}, {{1, 2, 3}, {4, 5, math.Inf(-1)}}}

// writeSamples writes a record of such a run, whose second point has these vectors.
func writeSamples(t *testing.T, last []Values) *Record {
	t.Helper()
	path := Path(t.TempDir(), sampled())
	w, err := Open(path, sampled())
	check(t, err)
	defer w.Close()
	for _, p := range testPoints {
		if p.Series != Train {
			continue
		}
		if p.Update == 20 {
			check(t, w.Vectors(15, "samples", samples[0]))
		}
		if p.Update == 35 {
			check(t, w.Vectors(30, "samples", last))
		}
		check(t, w.Point(p.Update, p.Series, p.Values))
	}
	finish(t, w)
	r, err := Read(path)
	check(t, err)
	return r
}

func TestSeriesOfVectors(t *testing.T) {
	r := writeSamples(t, samples[1])
	points := r.Series("samples")
	if len(points) != 2 || points[0].Update != 15 || points[1].Update != 30 {
		t.Fatalf("points %+v", points)
	}
	for n, p := range points {
		if p.Values != nil || len(p.Vectors) != 2 {
			t.Fatalf("point %d is %+v", n, p)
		}
		for trial, v := range p.Vectors {
			if !slices.EqualFunc(v, samples[n][trial], same) {
				t.Errorf("point %d, trial %d: %v, want %v", n, trial, v, samples[n][trial])
			}
		}
	}
	if same := writeSamples(t, samples[1]); !Equal(r, same) || len(Compare(r, same)) != 0 {
		t.Errorf("written twice, it differs: %v", Compare(r, same))
	}
	other := writeSamples(t, []Values{{1, 2, 3}, {4, 5, 7}})
	lines := Compare(r, other)
	if Equal(r, other) || len(lines) != 1 || !strings.HasPrefix(lines[0], "samples: 1 of 12 numbers differ") {
		t.Errorf("one number is another: %q", lines)
	}
}

func TestVectorsRefused(t *testing.T) {
	for what, c := range map[string]struct {
		series  string
		vectors []Values
		want    string
	}{
		"of one trial":      {"samples", []Values{{1, 2}}, "1 vectors for 2 trials"},
		"of two lengths":    {"samples", []Values{{1, 2}, {1}}, "vectors of 2 and of 1 numbers"},
		"in the curve":      {Train, []Values{{1, 2}, {1, 2}}, `vectors in the series "train"`},
		"without any":       {"samples", nil, "0 values for 2 trials"},
		"in another series": {"other", []Values{{1}, {2}}, `point of "other"`},
	} {
		w, err := Open(Path(t.TempDir(), sampled()), sampled())
		check(t, err)
		defer w.Close()
		check(t, w.Point(10, Train, Values{1, 2}))
		update := 15
		if c.series == Train {
			update = 20
		}
		if err := w.Vectors(update, c.series, c.vectors); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("vectors %s: %v, want %q", what, err, c.want)
		}
	}
}
