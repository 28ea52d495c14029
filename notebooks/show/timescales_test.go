package show

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
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

// A network that was trained again for longer has the time scales that it has then.
func TestLearned(t *testing.T) {
	again := two()
	again.Updates, again.Trials = 10, again.Trials[:1]
	again.End.Vectors["forget_bias"] = []record.Values{{math.Log(4), math.Log(5)}}
	for arm, want := range map[string][]float64{"standard": {5, 6}, "chrono": {100, 2}} {
		check.Near(t, learned([]*record.Record{two(), again}, arm), want, 1e-9, "time scales of %s", arm)
	}
}

// Of seven points 0 … 6 the last two are the end, and the memoryless loss is ½.
func TestFinal(t *testing.T) {
	for arm, want := range map[string]float64{"standard": 11, "chrono": 2} {
		s := Final(two(), arm)
		check.Equal(t, []float64{s.Mean, float64(s.N)}, []float64{want, 1}, "end of %s, and trials", arm)
	}
}

// Bins of a third of an octave: three of them double.
func TestThirds(t *testing.T) {
	check.Near(t, []float64{thirds[0], thirds[3], thirds[len(thirds)-1]}, []float64{1, 2, 8192}, 1e-8, "ends of bins")
}
