package figures

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A point stands for the updates since the one before, and is drawn in their middle.
func TestTrainingLine(t *testing.T) {
	r := &record.Record{Points: []record.Point{
		{Update: 100, Series: record.Train, Values: record.Values{1, 8, 3}},
		{Update: 100, Series: "valid", Values: record.Values{7, 7, 7}},
		{Update: 150, Series: record.Train, Values: record.Values{2, 8, math.NaN()}},
	}}
	l, other := trainingLine("", 0, r, 0), trainingLine("", 0, r, 2)
	check.That(t, l.join(other), "trials of one record have different points")
	check.That(t, len(l.X) == 2 && l.X[0] == 50 && l.X[1] == 125, "points at %v, want 50 and 125", l.X)
	want := (record.Spread{N: 2, Mean: 2, Min: 1, Max: 3})
	check.That(t, l.Y[0] == want, "%+v, want %+v", l.Y[0], want)
	check.That(t, math.IsNaN(l.Y[1].Mean), "with a diverged trial: %+v", l.Y[1])
}

// A trial that was trained twice is drawn once, as far as its longer run goes; the median goes as far as all trials.
func TestTrainingCurvesOfRunsOfSeveralLengths(t *testing.T) {
	run := func(number int, losses ...float64) *record.Record {
		r := made.Curves(record.Header{Scale: record.Paper, Updates: len(losses)}, "a", record.Train, losses)
		r.Trials[0].Number, r.Trials[0].Memoryless = number, nil
		return r
	}
	p := Panel{
		Panel: experiment.Panel{
			Arms: []experiment.Arm{{Name: "a"}}, Sizes: map[record.Scale]experiment.Size{record.Paper: {}},
		},
		Records: []*record.Record{run(0, 3, 1), run(1, 9, 9), run(1, 9, 5, 4, 2)},
	}
	c := TrainingCurves{}.Chart("", p)
	check.Must(t, len(c.Lines) == 1 && c.End == 4, "%d lines to %g, want 1 to 4", len(c.Lines), c.End)
	l := c.Lines[0]
	check.That(t, l.most() == 2 && l.Middle(0) == 6 && l.Middle(1) == 3 && math.IsNaN(l.Middle(2)) &&
		l.Trials[3][1] == 2, "trials %v", l.Trials)
}

// A model that diverged, and was trained again for longer, is one model: at one x, too.
func TestDivergedModelsAreCountedOnce(t *testing.T) {
	for _, x := range []*float64{nil, new(float64)} {
		p := Panel{
			Panel: experiment.Panel{
				Arms: []experiment.Arm{{Name: "a"}}, Sizes: map[record.Scale]experiment.Size{record.Paper: {}},
			},
		}
		for i, updates := range []int{2, 2, 4} {
			p.Records = append(p.Records, &record.Record{
				Header: record.Header{
					Scale: record.Paper, Updates: updates, Trials: []record.Trial{{Arm: "a", X: x, Number: min(i, 1)}},
				},
				Points: []record.Point{
					{Update: 2, Series: record.Train, Values: record.Values{[]float64{1, math.NaN()}[min(i, 1)]}},
				},
				End: &record.End{},
			})
		}
		said := notes([]Panel{p}, TrainingCurves{})
		check.Equal(t, said[0], "1 of 2\u00a0models diverged; the median ends there.", "note")
		check.Equal(t, TrainingCurves{}.Chart("", p).Lines[0].most(), 2, "trials")
	}
}
