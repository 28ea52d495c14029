package show

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gomlx/compute/support/xslices"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// LetterStates displays learned initial states of the retrieval task: h0 of the letters a, b, … and of the free
// variable as a map, A0 of the first letter, and the letters along the two directions in which their h0 differ most.
func LetterStates(h0, a0 [][]float64, free []float64) {
	units := xslices.Iota(0, len(free))
	columns := append(slices.Clone(h0), make([]float64, len(free)), free) // the letters, a gap, free
	letters := NewMap("h0", "first letter", "unit", columns, units, 0, float64(len(columns)-1), 1)
	ticks := plot.ConstantTicks{{Value: float64(len(columns) - 1), Label: "free"}}
	along, _ := Principal(h0)
	var names plotter.XYLabels
	for i := range h0 {
		name := string(rune('a' + i))
		names.XYs = append(names.XYs, plotter.XY{X: along[0][i], Y: along[1][i]})
		names.Labels = append(names.Labels, name)
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
	}
	letters.X.Tick.Marker = ticks
	rows := slices.Collect(slices.Chunk(a0[0], len(free)))
	last := float64(len(rows) - 1)
	Maps(1, letters, NewMap("A0 of first letter a", "row", "column", rows, units, 0, last, 1))

	plane := NewChart("h0 of the first letters", "component 1", "component 2")
	labels := Must(plotter.NewLabels(names))
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font = plane.Legend.TextStyle.Font
	}
	plane.Add(labels)
	plane.RangeX(1.1*plane.X.Min, 1.1*plane.X.Max)
	plane.RangeY(1.1*plane.Y.Min, 1.1*plane.Y.Max)
	Charts(4.5*vg.Inch, 2.6*vg.Inch, plane)
}

// DecayStates displays initial states of an LSTM over contexts: h0 and c0 as maps over T at the middle x(0), their
// units by how much they rise from the least T to the greatest, and all states along the two directions in which they
// differ most. It returns how much of their variance goes with T alone, and with x(0) alone.
func DecayStates(states [][]float64, of Contexts, units int) (byT, byX float64) {
	n, middle := len(of.Periods), len(of.Starts)/2
	there := states[middle*n : (middle+1)*n]
	low, high := of.Periods[0], of.Periods[n-1]
	var charts []*Chart
	for part, name := range []string{"h0", "c0"} {
		rows := make([]int, units)
		for i := range rows {
			rows[i] = part*units + i
		}
		rise := func(i int) float64 { return there[n-1][i] - there[0][i] }
		slices.SortFunc(rows, func(a, b int) int { return cmp.Compare(rise(a), rise(b)) })
		title := fmt.Sprintf("%s, x(0) = %g", name, of.Starts[middle])
		charts = append(charts, NewMap(title, "T", "unit, by rise", there, rows, low, high, 4))
	}
	Maps(4, charts...)

	along, share := Principal(states)
	component := func(k int) string { return fmt.Sprintf("component %d (%.0f %%)", k+1, 100*share[k]) }
	plane := NewChart("initial states", component(0), component(1))
	over := NewChart("over T", "T", component(0))
	for k, x0 := range of.Starts {
		one, two := along[0][k*n:(k+1)*n], along[1][k*n:(k+1)*n]
		plane.Line("", Palette[k], one, two)
		over.Line(fmt.Sprintf("x(0) = %g", x0), Palette[k], of.Periods, one)
	}
	over.LegendLeft()
	Charts(3.4*vg.Inch, 2.6*vg.Inch, plane, over)
	return Due(states, func(i int) int { return i % n }), Due(states, func(i int) int { return i / n })
}
