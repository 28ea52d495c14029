package show

import (
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/replication/record"
)

// two is a record of two arms with a trial each, of two units.
func two() *record.Record {
	memoryless := 0.5
	r := &record.Record{
		Header: record.Header{Trials: []record.Trial{
			{Arm: "standard", Memoryless: &memoryless}, {Arm: "chrono", Memoryless: &memoryless},
		}},
		End: &record.End{Vectors: map[string][]record.Values{"forget_bias": {{0, math.Log(3)}, {math.Log(99), 0}}}},
	}
	for n := range 7 {
		values := record.Values{float64(n), 1}
		r.Points = append(r.Points, record.Point{Update: n + 1, Series: record.Train, Values: values})
	}
	return r
}

func TestLearned(t *testing.T) {
	for arm, want := range map[string][]float64{"standard": {2, 4}, "chrono": {100, 2}} {
		got := learned([]*record.Record{two()}, arm)
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%s: time scales %v, want %v", arm, got, want)
		}
	}
}

func TestFinal(t *testing.T) {
	// Of seven points 0 … 6 the last two are the end, and the memoryless loss is ½.
	if s := Final(two(), "standard"); s.Mean != 11 || s.N != 1 {
		t.Errorf("standard ends at %v, want 11", s)
	}
	if s := Final(two(), "chrono"); s.Mean != 2 {
		t.Errorf("chrono ends at %v, want 2", s)
	}
}

// Bins of a third of an octave: three of them double.
func TestThirds(t *testing.T) {
	if thirds[0] != 1 || math.Abs(thirds[3]-2) > 1e-12 || math.Abs(thirds[len(thirds)-1]-8192) > 1e-8 {
		t.Errorf("bins end at %v", thirds)
	}
}
