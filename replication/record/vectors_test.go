package record

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// sampled is testHeader with a series of several numbers of each trial, at 15 and 30 updates.
func sampled() Header {
	h := testHeader()
	h.Series = map[string]int{"samples": 15}
	return h
}

func TestSeriesOfVectors(t *testing.T) {
	vectors := [][]Values{{{1, 2, 3}, {4, math.NaN(), 6}}, {{1, 2, 3}, {4, 5, math.Inf(-1)}}}
	r := testRecord()
	r.Header = sampled()
	r.Points = slices.Delete(r.Points, 2, 3)
	r.Points = slices.Insert(r.Points, 1, Point{Update: 15, Series: "samples", Vectors: vectors[0]})
	r.Points = slices.Insert(r.Points, 4, Point{Update: 30, Series: "samples", Vectors: vectors[1]})
	got, err := parse(rewritten(t, r))
	check.OK(t, err)
	if !Equal(got, r) || len(Compare(got, r)) != 0 || len(got.Series("samples")) != 2 {
		t.Errorf("it reads as %+v", got.Points)
	}
	vectors[1][1][2] = 7
	lines := Compare(got, r)
	if Equal(got, r) || len(lines) != 1 || !strings.HasPrefix(lines[0], "samples: 1 of 12 numbers differ") {
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
		check.OK(t, err)
		defer w.Close()
		check.OK(t, w.Point(10, Train, Values{1, 2}))
		update := 15
		if c.series == Train {
			update = 20
		}
		if err := w.Vectors(update, c.series, c.vectors); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("vectors %s: %v, want %q", what, err, c.want)
		}
	}
}
