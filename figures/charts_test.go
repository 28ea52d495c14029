package figures

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/record"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ranges are means with a fifth of them to either side.
func ranges(means ...float64) []record.Spread {
	var all []record.Spread
	for _, m := range means {
		all = append(all, record.Spread{N: 3, Mean: m, Min: 0.8 * m, Max: 1.2 * m})
	}
	return all
}

// One chart of each kind, with what is special about it. The pictures are testdata/charts/*.svg: look at them after a
// change, and run the test with -rewrite if they are right.
func TestCharts(t *testing.T) {
	for name, c := range map[string]Chart{
		"curves": CurveChart{
			Title: "diverges; a spike; interrupted", X: "updates", Y: "loss", End: 1200, High: 1.5,
			Lines: []Line{
				{"first", 0, 0, []float64{50, 150, 250, 350}, ranges(3, 1, 0.9, math.NaN())},
				{"second", 1, 0, []float64{50, 150, 250, 350, 450, 1150}, ranges(1.2, 0.9, 30, 0.7, 0.1, 0.01)},
				{"third", 2, 0, []float64{50, 150, 250, 350, 450}, ranges(0.5, math.Inf(1), 0.3, 0.2, 0.2)},
			},
			References: []Reference{{"to compare with", []float64{0, 1200}, []float64{1, 1}}},
		},
		"sweep-log": SweepChart{
			Title: "all below at 1, two at 10", X: "swept", Y: "loss", Log: true, Low: 1e-4,
			Lines: []Line{
				{"first", 0, 0, []float64{1, 10, 25, 50}, ranges(0, 0.01, 0.3, 1)},
				{"second", 1, 0, []float64{1, 10, 25, 50}, ranges(1e-9, 2e-5, 1e-3, 0.1)},
				{"third", 2, 0, []float64{1, 10, 25, 50}, ranges(9e-5, 9e-5, 9e-5, 1.1e-4)},
			},
			References: []Reference{
				{"memoryless", []float64{1, 10, 25, 50}, []float64{2, 1.5, 1.2, 1}},
				{"best", []float64{1, 10, 25, 50}, []float64{0, 1e-3, 2e-3, 3e-3}},
			},
		},
		"sweep-linear": SweepChart{
			Title: "the eight styles", X: "swept", Y: "accuracy (%)", Least: "least", High: 100, Lines: eight(),
		},
		"text": TextChart{Title: "a text and its shades", Cells: 12, Rows: []TextRow{
			{"input", []rune("warps"), []int{0, 1, 2, 3, 4}}, {"output", []rune("··war"), []int{-1, -1, 0, 1, 2}},
		}},
		"curves-log": CurveChart{
			Title: "below the axis; cut off", X: "epochs", Y: "error", End: 5, Log: true, Low: 1e-3, High: 1,
			Lines: []Line{
				{"first", 0, 0, []float64{1, 2, 3, 4, 5}, ranges(3, 0.5, 0.1, 0.01, 1e-4)},
				{"second", 1, 0, []float64{1, 2, 3}, ranges(0.3, 0.2, 0)},
			},
			References: []Reference{{"to compare with", []float64{0, 5}, []float64{0.5, 0.5}}},
		},
		"trajectories": TrajectoryChart{
			Title: "three of four values", X: "t", Y: "x", Low: -1, High: 4, Truth: []float64{3, 2, 1, 0},
			Samples: [][]float64{{3, 2.5, 1, -0.5}, {3, 1.5, 1, 0.5}, {3, 2, 1.2, math.NaN()}},
		},
		"nothing-generated": TrajectoryChart{Title: "no points", X: "t", Y: "x", Low: 0, High: 1},
		"schematic": SchematicChart{
			Title: "two parts",
			Boxes: []Box{
				{X: 0.2, Y: 0.1, Width: 0.2, Height: 0.1, Text: "one"},
				{X: 0.7, Y: 0.3, Width: 0.2, Height: 0.1, Text: "the\nother", Shade: 1},
			},
			Arrows: []Arrow{
				{Through: [][2]float64{{0.3, 0.1}, {0.7, 0.1}, {0.7, 0.25}}},
				{Through: [][2]float64{{0.6, 0.3}, {0.2, 0.15}}, Dashed: true},
			},
			Texts: []Box{{X: 0.5, Y: 0.05, Text: "on the way"}},
		},
		"empty": SweepChart{Title: "no points", X: "x", Y: "y"},
	} {
		t.Run(name, func(t *testing.T) {
			svg, err := PanelSVG(c)
			check(t, err)
			golden.Check(t, "testdata/charts/"+name+".svg", svg)
		})
	}
}

// Marks outside of an axis stand side by side about their x, and one alone at it.
func TestShift(t *testing.T) {
	inside, outside := record.Spread{Mean: 1}, record.Spread{Mean: math.Inf(1)}
	lines := []Line{
		{"first", 0, 0, []float64{1, 2, 3}, []record.Spread{inside, outside, outside}},
		{"second", 1, 0, []float64{2, 3}, []record.Spread{outside, inside}},
		{"third", 2, 0, []float64{2}, []record.Spread{outside}},
	}
	for _, c := range []struct {
		place     int
		x, widths float64
	}{{0, 2, -1.3}, {1, 2, 0}, {2, 2, 1.3}, {0, 3, 0}} {
		if got := besides(lines, c.place).shift(c.x, isBeyond); got != vg.Length(c.widths)*arrowSize {
			t.Errorf("%s at %g is moved by %g, want %g widths", lines[c.place].Label, c.x, got, c.widths)
		}
	}
}

// eight lines in all styles.
func eight() []Line {
	var lines []Line
	for i := range styles {
		h := 95 - 10*float64(i)
		label, xs := string(rune('A'+i)), []float64{50, 100, 200, 300}
		lines = append(lines, Line{label, i, 0, xs, ranges(h, h-5, h-8, h-10)})
	}
	return lines
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 0.06, "0 0.02 0.04 0.06"}, {0, 0.25, "0 0.05 0.10 0.15 0.20 0.25"}, {0, 6000, "0 2k 4k 6k"},
		{0, 25000, "0 5k 10k 15k 20k 25k"}, {0, 1, "0 0.2 0.4 0.6 0.8 1.0"}, {-1.97, 103.97, "0 20 40 60 80 100"},
		{0, 4687, "0 1k 2k 3k 4k"}, {0, 600, "0 200 400 600"},
	} {
		var got []string
		for _, tick := range (Ticks{}).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%g to %g: %q, want %q", c.low, c.high, s, c.want)
		}
	}
}

func TestDecades(t *testing.T) {
	var got []string
	for _, tick := range (decades{}).Ticks(math.Log10(1e-4), 0) {
		got = append(got, tick.Label)
	}
	if s := strings.Join(got, " "); s != "0.0001 0.001 0.01 0.1 1" {
		t.Errorf("%q", s)
	}
}

func TestLeastNamed(t *testing.T) {
	var got []string
	for _, tick := range (leastNamed{"train", 50}).Ticks(0, 500) {
		got = append(got, tick.Label)
	}
	if s := strings.Join(got, " "); s != "train 100 200 300 400 500" {
		t.Errorf("%q", s)
	}
}
