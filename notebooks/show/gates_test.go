package show

import (
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
)

// A gate that depends on nothing but its bias is that bias at every step: what is kept must be it, unit by unit.
func TestGatesAreKept(t *testing.T) {
	const T, H = 7, 32
	shown := capture(t)
	e := short(t)
	network := e.Network.(experiment.Recurrent)
	network.Cell = cell.Leaky{Hidden: H}
	network.GateInit = []chrono.GateInit{chrono.Chrono{Tmax: 50}}
	e.Network = network
	tasks := []task.Symbols{task.Warp{Length: T, Min: 1, Max: 3}}
	one := trial.Sampled[task.Symbols]{Tasks: tasks, Split: "shown", Batch: 2}
	e.Tests = []experiment.Test{GatesOver(one, "leak")}
	r := Watch(e)
	for i := range r.Trials {
		over, biases := r.End.Vectors[overTime+"leak"][i], r.End.Vectors[biasOf+"leak"][i]
		check.Equal(t, len(biases), H, "biases of trial %d", i)
		var want []float64
		for k := range T * len(biases) {
			want = append(want, 1/(1+math.Exp(-biases[k%len(biases)])))
		}
		check.Near(t, over, want, 1e-6, "gates of trial %d", i)
	}
	leaks := r.End.Vectors[overTime+"leak"][0]
	check.Equal(t, GateScale(r, "rnn", "leak", func(step int) bool { return step == 2 }),
		claim.Median(gateScales("leak", leaks[2*H:3*H])), "median time scale at step 2")
	Gates(r, 2)
	last := (*shown)[len(*shown)-1]
	svg, _ := last.Data[protocol.MIMEImageSVG].(string)
	check.Contains(t, svg, `aria-label="rnn, 1: leak gate of 32 units at 7 steps: `)
	// A row of a heat map is at its unit's place on the axis only if the image fills its rectangle.
	images := strings.Count(svg, "<image ")
	fill := strings.Count(svg, `<image preserveAspectRatio="none" `)
	check.That(t, images >= 2 && fill == images, "of %d images, %d fill their rectangles", images, fill)
}

// A character stands in the middle of its steps.
func TestPlayed(t *testing.T) {
	begins, characters := played([][][]int32{{{4}}, {{7}}, {{7}}, {{7}}, {{4}}})
	check.Equal(t, begins, []int{0, 1, 4}, "begins")
	check.Equal(t, characters, plot.ConstantTicks{
		{Value: 0.5, Label: "4"}, {Value: 2.5, Label: "7"}, {Value: 4.5, Label: "4"},
	}, "characters")

	long := slices.Repeat([][][]int32{{{4}}}, 40)
	long[1] = [][]int32{{7}} // one step after the first
	begins, characters = played(long)
	check.Equal(t, begins, []int{0, 1, 2}, "begins of all")
	check.Equal(t, characters, plot.ConstantTicks{{Value: 0.5, Label: "4"}, {Value: 21, Label: "4"}}, "those with room")
}

func TestGateScales(t *testing.T) {
	check.Equal(t, gateScales("forget", []float64{0.5, 0.75}), []float64{2, 4}, "forget")
	check.Equal(t, gateScales("input", []float64{0.5, 0.25}), []float64{2, 4}, "input")
	check.Equal(t, byBias("forget", []float64{5, 1, 3}), []int{1, 2, 0}, "order by forget gates")
	check.Equal(t, byBias("update", []float64{5, 1, 3}), []int{0, 2, 1}, "order by update gates")
}

// The longer the time scale, or the further a number is from 0, the darker the shade, also in grey.
func TestShadesAreOrdered(t *testing.T) {
	ordered := func(name string, colour func(along float64) color.Color) {
		for i := range 20 {
			grey := func(i int) int { return int(color.GrayModel.Convert(colour(float64(i) / 20)).(color.Gray).Y) }
			check.That(t, grey(i+1) < grey(i), "%s: %d of 20 is as light as %d", name, i+1, i)
		}
	}
	ordered("time scale", func(along float64) color.Color { return shade(math.Pow(longest, along)) })
	ordered("positive", signed)
	ordered("negative", func(along float64) color.Color { return signed(-along) })
	red := signed(2).(color.RGBA)
	check.That(t, red.R >= red.B, "positive is blue")
}

// Rows are counted from below: the first unit is at the bottom.
func TestBlocks(t *testing.T) {
	img := blocks(3, 2, func(column, row int) color.Color { return color.Gray{uint8(10*column + row)} })
	size := img.Bounds().Dx() / 3
	for _, c := range []struct{ column, row int }{{0, 0}, {2, 0}, {1, 1}} {
		x, y := c.column*size+size/2, (1-c.row)*size+size/2
		want := color.Color(color.Gray{uint8(10*c.column + c.row)})
		check.Equal(t, color.GrayModel.Convert(img.At(x, y)), want, "%+v", c)
	}
}
