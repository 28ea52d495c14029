package papers_test

import (
	"bytes"
	"cmp"
	"math"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// A run in progress, from its first moment on, and one that diverges.
func TestCurvesOfAnUnfinishedRecord(t *testing.T) {
	whole := made("warp/fig3", record.Quick, "copy500")[0]
	for points, diverged := range map[int]bool{0: false, 1: false, 7: true, 100: true} {
		r := *whole
		r.End, r.Points = nil, r.Points[:points]
		if diverged {
			r.Points[5].Values = record.Values{math.NaN(), math.Inf(1), 1, 1, math.Inf(-1), 1}
		}
		chart := papers.All.Curves(&r)
		check.Equal(t, []int{len(chart.Lines), len(chart.References)}, []int{2, 1}, "lines and levels")
		svg := check.Got(figures.Single(chart).SVG())(t)
		check.That(t, !bytes.Contains(svg, []byte("NaN")) && !bytes.Contains(svg, []byte("Inf")),
			"%d points: the SVG has values that are no numbers", points)
	}
}

// A panel that grows is drawn from the first moment on, with every arm that has points.
func TestGrowing(t *testing.T) {
	for _, f := range papers.All.Figures() {
		for _, panel := range f.Panels {
			var records []*record.Record
			arms := map[string]bool{}
			for _, whole := range made(f.Paper+"/"+cmp.Or(panel.Of, f.Name), record.Quick, panel.Name) {
				r := whole.Until(whole.Updates / 2)
				records = append(records, r)
				for _, trial := range r.Trials {
					arms[trial.Arm] = true
				}
			}
			if len(records) == 0 {
				continue // there are none of scale quick
			}
			n := len(papers.All.Growing(records).Lines)
			check.That(t, n >= len(arms), "%s %s: %d lines of %d arms", f.ID(), panel.Name, n, len(arms))
		}
	}
}

// Each swept value has a curve of its own, in its arm's style and with a mark of its own; the memoryless loss differs
// between them, and is left out. A panel that is not declared goes by the names in its record.
func TestCurvesOfASweep(t *testing.T) {
	for panel, label := range map[string]string{"variable-pad": "gated RNN, 1", "unknown": "gated, 1"} {
		r := made("warp/fig1", record.Quick, "variable-pad")[0]
		r.Panel = panel
		chart := papers.All.Curves(r)
		for i, l := range chart.Lines {
			check.Equal(t, []int{l.Style, l.Swept}, []int{chart.Lines[0].Style, i}, "%s: style and mark", l.Label)
		}
		check.Equal(t, chart.Lines[0].Label, label, "label")
		check.Equal(t, len(chart.References), 0, "levels")
	}
}

// A difference of two arms has points where both were measured, and none where one was not run.
func TestGainsOfOneArm(t *testing.T) {
	both := made("warp/fig6", record.Reduced, "mnist") // chrono and standard
	for n, want := range map[int]int{1: 0, 2: 40} {
		charts := check.Got(papers.All.PanelCharts(both[:n]...))(t)
		check.Equal(t, len(charts[1].Lines[0].X), want, "points of the difference from %d arms", n)
	}
}

// What cannot be drawn is named.
func TestPanelChartsRefuse(t *testing.T) {
	unfinished := *made("warp/fig3", record.Quick)[0]
	unfinished.End = nil
	unknown := record.Record{Header: record.Header{Paper: "warp", Figure: "fig9", Panel: "panel", Scale: "quick"}}
	for name, records := range map[string][]*record.Record{
		"": nil, unfinished.Name(): {&unfinished}, unknown.Name(): {&unknown},
	} {
		_, err := papers.All.PanelCharts(records...)
		check.Rejected(t, "records of "+name, err, "")
	}
}
