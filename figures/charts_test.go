package figures

import (
	"math"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/golden"
)

// ranges are the values of three trials at each place: means, with a fifth of them to either side.
func ranges(means ...float64) (trials [][]float64) {
	for _, m := range means {
		trials = append(trials, []float64{0.8 * m, m, 1.2 * m})
	}
	return trials
}

func line(label string, style int, x []float64, trials [][]float64) Line {
	return Line{Label: label, Style: style, X: x, Trials: trials}
}

// What no committed figure has, or not side by side: papers.TestCommittedFigures compares those. The pictures are
// testdata/charts/*.svg: look at them after a change, and run the test with -rewrite if they are right.
func TestCharts(t *testing.T) {
	beyond := math.Inf(1)
	some, none := []float64{300, beyond, beyond}, []float64{beyond, beyond, beyond}
	for name, c := range map[string]Chart{
		"curves": Chart{
			Title: "diverges; a spike; interrupted", X: "updates", Y: "loss", End: 1200, High: 1.5,
			Lines: []Line{
				line("first", 0, []float64{50, 150, 250, 350}, ranges(3, 1, 0.9, math.NaN())),
				line("second", 1, []float64{50, 150, 250, 350, 450, 1150}, ranges(1.2, 0.9, 30, 0.7, 0.1, 0.01)),
				line("third", 2, []float64{50, 150, 250, 350, 450}, ranges(0.5, math.Inf(1), 0.3, 0.2, 0.2)),
			},
			References: []Reference{{"to compare with", []float64{0, 1200}, []float64{1, 1}}},
		},
		"curves-log": Chart{
			Title: "below the axis; cut off", X: "epochs", Y: "error", End: 5, Log: true, Low: 1e-3, High: 1,
			Lines: []Line{
				line("first", 0, []float64{1, 2, 3, 4, 5}, ranges(3, 0.5, 0.1, 0.01, 1e-4)),
				line("second", 1, []float64{1, 2, 3}, ranges(0.3, 0, -0.1)), // a loss below the best expected one
			},
			References: []Reference{{"to compare with", []float64{0, 5}, []float64{0.5, 0.5}}},
		},
		"sweep-beyond": Chart{
			Points: true, Title: "an infinite value is on top", X: "swept", Y: "loss (%)",
			Lines: []Line{line("first", 0, []float64{1, 10, 50}, ranges(20, math.Inf(1), 40))},
		},
		"times": Chart{
			Title: "beyond 1000 in some trials, and in all", X: "swept", Y: "updates", Points: true, Waited: 1000,
			Lines: []Line{
				line("first", 0, []float64{0.1, 1. / 3, 1, 3, 10}, append(ranges(30, 100), some, none, none)),
				line("second", 1, []float64{0.1, 1. / 3, 1, 3, 10}, append(ranges(25, 40, 80, 400), none)),
				line("third", 2, []float64{1}, ranges(900)),
			},
		},
		"empty": Chart{Points: true, Title: "no points", X: "x", Y: "y"},
	} {
		t.Run(name, func(t *testing.T) {
			golden.Check(t, "testdata/charts/"+name+".svg", check.Got(Single(c).SVG())(t))
		})
	}
}

// The vertical axis of points hides none of the marks.
func TestNoMarkIsHidden(t *testing.T) {
	above, below := line("", 0, []float64{1, 2}, ranges(50, 300)), line("", 0, []float64{1, 2}, ranges(50, 60))
	for _, logarithmic := range []bool{false, true} {
		c := Chart{Points: true, Log: logarithmic, Low: 1, High: 105, Lines: []Line{above}}
		check.Equal(t, c.axes().high, Chart{Log: logarithmic, High: 300}.axes().high, "with a mark above the end")
		c.Lines[0] = below
		check.Equal(t, c.axes().high, Chart{Log: logarithmic, High: 105}.axes().high, "without")
	}
}

// Ticks and levels are those of all arms, of which one may be tested at fewer values.
func TestArmsAtOtherValues(t *testing.T) {
	c := Chart{Points: true, References: []Reference{Level("level", 75)}, Lines: []Line{
		line("a", 0, []float64{10, 20, 30}, ranges(50, 50, 50)), line("b", 1, []float64{10, 15}, ranges(50, 50)),
	}}
	check.Equal(t, c.axes().xs, []float64{10, 15, 20, 30}, "ticks")
	check.Equal(t, c.axes().ends(), []float64{10, 30}, "the level's ends")
}

// A tick names its value: as a fraction only what is one.
func TestSweptLabels(t *testing.T) {
	for x, want := range map[float64]string{0.1: "1/10", 0.333333333333: "1/3", 0.4: "0.4", 0.75: "0.75", 3: "3"} {
		check.Equal(t, sweptLabel(x), want, "label of %g", x)
	}
}

// Ticks are few, and drawing ends, whatever the numbers are.
func TestTicksEnd(t *testing.T) {
	for _, c := range [][2]float64{{1e17, 1e17 + 64}, {-1e17 - 64, -1e17}, {1e308, 1.1e308}, {-1e308, 1e308},
		{math.Inf(-1), 0}, {0, math.Inf(1)}, {math.NaN(), 1}, {1, 1}} {
		for _, ticker := range []plot.Ticker{Ticks{}, plot.TickerFunc(decades), oneTwoFive{end: c[1]}} {
			if n := len(ticker.Ticks(c[0], c[1])); n > 1001 || c[1]-c[0] <= 64 && n > 100 {
				t.Errorf("%T from %g to %g: %d ticks", ticker, c[0], c[1], n)
			}
		}
	}
	large := line("A", 0, []float64{1e17, 1e17 + 64}, ranges(1e17, 1e17+64))
	one := line("B", 1, []float64{1e17}, ranges(1))
	for _, c := range []Chart{
		{Points: true, Lines: []Line{large}}, {Points: true, Lines: []Line{one}},
		{Points: true, Lines: []Line{large}, Waited: 1e17},
		{Lines: []Line{large}, Low: 1e17, High: 1e17 + 64, End: 1e17},
	} {
		check.Got(SVG(200, 200, "", func(canvas draw.Canvas) { c.Plot().Draw(canvas) }))(t)
	}
}
