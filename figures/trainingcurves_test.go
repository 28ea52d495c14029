package figures

import (
	"math"
	"testing"

	"github.com/warptime/warptime/replication/record"
)

// A point stands for the updates since the one before, and is drawn in their middle.
func TestTrainingLine(t *testing.T) {
	r := &record.Record{Points: []record.Point{
		{Update: 100, Series: record.Train, Values: record.Values{1, 8, 3}},
		{Update: 100, Series: "valid", Values: record.Values{7, 7, 7}},
		{Update: 150, Series: record.Train, Values: record.Values{2, 8, math.NaN()}},
	}}
	l := trainingLine("", 0, r, []int{0, 2})
	if len(l.X) != 2 || l.X[0] != 50 || l.X[1] != 125 {
		t.Errorf("points at %v, want 50 and 125", l.X)
	}
	if want := (record.Spread{N: 2, Mean: 2, Min: 1, Max: 3}); l.Y[0] != want {
		t.Errorf("%+v, want %+v", l.Y[0], want)
	}
	if !math.IsNaN(l.Y[1].Mean) {
		t.Errorf("with a diverged trial: %+v", l.Y[1])
	}
}
