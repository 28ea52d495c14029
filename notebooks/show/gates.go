package show

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute/support/xslices"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// GatesOver is a test, to be added to a task's. It keeps in the record, for Gates to draw, what gates of these names do
// at every step of the first sequence of data.
func GatesOver(data trial.Data, gates ...string) experiment.Test {
	test := experiment.Test{Data: data, Batches: 1}
	for _, gate := range gates {
		test.Measures = append(test.Measures,
			experiment.Measure{Name: record.Result(overTime + gate), Of: gateOverTime{gate}},
			experiment.Measure{Name: record.Result(biasOf + gate), Of: experiment.GateBias{Gate: gate}})
	}
	return test
}

// What a record calls the results of GatesOver, before the gate's name.
const (
	overTime = "over time: "
	biasOf   = "bias: "
)

// gateOverTime is a gate of all units at every step of a batch's first sequence.
type gateOverTime struct{ Gate string }

// Measure implements experiment.Measurement: [R, T·H], step after step.
func (m gateOverTime) Measure(_, _ []*graph.Node, output experiment.Output) *graph.Node {
	all := graph.AxisRange()
	first := graph.Squeeze(graph.Slice(output.Gate(m.Gate).Values, all, all, graph.AxisRange(0, 1)), 2) // [T, R, H]
	return graph.Reshape(graph.TransposeAllAxes(first, 1, 0, 2), first.Shape().Dimensions[1], -1)
}

// Gates displays what GatesOver kept: a picture for each gate and each arm, or swept value, of its first trial. Steps
// go from left to right, and units upwards in the order of their time scales by the bias of the first gate. The colour
// is the gate's time scale at that step: a light one lets the state change at once, a dark one leaves it alone for
// hundreds of steps. The marked steps have a dash above the pictures.
func Gates(r *record.Record, marked ...int) { drawGates(r, marked, nil) }

// GatesOfText is Gates over a text [T, 1, 1], each of whose characters lasts for some steps: it marks where one begins,
// and writes it below.
func GatesOfText(r *record.Record, text *tensors.Tensor) {
	begins, characters := played(text.Value().([][][]int32))
	drawGates(r, begins, characters)
}

// played are the steps at which the characters of a text begin, and the characters, each in the middle of its steps,
// without those that would overlap.
func played(text [][][]int32) (begins []int, characters plot.ConstantTicks) {
	for t := range text {
		if t == 0 || text[t][0][0] != text[t-1][0][0] {
			begins = append(begins, t)
			characters = append(characters, plot.Tick{Label: strconv.Itoa(int(text[t][0][0]))})
		}
		characters[len(begins)-1].Value = float64(begins[len(begins)-1]+t+1) / 2
	}
	near := float64(len(text)) / 20
	shown := characters[:1]
	for _, c := range characters[1:] {
		if c.Value-shown[len(shown)-1].Value >= near {
			shown = append(shown, c)
		}
	}
	return begins, shown
}

// drawGates displays gates with marked steps and, if there are any, characters in place of the numbers of steps.
func drawGates(r *record.Record, marked []int, characters plot.ConstantTicks) {
	var gates []string
	for name := range r.End.Vectors {
		if gate, ok := strings.CutPrefix(name, overTime); ok {
			gates = append(gates, gate)
		}
	}
	slices.Sort(gates)
	var charts [][]*Chart
	for _, gate := range gates {
		var row []*Chart
		for trial, t := range r.Trials {
			if t.Number > 0 {
				continue
			}
			title := t.Arm
			if t.X != nil {
				title += fmt.Sprintf(", %g", *t.X)
			}
			if gate != "gate" {
				title += ": " + gate + " gate"
			}
			scales := gateScales(gate, r.End.Vectors[overTime+gate][trial])
			chart := gateChart(title, scales, byBias(gates[0], r.End.Vectors[biasOf+gates[0]][trial]), marked)
			if characters != nil {
				chart.X.Label.Text, chart.X.Tick.Marker, chart.X.Tick.Length = "character", characters, 0
				chart.X.Tick.Label.Font.Size = 7 // so that short ones stay apart
			}
			row = append(row, chart)
		}
		charts = append(charts, row)
	}
	withKey(charts, 1.9*vg.Inch, newKey("time scale (steps)", 1, longest, true, shade)).display("")
}

// GateScale is the median time scale, in steps, of what GatesOver kept of an arm's gate: over the units of its first
// trial, and the steps that at chooses.
func GateScale(r *record.Record, arm, gate string, at func(step int) bool) float64 {
	trial := r.Arm(arm)[0]
	units := len(r.End.Vectors[biasOf+gate][trial])
	var chosen []float64
	for i, scale := range gateScales(gate, r.End.Vectors[overTime+gate][trial]) {
		if at(i / units) {
			chosen = append(chosen, scale)
		}
	}
	return claim.Median(chosen)
}

// gateScales are the time scales, in steps, of a gate of these values: 1/(1 − f), and 1/g of a gate that lets the input
// in.
func gateScales(gate string, values []float64) []float64 {
	return xslices.Map(values, func(v float64) float64 {
		if gate == "forget" {
			v = 1 - v
		}
		return 1 / v
	})
}

// byBias lists the units in the order of their time scales by these biases of a gate.
func byBias(gate string, biases []float64) []int {
	sorted, units := slices.Clone(biases), make([]int, len(biases))
	if gate != "forget" {
		floats.Scale(-1, sorted)
	}
	floats.ArgsortStable(sorted, units)
	return units
}

// gateChart shows time scales [T·H], step after step, its units from below in the given order.
func gateChart(title string, scales []float64, order, marked []int) *Chart {
	units := len(order)
	steps := len(scales) / units
	colour := func(t, u int) color.Color { return shade(scales[t*units+order[u]]) }
	chart := NewHeat(title, "step", "unit, by bias", 0, float64(steps), steps, units, colour)
	words := fmt.Sprintf("%s of %d units at %d steps: half of the time scales are above %.3g steps", title, units,
		steps, claim.Median(scales))
	var there []float64
	for _, t := range marked {
		at := float64(t) + 0.5
		chart.Line("", Red, []float64{at, at}, []float64{float64(units) * 1.01, float64(units) * 1.06}, Wide)
		there = append(there, scales[t*units:(t+1)*units]...)
	}
	if len(marked) > 0 {
		words += fmt.Sprintf(", at the marked steps above %.3g", claim.Median(there))
	}
	chart.Words = words + "."
	chart.RangeY(0, float64(units)*1.07)
	return chart
}

// longest is the time scale from which on all are of one colour.
const longest = 1000

// shade is the colour of a time scale, the darker the longer: white is 1 step, and black is longest. It is as well
// ordered in grey. There are a few dozen shades, which a palette holds; see smaller.
func shade(scale float64) color.Color {
	const shades = 48
	along := min(max(math.Log(scale)/math.Log(longest), 0), 1)
	along = 2 * math.Round(along*shades) / shades
	from, to := color.RGBA{0xff, 0xff, 0xff, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff}
	if along > 1 {
		from, to, along = to, Black, along-1
	}
	between := func(a, b uint8) uint8 { return uint8(float64(a) + along*(float64(b)-float64(a)) + 0.5) }
	return color.RGBA{between(from.R, to.R), between(from.G, to.G), between(from.B, to.B), 0xff}
}

// NewHeat returns a chart of colours: columns of cells from low to high on the horizontal axis, and rows counted from
// below on the vertical one. Say in Words what it shows.
func NewHeat(
	title, x, y string, low, high float64, columns, rows int, colour func(column, row int) color.Color,
) *Chart {
	chart := NewChart(title, x, y)
	chart.Add(plotter.NewImage(blocks(columns, rows, colour), low, 0, high, float64(rows)))
	chart.RangeX(low, high)
	chart.RangeY(0, float64(rows))
	return chart
}

// blocks is an image of one block of pixels for each cell, the cells' rows counted from below. Single pixels would be
// blurred where they are shown.
func blocks(columns, rows int, colour func(column, row int) color.Color) image.Image {
	const size = 6
	img := image.NewRGBA(image.Rect(0, 0, columns*size, rows*size))
	for y := range rows * size {
		for x := range columns * size {
			img.Set(x, y, colour(x/size, rows-1-y/size))
		}
	}
	return img
}

// withKey draws charts in rows of that height, and beside them which colour is which value.
func withKey(rows [][]*Chart, height vg.Length, key *Chart) picture {
	const inner, side = 6 * vg.Inch, 0.8 * vg.Inch
	total := height * vg.Length(len(rows))
	return drawing(inner+side, total, alt(slices.Concat(rows...)), func(canvas draw.Canvas) {
		drawRow([]*Chart{key}, draw.Crop(canvas, inner, 0, 0, 0))
		for i, row := range rows {
			top := height * vg.Length(i)
			drawRow(row, draw.Crop(canvas, 0, -side, total-top-height, -top))
		}
	})
}

// newKey returns a chart of the colours of values from low to high.
func newKey(title string, low, high float64, logarithm bool, colour func(v float64) color.Color) *Chart {
	const levels = 96
	key := NewChart("", "", title)
	if logarithm {
		key.LogY()
	}
	from, to := scaled(low, logarithm), scaled(high, logarithm)
	key.Add(plotter.NewImage(blocks(1, levels, func(_, level int) color.Color {
		v := from + (to-from)*float64(level)/(levels-1)
		if logarithm {
			v = math.Pow(10, v)
		}
		return colour(v)
	}), 0, from, 1, to))
	key.X.Tick.Marker = plot.ConstantTicks{}
	key.RangeY(low, high)
	return key
}
