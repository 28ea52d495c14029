package figures

import (
	"math"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/record"
)

// A chart of times: one that is not waited for, one in some trials, two next to each other.
func TestTimesChart(t *testing.T) {
	beyond := math.Inf(1)
	some := record.Spread{N: 3, Mean: beyond, Min: 300, Max: beyond}
	none := record.Spread{N: 3, Mean: beyond, Min: beyond, Max: beyond}
	c := Chart{
		Title: "beyond 1000 in some trials, and in all", X: "swept", Y: "updates", Points: true, Waited: 1000,
		Lines: []Line{
			line("first", 0, []float64{0.1, 1. / 3, 1, 3, 10}, append(ranges(30, 100), some, none, none)),
			line("second", 1, []float64{0.1, 1. / 3, 1, 3, 10}, append(ranges(25, 40, 80, 400), none)),
			line("third", 2, []float64{1}, ranges(900)),
		},
	}
	svg, err := PanelSVG(c)
	check.OK(t, err)
	golden.Check(t, "testdata/charts/times.svg", svg)
	const says = "first from 30 to 100, not in every trial at 1, 3, 10; second from 25 to 400, not in every trial " +
		"at 10; third 900."
	if alt := Alt(c); !strings.Contains(alt, says) {
		t.Errorf("%q, want %q", alt, says)
	}
	for _, want := range []string{"1/10", "1/3", "20", "50", "100", "500", "not all"} {
		if !strings.Contains(string(svg), ">"+want+"</text>") {
			t.Errorf("no %q in the SVG", want)
		}
	}
}
