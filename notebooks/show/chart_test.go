package show

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

func TestPowers(t *testing.T) {
	for high, want := range map[float64]string{0: "0.0001 0.001 0.01 0.1 1", 3: "0.0001  0.01  1  100 "} {
		var got []string
		for _, tick := range powers(-4, high) {
			got = append(got, tick.Label)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("to %g: %q, want %q", high, got, want)
		}
	}
}

// A line must not be drawn across points that the axes cannot show.
func TestLineIsInterrupted(t *testing.T) {
	x, y := []float64{1, 2, 3, 4, 5, 6}, []float64{1, 10, 0, math.NaN(), 100, 1000}
	for _, logarithmic := range []bool{false, true} {
		var pieces []plotter.XYs
		c := NewChart("", "", "")
		want := [][]float64{{1, 10, 0}, {100, 1000}}
		if logarithmic {
			c.LogY()
			want = [][]float64{{0, 1}, {2, 3}}
		}
		c.Line("", Black, x, y, func(l *plotter.Line) { pieces = append(pieces, l.XYs) })
		if len(pieces) != len(want) {
			t.Fatalf("logarithmic %v: %d pieces %v, want %v", logarithmic, len(pieces), pieces, want)
		}
		for i, piece := range pieces {
			if len(piece) != len(want[i]) {
				t.Fatalf("logarithmic %v: pieces %v, want %v", logarithmic, pieces, want)
			}
			for k := range piece {
				if math.Abs(piece[k].Y-want[i][k]) > 1e-12 {
					t.Errorf("logarithmic %v: pieces %v, want %v", logarithmic, pieces, want)
				}
			}
		}
	}
}

func TestHistogram(t *testing.T) {
	c := NewChart("", "", "")
	var bars plotter.XYs
	c.Histogram("", Red, []float64{1, 2, 4, 8}, []float64{1, 1.5, 2, 7, 9}, func(l *plotter.Line) { bars = l.XYs })
	want := plotter.XYs{{X: 1, Y: .4}, {X: 2, Y: .4}, {X: 2, Y: .2}, {X: 4, Y: .2}, {X: 4, Y: .2}, {X: 8, Y: .2}}
	if !slices.Equal(bars, want) {
		t.Errorf("histogram %v, want %v", bars, want)
	}
}
