package papers_test

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
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
		svg, err := figures.PanelSVG(papers.All.Curves(&r))
		check.OK(t, err)
		text := textOf(t, svg)
		check.Contains(t, text, "copy, T = 60 (paper: copy, T = 500)", "chrono initialization", "memoryless", "800")
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%d points: the SVG has values that are no numbers", points)
		}
	}
}

// Each swept value has a curve of its own, in its arm's style and with a mark of its own; the memoryless loss differs
// between them, and is left out. A panel that is not declared goes by the names in its record.
func TestCurvesOfASweep(t *testing.T) {
	for panel, want := range map[string][]string{
		"variable-pad": {"variable padding, rate 1e-3", "gated RNN, 5", "gated RNN, 20"},
		"unknown":      {"unknown", "gated, 5", "gated, 20"},
	} {
		r := made("warp/fig1", record.Quick, "variable-pad")[0]
		r.Panel = panel
		chart := papers.All.Curves(r)
		for i, l := range chart.Lines {
			if l.Style != chart.Lines[0].Style || l.Swept != i {
				t.Errorf("%s: style %d, and %d-th of the swept values, want %d and %d", l.Label, l.Style, l.Swept,
					chart.Lines[0].Style, i)
			}
		}
		svg, err := figures.PanelSVG(chart)
		check.OK(t, err)
		text := textOf(t, svg)
		check.Contains(t, text, want...)
		if strings.Contains(text, "memoryless") {
			t.Errorf("a memoryless loss in %q", text)
		}
	}
}

// An arm has one style in all charts of its figure, and in the curves of each of its records, and no other has it.
func TestAnArmHasOneStyle(t *testing.T) {
	styles, arms := map[string]int{}, map[string]string{} // "warp/fig3 chrono": 1, "warp/fig3 1": "warp/fig3 chrono"
	for _, r := range all() {
		d, declared, ok := papers.All.PanelOf(r.Header)
		if !ok {
			t.Fatalf("%s is of no figure", r.Path)
		}
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
		check.OK(t, err)
		for _, c := range append(charts, papers.All.Curves(r)) {
			for _, l := range c.Lines {
				name, ok := names[l.Label]
				if !ok { // what the arms are compared with
					name = l.Label
				}
				arm, style := d.ID()+" "+name, fmt.Sprintf("%s %d", d.ID(), l.Style)
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
	charts, err := papers.All.PanelCharts(made("warp/fig5", record.Paper, warp.Fig5.Panels[0].Name)...)
	check.OK(t, err)
	if len(charts) != 2 {
		t.Fatalf("%d charts, want 2", len(charts))
	}
	long := charts[1]
	r := made("warp/fig5", record.Paper, warp.Fig5.Panels[0].Name)[1] // gated and chrono
	of := func(result string) float64 {
		var values []float64
		for _, k := range r.Arm("gated") {
			values = append(values, 100*r.End.Final[result][k])
		}
		return record.SpreadOf(values).Mean
	}
	// The leftmost points are of the warps trained on.
	gated := long.Lines[3]
	if gated.X[0] != 50 || gated.X[1] != 100 || math.Abs(gated.Y[0].Mean-of("accuracy")) > 1e-9 ||
		math.Abs(gated.Y[1].Mean-of("long_accuracy@100")) > 1e-9 {
		t.Errorf("gated %v, %+v", gated.X, gated.Y)
	}

	unfinished := *made("warp/fig3", record.Quick)[0]
	unfinished.End = nil
	for want, records := range map[string][]*record.Record{
		"no records":          nil,
		"unfinished":          {&unfinished},
		"no figure draws rec": {{Header: record.Header{Paper: "warp", Figure: "fig9", Panel: "panel", Scale: "quick"}}},
	} {
		if _, err := papers.All.PanelCharts(records...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A screen of many dots shows a PNG as sharp as the SVG, at half of its pixels.
func TestPanelPNG(t *testing.T) {
	data, err := figures.PanelPNG(papers.All.Curves(made("warp/fig4", record.Quick)[0]))
	check.OK(t, err)
	image, err := png.Decode(bytes.NewReader(data))
	check.OK(t, err)
	if w := image.Bounds().Dx(); w != 2*6*96 { // twice 6 inches at a browser's 96 dots
		t.Errorf("%d pixels wide", w)
	}
}

// Words are drawn as perplexities, each trial's by itself, and the frame holds the end of every line.
func TestPerplexities(t *testing.T) {
	records := made("warp/fig7", record.Quick, "ptb")
	charts, err := papers.All.PanelCharts(records...)
	check.OK(t, err)
	c := charts[0]
	if len(c.Lines) != 3 {
		t.Fatalf("%d lines", len(c.Lines))
	}
	for i, arm := range []string{"standard", "chrono", "literal"} {
		r := records[i/2]
		points := r.Series("valid_entropy")
		for n, y := range c.Lines[i].Y {
			var values []float64
			for _, k := range r.Arm(arm) {
				values = append(values, math.Exp(points[n].Values[k]))
			}
			if y != record.SpreadOf(values) {
				t.Fatalf("%s, point %d: %v, want %v", arm, n, y, record.SpreadOf(values))
			}
		}
		end := c.Lines[i].Y[len(c.Lines[i].Y)-1]
		if !(end.Min > c.Low && end.Mean < c.High) {
			t.Errorf("%s ends at %v, the frame is %g to %g", arm, end, c.Low, c.High)
		}
	}
	r := records[0]
	want := math.Exp(*r.Trials[0].Best / float64(r.Steps))
	if len(c.References) != 1 || math.Abs(c.References[0].Y[1]-want) > 1e-12 {
		t.Errorf("levels %v, want %g", c.References, want)
	}
}

// The lines are the updates at which the losses fall, and an arm without x is at all of them.
func TestLearning(t *testing.T) {
	records := made("warp/beyond-safe", record.Reduced, "tmax-adding")
	charts, err := papers.All.PanelCharts(records...)
	check.OK(t, err)
	panel := warp.BeyondSafe.Panel("tmax-adding")
	for _, l := range charts[0].Lines {
		arm := panel.Arms[slices.IndexFunc(panel.Arms, func(a experiment.Arm) bool { return a.Label == l.Label })]
		took, err := claim.Reaching{
			Of:   claim.Arm{Figure: "warp/beyond-safe", Panel: panel.Name, Name: arm.Name},
			Name: record.Train, As: claim.OfMemoryless, Level: claim.Threshold{Value: panel.Target},
		}.Read(claim.From(records...))
		check.OK(t, err)
		check.Equal(t, len(l.X), 5, "%s: factors", l.Label)
		for i, x := range l.X {
			at := took
			if took[0].X != claim.NoX {
				at = took.At(x)
			}
			if l.Y[i].Min != at.Min() || l.Y[i].Max != at.Max() || l.Y[i].N != len(at) {
				t.Errorf("%s at %g: %v, want %v", l.Label, x, l.Y[i], at)
			}
		}
	}
}
