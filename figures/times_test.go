package figures

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/golden"
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

// A chart of times: one that is not waited for, one in some trials, two next to each other.
func TestTimesChart(t *testing.T) {
	beyond := math.Inf(1)
	some := record.Spread{N: 3, Mean: beyond, Min: 300, Max: beyond}
	none := record.Spread{N: 3, Mean: beyond, Min: beyond, Max: beyond}
	c := TimesChart{
		Title: "beyond 1000 in some trials, and in all", X: "swept", Y: "updates", End: 1000,
		Lines: []Line{
			{"first", 0, 0, []float64{0.1, 1. / 3, 1, 3, 10}, append(ranges(30, 100), some, none, none)},
			{"second", 1, 0, []float64{0.1, 1. / 3, 1, 3, 10}, append(ranges(25, 40, 80, 400), none)},
			{"third", 2, 0, []float64{1}, ranges(900)},
		},
	}
	svg, err := PanelSVG(c)
	check(t, err)
	golden.Check(t, "testdata/charts/times.svg", svg)
	const says = "first from 30 to 100, more than 1000 at 1, 3, 10; second from 25 to 400, more than 1000 at 10; " +
		"third 900."
	if alt := Alt(c); !strings.Contains(alt, says) {
		t.Errorf("%q, want %q", alt, says)
	}
	text := textOf(t, svg)
	for _, want := range []string{"1/10", "1/3", "20", "50", "100", "1k", "> 1k"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
}

// The lines are the updates at which the losses fall, and an arm without x is at all of them.
func TestLearning(t *testing.T) {
	panels := map[string]TimesChart{}
	for _, p := range warp.BeyondSafe.Panels {
		records := slices.DeleteFunc(safeRecords(), func(r *record.Record) bool { return r.Panel != p.Name })
		charts, err := Panel(records...)
		check(t, err)
		panels[p.Name] = charts[0].(TimesChart)
	}
	line := func(panel, label string) Line {
		lines := panels[panel].Lines
		return lines[slices.IndexFunc(lines, func(l Line) bool { return l.Label == label })]
	}
	for _, c := range []struct {
		got  Line
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
