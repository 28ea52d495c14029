package figures

import (
	"math"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

func TestAltLine(t *testing.T) {
	for _, c := range []struct {
		y    []float64
		want string
	}{
		{[]float64{3, 2, 1}, "it from 3 to 1"},
		{[]float64{0.25, 0.25}, "it 0.25"},
		{[]float64{1, 5, 2}, "it from 1 to 2, highest 5"},
		{[]float64{1, 0.1, 2}, "it from 1 to 2, lowest 0.1"},
		{[]float64{2, 2.01, 1}, "it from 2 to 1"},
		{[]float64{math.NaN(), 2, math.Inf(1)}, "it 2"},
		{[]float64{math.NaN()}, "it, no points"},
	} {
		check.Equal(t, AltLine("it", c.y), c.want, "%v", c.y)
	}
}

// What is said of a chart is in its SVG, and names every line.
func TestAlt(t *testing.T) {
	c := Chart{Title: "loss & rest", X: "updates", Y: "loss", End: 2, Lines: []Line{
		{Label: "standard", X: []float64{1, 2}, Y: []record.Spread{{Mean: 3}, {Mean: 1}}},
	}, References: []Reference{{"memoryless", []float64{0, 2}, []float64{0.5, 0.5}}}}
	want := "loss & rest: loss by updates. standard from 3 to 1; memoryless 0.5."
	check.Equal(t, Alt(c), want, "in words")
	svg, err := PanelSVG(c)
	if err != nil || !strings.Contains(string(svg), `aria-label="`+strings.ReplaceAll(want, "&", "&amp;")+`"`) {
		t.Errorf("the SVG does not say it (%v)", err)
	}
}
