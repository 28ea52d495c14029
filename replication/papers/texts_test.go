package papers_test

import (
	"math"
	"strings"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// predicting is a record of a part of a panel of Figure 7 as it might be: chrono is better by a little, and as printed
// worse by much.
func predicting(panel string, scale record.Scale, part string) *record.Record {
	r := &record.Record{Header: header("fig7", panel, scale, part), End: &record.End{Updates: 2600}}
	for i := range 6 {
		arm := []string{"standard", "chrono"}[i/3]
		if part != "" {
			arm = part
		}
		t := record.Trial{Arm: arm, Number: i % 3}
		if scale == "quick" {
			best := 0.4
			if panel == "ptb" {
				best *= float64(r.Steps)
			}
			t.Best = &best
		}
		if part == "" || i < 3 {
			r.Trials = append(r.Trials, t)
		}
	}
	for update := 130; update <= r.Updates; update += 130 {
		p := record.Point{Update: update, Series: "valid_bits"}
		if panel == "ptb" {
			p.Series = "valid_entropy"
		}
		for i, t := range r.Trials {
			bits := 1.4 + map[string]float64{"standard": 0.02, "chrono": 0, "literal": 0.5}[t.Arm]
			bits += 2*math.Exp(-float64(update)/500) + 0.004*float64(i%3)
			if panel == "ptb" {
				bits += 3
			}
			p.Values = append(p.Values, bits)
		}
		r.Points = append(r.Points, p)
	}
	return r
}

// fig7Records are of the text's first part in one panel, and of made-up text in the other.
func fig7Records() []*record.Record {
	return []*record.Record{
		predicting("text8", "reduced", ""), predicting("ptb", "quick", ""), predicting("ptb", "quick", "literal"),
	}
}

// Whoever sees a made-up text cannot take it for a real one, nor a part of text8 for all of it.
func TestTextsAreNamed(t *testing.T) {
	for _, c := range []struct {
		panel       string
		scale       record.Scale
		says, never []string
	}{
		{"text8", "quick", []string{"(a) made-up text (paper: text8)",
			"no real text, but 400,000", "best possible"}, nil},
		{"text8", "reduced", []string{"(a) text8, its first 7.5 % (paper: text8)",
			"only the first 7,475,756 of text8's 100,000,000 characters"}, []string{"made-up", "best possible"}},
		{"text8", "paper", []string{"(a) text8", "text8: 90,000,000 characters for training"},
			[]string{"only the first", "made-up"}},
		{"ptb", "quick", []string{"(b) made-up text (paper: Penn Treebank)",
			"no real text, but 120,000"}, nil},
		{"ptb", "reduced", []string{"(b) PTB, 2,000 words (paper: Penn Treebank)",
			"only the 2,000 most frequent are told apart"},
			[]string{"made-up"}},
		{"ptb", "paper", []string{"(b) Penn Treebank"}, []string{"made-up", "most frequent"}},
	} {
		records := []*record.Record{predicting(c.panel, c.scale, "")}
		text := strings.ReplaceAll(textOf(t, svgOf(t, "warp/fig7", records)), nbsp, " ")
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s at scale %s does not say %q:\n%s", c.panel, c.scale, want, text)
			}
		}
		for _, not := range c.never {
			if strings.Contains(text, not) {
				t.Errorf("%s at scale %s says %q:\n%s", c.panel, c.scale, not, text)
			}
		}
	}
}

// Words are drawn as perplexities, each trial's by itself, and the frame holds the end of every line.
func TestPerplexities(t *testing.T) {
	records := fig7Records()[1:]
	charts, err := papers.All.PanelCharts(records...)
	check(t, err)
	c := charts[0].(figures.CurveChart)
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
	if want := math.Exp(0.4); len(c.References) != 1 || math.Abs(c.References[0].Y[1]-want) > 1e-12 {
		t.Errorf("levels %v, want %g", c.References, want)
	}
	if first := c.Lines[0].Y[0].Mean; first < c.High {
		t.Errorf("the frame, up to %g, holds the first points at %g", c.High, first)
	}
}
