package figures

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/golden"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

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
	beyond := math.Inf(1)
	some := record.Spread{N: 3, Mean: beyond, Min: 300, Max: beyond}
	none := record.Spread{N: 3, Mean: beyond, Min: beyond, Max: beyond}
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
		"sweep": Chart{
			Points: true, Title: "side by side, with levels", X: "swept", Y: "loss (%)", High: 105,
			Lines: []Line{
				line("first", 0, []float64{1, 10, 25, 50}, ranges(0, 10, 30, 95)),
				line("second", 1, []float64{1, 10, 28, 50}, ranges(0, 10, 20, 80)),
				line("third", 2, []float64{1, 50}, ranges(0, 5)),
			},
			References: []Reference{
				{"memoryless", []float64{1, 50}, []float64{100, 100}}, {"solved", []float64{1, 50}, []float64{5, 5}},
			},
		},
		"sweep-styles": Chart{
			Points: true, Title: "the eight styles", X: "swept", Y: "accuracy (%)", High: 100, Lines: eight(),
		},
		"text": Chart{Drawing: Texts{Title: "a text and its shades", Cells: 12, Rows: []Row{
			{"input", []rune("warps"), []int{0, 1, 2, 3, 4}}, {"output", []rune("··war"), []int{-1, -1, 0, 1, 2}},
		}}},
		"curves-log": Chart{
			Title: "below the axis; cut off", X: "epochs", Y: "error", End: 5, Log: true, Low: 1e-3, High: 1,
			Lines: []Line{
				line("first", 0, []float64{1, 2, 3, 4, 5}, ranges(3, 0.5, 0.1, 0.01, 1e-4)),
				line("second", 1, []float64{1, 2, 3}, ranges(0.3, 0.2, 0)),
			},
			References: []Reference{{"to compare with", []float64{0, 5}, []float64{0.5, 0.5}}},
		},
		"schematic": Chart{Title: "two parts", Drawing: Schematic{
			Boxes: []Box{
				{X: 0.2, Y: 0.1, Width: 0.2, Height: 0.1, Text: "one"},
				{X: 0.7, Y: 0.3, Width: 0.2, Height: 0.1, Text: "other", Shade: 1},
			},
			Arrows: []Arrow{
				{Through: [][2]float64{{0.3, 0.1}, {0.7, 0.1}, {0.7, 0.25}}},
				{Through: [][2]float64{{0.6, 0.3}, {0.2, 0.15}}, Dashed: true},
			},
			Texts: []Box{{X: 0.5, Y: 0.05, Text: "on the way"}},
		}},
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
			golden.Check(t, "testdata/charts/"+name+".svg", check.Got(PanelSVG(c))(t))
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
func TestSharesOfArmsAtOtherValues(t *testing.T) {
	run := func(arm string, at ...float64) *record.Record {
		final := map[string]record.Values{}
		for _, x := range at {
			final[string(record.Result("right").At(x))] = record.Values{0.5}
		}
		return &record.Record{
			Header: record.Header{Trials: []record.Trial{{Arm: arm}}}, End: &record.End{Final: final},
		}
	}
	p := Panel{
		Panel:   experiment.Panel{Arms: []experiment.Arm{{Name: "a"}, {Name: "b"}}},
		Records: []*record.Record{run("a", 10, 20, 30), run("b", 10, 15)},
	}
	v := Shares{Of: "right", Levels: []Level{{Label: "level", Value: 75}}, At: func(Panel) float64 { return 0 }}
	c := v.Chart("", p)
	check.Equal(t, c.axes().xs, []float64{10, 15, 20, 30}, "ticks")
	check.Equal(t, c.References[0].X, []float64{10, 30}, "the level's ends")
}

// line is one of three trials: the mean and the ends of the range.
func line(label string, style int, x []float64, y []record.Spread) Line {
	l := Line{Label: label, Style: style, X: x, Y: y}
	for _, s := range y {
		l.Trials = append(l.Trials, []float64{s.Min, s.Mean, s.Max})
	}
	return l
}

// The thick line is the median of the trials, so that no spike of one moves it; it ends where one diverges.
func TestMiddle(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	l := Line{Y: ranges(7), Trials: [][]float64{{1, 900, 2}, {1, nan, 4}, {inf, nan, nan}}}
	check.That(t, l.Middle(0) == 2 && math.IsNaN(l.Middle(1)) && math.IsNaN(l.Middle(2)),
		"%g, %g and %g, want 2, NaN and NaN", l.Middle(0), l.Middle(1), l.Middle(2))
	if l.Trials = nil; l.Middle(0) != 7 {
		t.Errorf("of unknown trials %g, want the mean, 7", l.Middle(0))
	}
}

// What is below a logarithmic axis stands at its end, 0 and less included: a loss below the best expected one.
func TestBelowLogarithmicAxis(t *testing.T) {
	a := Chart{Log: true, Low: 1e-3, High: 1}.axes()
	for v, want := range map[float64]float64{1: 0, 1e-4: -3, 0: -3, -0.1: -3} {
		check.Equal(t, a.y(v), want, "where %g stands", v)
	}
}

// eight lines in all styles.
func eight() []Line {
	var lines []Line
	for i := range styles {
		h := 95 - 10*float64(i)
		label, xs := string(rune('A'+i)), []float64{50, 100, 200, 300}
		lines = append(lines, line(label, i, xs, ranges(h, h-5, h-8, h-10)))
	}
	return lines
}

// A line of many points has bars at its ends, and at every third point between.
func TestBars(t *testing.T) {
	for n, want := range map[int][]int{8: {0, 1, 2, 3, 4, 5, 6, 7}, 10: {0, 3, 6, 9}} {
		var got []int
		for i := range n {
			if (Line{X: make([]float64, n)}).barred(i) {
				got = append(got, i)
			}
		}
		check.Equal(t, fmt.Sprint(got), fmt.Sprint(want), "places with bars of %d", n)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 0.06, "0 0.02 0.04 0.06"}, {0, 0.25, "0 0.05 0.10 0.15 0.20 0.25"}, {0, 6000, "0 2k 4k 6k"},
		{0, 25000, "0 5k 10k 15k 20k 25k"}, {0, 1, "0 0.2 0.4 0.6 0.8 1.0"}, {-1.97, 103.97, "0 20 40 60 80 100"},
		{0, 4687, "0 1k 2k 3k 4k"}, {0, 600, "0 200 400 600"}, {-2, 2, "−2 −1 0 1 2"},
		{-0.02, 0.01, "−0.02 −0.01 0 0.01"},
	} {
		var got []string
		for _, tick := range (Ticks{}).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		check.Equal(t, strings.Join(got, " "), c.want, "ticks from %g to %g", c.low, c.high)
	}
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
		for _, ticker := range []plot.Ticker{Ticks{}, decades{}, oneTwoFive{end: c[1]}} {
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
