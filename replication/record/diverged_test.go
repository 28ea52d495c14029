package record

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// divergedPoints are those of a run whose trial 1 diverges at update 14.
var divergedPoints = []Point{
	{Update: 10, Series: Train, Values: Values{1, 2}},
	{Update: 20, Series: Train, Values: Values{1, math.Inf(1)}},
	{Update: 20, Series: "valid", Values: Values{1, 3}}, // a test may still have a number
	{Update: 30, Series: Train, Values: Values{1, math.NaN()}},
	{Update: 35, Series: Train, Values: Values{1, math.NaN()}},
}

// It is on record once, whenever the run is stopped: before that update, at it or after.
func TestDivergedTrialIsOnRecord(t *testing.T) {
	var want []byte
	for stop := -1; stop < 4; stop++ { // after that line, or never
		path := testPath(t)
		w, n := begin(t, path), 0
		line := func(update int, write func() error) {
			check.OK(t, write())
			if n++; n-1 == stop {
				check.OK(t, w.Save(update, nil))
				check.OK(t, w.Close())
				w = begin(t, path)
			}
		}
		for _, p := range divergedPoints {
			if p.Update == 20 && p.Series == Train {
				line(14, func() error { return w.Diverged(14, 1, [2]float64{7e29, math.NaN()}) })
				check.OK(t, w.Point(p.Update, p.Series, p.Values))
				continue
			}
			line(p.Update, func() error { return w.Point(p.Update, p.Series, p.Values) })
		}
		check.OK(t, w.Finish(1.5, nil, nil))
		got := check.Read(t, path)
		if stop < 0 {
			want = got
		}
		check.Equal(t, string(got), string(want), "the record of a run that was stopped after line %d", stop)
		r, err := Read(path)
		check.OK(t, err)
		if d := r.Diverged; len(d) != 1 || d[0].Update != 14 || d[0].Trial != 1 || d[0].Norms[0] != 7e29 ||
			!math.IsNaN(d[0].Norms[1]) {
			t.Errorf("diverged: %+v", r.Diverged)
		}
	}
}

func TestCompareSaysWhoDiverged(t *testing.T) {
	a, b := testRecord(), testRecord()
	b.Diverged = []Diverged{{14, 1, Values{7e29, math.NaN()}}}
	want := []string{"divergence (update, and norms of two gradients): 3 of 6 numbers differ, by up to ∞ of their " +
		"size (trial 1 of chrono)"}
	check.Equal(t, Compare(a, b), want, "differences")
	a.Diverged = b.Diverged
	if got := Compare(a, b); got != nil || !Equal(a, b) {
		t.Errorf("both diverged alike: %q", got)
	}
	a.Diverged = []Diverged{{14, 1, Values{math.Nextafter(7e29, 1), math.NaN()}}}
	if got := Compare(a, b); len(got) != 1 || Equal(a, b) {
		t.Errorf("the norms differ by a bit: %q", got)
	}
}
