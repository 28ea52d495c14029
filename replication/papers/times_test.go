package papers_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// safeRecords are of networks whose losses fall at once, the later the longer the task and the farther the start is
// from chrono's; the worst never do.
func safeRecords() []*record.Record {
	tasks, err := warp.BeyondSafe.Tasks(experiment.Options{Scale: "paper", Seed: 1})
	if err != nil {
		panic(err)
	}
	var records []*record.Record
	for _, task := range tasks {
		r := &record.Record{Header: task.Header("go"), End: &record.End{Updates: task.Length.Total()}}
		for update := r.Window; update <= r.Updates; update += r.Window {
			p := record.Point{Update: update, Series: record.Train}
			for _, t := range r.Trials {
				share := 1.
				if float64(update) >= madeUpTime(r.Panel, t) {
					share = 0.05
				}
				p.Values = append(p.Values, share**t.Memoryless)
			}
			r.Points = append(r.Points, p)
		}
		records = append(records, r)
	}
	return records
}

func madeUpTime(panel string, t record.Trial) float64 {
	slow := map[string]float64{"bias0": 0.7, "bias1": 0.5, "bias2": 0.4, "unknown": 0.2}[t.Arm]
	updates := 500 * (1 + 0.15*float64(t.Number))
	switch {
	case t.X == nil:
		return 5 * updates
	case strings.HasPrefix(panel, "tmax"):
		return updates * (1 + math.Abs(math.Log(*t.X)))
	}
	return updates * math.Pow(*t.X/10, 0.5+2*slow)
}

// The lines are the updates at which the losses fall, and an arm without x is at all of them.
func TestLearning(t *testing.T) {
	panels := map[string]figures.TimesChart{}
	for _, p := range warp.BeyondSafe.Panels {
		records := slices.DeleteFunc(safeRecords(), func(r *record.Record) bool { return r.Panel != p.Name })
		charts, err := papers.All.PanelCharts(records...)
		check(t, err)
		panels[p.Name] = charts[0].(figures.TimesChart)
	}
	line := func(panel, label string) figures.Line {
		lines := panels[panel].Lines
		return lines[slices.IndexFunc(lines, func(l figures.Line) bool { return l.Label == label })]
	}
	for _, c := range []struct {
		got  figures.Line
		x    []float64
		last record.Spread // up to the next window of 100 updates
	}{
		{line("lstm-adding", "chrono"), []float64{10, 25, 50, 100, 200, 400},
			record.Spread{N: 3, Min: 3200, Max: 4200}},
		{line("gru-adding", "forget bias 1"), []float64{50, 200},
			record.Spread{N: 3, Min: math.Inf(1), Max: math.Inf(1)}},
		{line("tmax-adding", "forget bias 1"), []float64{0.1, 0.333333333333, 1, 3, 10},
			record.Spread{N: 3, Min: 2500, Max: 3300}},
		{line("lstm-adding", "forget bias 0"), []float64{10, 25, 50, 100, 200, 400},
			record.Spread{N: 3, Min: math.Inf(1), Max: math.Inf(1)}},
	} {
		last := c.got.Y[len(c.got.Y)-1]
		if !slices.Equal(c.got.X, c.x) || last.N != c.last.N || last.Min != c.last.Min || last.Max != c.last.Max {
			t.Errorf("%s: %v at %v, want %v at %v", c.got.Label, last, c.got.X, c.last, c.x)
		}
	}
}
