package papers_test

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// A run in progress, from its first moment on, and one that diverges.
func TestCurvesOfAnUnfinishedRecord(t *testing.T) {
	whole := training("fig3", "copy500", "quick", 0.3, 1000, 2000)
	for points, diverged := range map[int]bool{0: false, 1: false, 7: true, 100: true} {
		r := *whole
		r.End, r.Points = nil, r.Points[:points]
		if diverged {
			r.Points[5].Values = record.Values{math.NaN(), math.Inf(1), 1, 1, math.Inf(-1), 1}
		}
		svg, err := figures.PanelSVG(papers.All.Curves(&r))
		check(t, err)
		text := textOf(t, svg)
		for _, want := range []string{"copy, T = 60 (paper: 500)", "chrono initialization", "memoryless", "6k"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d points: no %q in %q", points, want, text)
			}
		}
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%d points: the SVG has values that are no numbers", points)
		}
	}
}

// Each swept value has a curve of its own, in its arm's style and with a mark of its own; the memoryless loss differs
// between them, and is left out. A panel that is not declared goes by the names in its record.
func TestCurvesOfASweep(t *testing.T) {
	for panel, want := range map[string][]string{
		"variable-pad": {"variable padding, rate 1e-3", "gated RNN, 10", "gated RNN, 50"},
		"unknown":      {"unknown", "gated, 10", "gated, 50"},
	} {
		r := &record.Record{Header: header("fig1", panel, "quick", "gated")}
		for _, x := range []float64{10, 50} {
			memoryless := 1 / x
			r.Trials = append(r.Trials, record.Trial{Arm: "gated", X: &x, Memoryless: &memoryless})
		}
		for update := 60; update < 600; update += 60 {
			r.Points = append(r.Points, record.Point{Update: update, Series: record.Train, Values: record.Values{1, 2}})
		}
		chart := papers.All.Curves(r)
		for i, l := range chart.Lines {
			if l.Style != chart.Lines[0].Style || l.Swept != i {
				t.Errorf("%s: style %d, and %d-th of the swept values, want %d and %d", l.Label, l.Style, l.Swept,
					chart.Lines[0].Style, i)
			}
		}
		svg, err := figures.PanelSVG(chart)
		check(t, err)
		text := textOf(t, svg)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in %q", w, text)
			}
		}
		if strings.Contains(text, "memoryless") {
			t.Errorf("a memoryless loss in %q", text)
		}
	}
}

// An arm has one style in all charts of its figure, and in the curves of each of its records, and no other has it.
func TestAnArmHasOneStyle(t *testing.T) {
	styles, arms := map[string]int{}, map[string]string{} // "warp/fig3 chrono": 1, "warp/fig3 1": "warp/fig3 chrono"
	for _, r := range allRecords() {
		d, err := papers.All.Figure(r.Paper + "/" + r.Figure)
		check(t, err)
		declared := d.Panel(r.Panel)
		names := map[string]string{} // by label
		for _, a := range declared.Arms {
			names[a.Label] = a.Name
			for _, k := range r.Arm(a.Name) {
				label := a.Label
				if x := r.Trials[k].X; x != nil {
					label += fmt.Sprintf(", %g", *x)
				}
				names[label] = a.Name
			}
		}
		charts, err := papers.All.PanelCharts(r)
		check(t, err)
		for _, c := range append(charts, papers.All.Curves(r)) {
			var lines []figures.Line
			switch c := c.(type) {
			case figures.CurveChart:
				lines = c.Lines
			case figures.SweepChart:
				lines = c.Lines
			case figures.TimesChart:
				lines = c.Lines
			}
			for _, l := range lines {
				arm, style := d.ID()+" "+names[l.Label], fmt.Sprintf("%s %d", d.ID(), l.Style)
				if at, ok := styles[arm]; ok && at != l.Style {
					t.Errorf("%s has styles %d and %d", arm, at, l.Style)
				}
				if other, ok := arms[style]; ok && other != arm {
					t.Errorf("%s and %s have one style", other, arm)
				}
				styles[arm], arms[style] = l.Style, arm
			}
		}
	}
	for arm, want := range map[string]int{"warp/fig3 chrono": 1, "warp/fig5 leaky": 1, "warp/beyond-safe chrono": 1} {
		if at, ok := styles[arm]; !ok || at != want {
			t.Errorf("%s has style %d, want %d", arm, at, want)
		}
	}
}

// A panel by itself is as in its figure.
func TestPanel(t *testing.T) {
	charts, err := papers.All.PanelCharts(fig5Records()[5:]...)
	check(t, err)
	if len(charts) != 2 {
		t.Fatalf("%d charts, want 2", len(charts))
	}
	long := charts[1].(figures.SweepChart)
	if want := "rates 4e-3 and 8e-3, length 10 × warp"; long.Title != want {
		t.Errorf("title %q, want %q", long.Title, want)
	}
	// The made-up gated network has all right as trained, and at 100 loses 1.5·0.2·100/500 = 6 in a hundred.
	gated := long.Lines[3]
	if gated.X[0] != 50 || gated.X[1] != 100 || math.Abs(gated.Y[0].Mean-100) > 2 || math.Abs(gated.Y[1].Mean-94) > 4 {
		t.Errorf("gated %v, %+v", gated.X, gated.Y)
	}
	if dummy := long.References[0]; math.Abs(dummy.Y[1]-6) > 1e-9 {
		t.Errorf("always the dummy: %v, want 6 at 100", dummy.Y)
	}

	unfinished := *fig3Records()[0]
	unfinished.End = nil
	for want, records := range map[string][]*record.Record{
		"no records":          nil,
		"unfinished":          {&unfinished},
		"no figure draws rec": {{Header: header("fig9", "panel", "quick", "")}},
	} {
		if _, err := papers.All.PanelCharts(records...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A screen of many dots shows a PNG as sharp as the SVG, at half of its pixels.
func TestPanelPNG(t *testing.T) {
	data, err := figures.PanelPNG(papers.All.Curves(fig4Records()[0]))
	check(t, err)
	image, err := png.Decode(bytes.NewReader(data))
	check(t, err)
	if w := image.Bounds().Dx(); w != 2*6*96 { // twice 6 inches at a browser's 96 dots
		t.Errorf("%d pixels wide", w)
	}
}
