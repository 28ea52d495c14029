package figures

import (
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A trial that was trained twice is drawn once, as far as its longer run goes; the median goes as far as all trials.
func TestRunsOfSeveralLengths(t *testing.T) {
	run := func(number int, losses ...float64) *record.Record {
		r := made.Curves(record.Header{Scale: record.Paper, Updates: len(losses)}, "a", record.Train, losses)
		r.Trials[0].Number, r.Trials[0].Memoryless = number, nil
		return r
	}
	p := Panel{
		Panel: experiment.Panel{
			Arms: []experiment.Arm{{Name: "a"}}, Sizes: map[record.Scale]experiment.Size{record.Paper: {}},
		},
		Records: []*record.Record{run(0, 5, 6, 7), run(1, 1, 2), run(2, 8, 8), run(2, 8, 8, 9, 4)},
	}
	for _, v := range []View{Curves{}, Curves{Of: record.Train, Updates: true}} {
		c := v.Chart(p)
		check.Must(t, len(c.Lines) == 1 && c.End == 4, "%T: %d lines to %g, want 1 to 4", v, len(c.Lines), c.End)
		l, nan := c.Lines[0], math.NaN()
		want := [][]float64{{5, 1, 8}, {6, 2, 8}, {7, nan, 9}, {nan, nan, 4}}
		check.Near(t, slices.Concat(l.Trials...), slices.Concat(want...), 0, "%T: trials, in their order", v)
		check.That(t, l.Middle(1) == 6 && math.IsNaN(l.Middle(2)), "%T: the median is %g and %g", v, l.Middle(1),
			l.Middle(2))
	}
	other := made.Curves(record.Header{Scale: record.Paper, Updates: 6}, "a", record.Train, []float64{1, 2}) // at 3, 6
	c := Curves{}.Chart(Panel{Panel: p.Panel, Records: append(p.Records, other)})
	check.Equal(t, len(c.Lines), 2, "lines, of which one has other points")
	for _, r := range p.Records {
		r.End.Final = map[string]record.Values{"end": {float64(r.Updates)}}
	}
	lines := p.Lines(func(to *Line, r *record.Record, trial int) { to.Add(5, r.End.Final["end"][trial]) })
	check.Equal(t, lines[0].Trials, [][]float64{{3, 2, 4}}, "results")
}

// A model that diverged, and was trained again for longer, is one model: at one x, too.
func TestDivergedModelsAreCountedOnce(t *testing.T) {
	for _, x := range []*float64{nil, new(float64)} {
		p := Panel{
			Panel: experiment.Panel{
				Arms: []experiment.Arm{{Name: "a"}}, Sizes: map[record.Scale]experiment.Size{record.Paper: {}},
			},
		}
		for i, losses := range [][]float64{{1}, {math.NaN()}, {math.NaN(), 1}} {
			r := made.Curves(record.Header{Scale: record.Paper, Updates: 2 * len(losses)}, "a", record.Train, losses)
			r.Trials[0].X, r.Trials[0].Number = x, min(i, 1)
			if math.IsNaN(losses[0]) {
				r.Diverged = []record.Diverged{{Update: 1}}
			}
			p.Records = append(p.Records, r)
		}
		said := notes([]Panel{p})
		check.Equal(t, said[0], "1 of 2\u00a0models diverged; the median ends there.", "note")
		check.Equal(t, Curves{}.Chart(p).Lines[0].trials(), 2, "trials")
	}
}
