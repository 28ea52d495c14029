package show

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/warptime/warptime/internal/check"
)

func TestPowers(t *testing.T) {
	for from, want := range map[[2]float64]string{
		{-4, 0}: "0.0001 0.001 0.01 0.1 1", {-4, 3}: "0.0001  0.01  1  100 ", {-6, 0}: "1e-6  1e-4  1e-2  1",
	} {
		var got []string
		for _, tick := range powers(from[0], from[1]) {
			got = append(got, tick.Label)
		}
		check.Equal(t, strings.Join(got, " "), want, "labels from and to %g", from)
	}
}

// A line must not be drawn across points that the axes cannot show.
func TestLineIsInterrupted(t *testing.T) {
	x, y := []float64{1, 2, 3, 4, 5, 6}, []float64{1, 10, 0, math.NaN(), 100, 1000}
	for logarithmic, want := range map[bool][][]float64{false: {{1, 10, 0}, {100, 1000}}, true: {{0, 1}, {2, 3}}} {
		c := NewChart("", "", "")
		if logarithmic {
			c.LogY()
		}
		var pieces [][]float64
		c.Line("", Black, x, y, func(l *plotter.Line) {
			var piece []float64
			for _, point := range l.XYs {
				piece = append(piece, point.Y)
			}
			pieces = append(pieces, piece)
		})
		check.Close(t, pieces, want, 1e-12, "pieces of a line (logarithmic: %t)", logarithmic)
	}
}

func TestHistogram(t *testing.T) {
	c := NewChart("", "", "")
	var bars plotter.XYs
	c.Histogram("", Red, []float64{1, 2, 4, 8}, []float64{1, 1.5, 2, 7, 9}, func(l *plotter.Line) { bars = l.XYs })
	want := plotter.XYs{{X: 1, Y: .4}, {X: 2, Y: .4}, {X: 2, Y: .2}, {X: 4, Y: .2}, {X: 4, Y: .2}, {X: 8, Y: .2}}
	check.Equal(t, bars, want, "bars")
}
