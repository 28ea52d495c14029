package claim

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

// sweepEvidence is a panel in two parts: "gated" has two trials at x = 1 and 10, "rnn" two at 1; they have losses of
// 10·x + number.
func sweepEvidence() Evidence {
	e := Evidence{Scale: "quick", MinTrials: 2}
	for _, part := range []struct {
		arm string
		xs  []float64
	}{{"gated", []float64{10, 1}}, {"rnn", []float64{1}}} {
		r := newRecord("warp", "quick", nil)
		r.Part = part.arm
		var losses record.Values
		var vectors []record.Values
		for _, x := range part.xs {
			for number := range 2 {
				memoryless, best := 2*x, x
				r.Trials = append(r.Trials, record.Trial{Arm: part.arm, X: &x, Number: number, Memoryless: &memoryless,
					Best: &best})
				losses = append(losses, 10*x+float64(number))
				vectors = append(vectors, record.Values{x, float64(number)})
			}
		}
		r.End.Final["loss"] = losses
		r.End.Vectors = map[string][]record.Values{"bias": vectors}
		e.Records = append(e.Records, r)
	}
	return e
}

// armOf returns the trials of an arm of the panel "warp".
func armOf(t *testing.T, e Evidence, arm string) Trials {
	t.Helper()
	trials, err := e.Arm("warp/fig3", "warp", arm)
	check.OK(t, err)
	return trials
}

func TestArm(t *testing.T) {
	e := sweepEvidence()
	e.Records = append(e.Records, newRecord("copy500", "quick", chronoWins))
	gated := armOf(t, e, "gated")
	if len(gated) != 4 {
		t.Fatalf("%d trials", len(gated))
	}
	check.Equal(t, gated.Xs(), []float64{1, 10}, "swept values")
	for _, c := range []struct {
		name   string
		got    func(Trials) ([]float64, error)
		at     float64
		values []float64
	}{
		{"final", func(ts Trials) ([]float64, error) { return ts.Final("loss") }, 10, []float64{100, 101}},
		{"final", func(ts Trials) ([]float64, error) { return ts.Final("loss") }, 1, []float64{10, 11}},
		{"memoryless", Trials.Memoryless, 10, []float64{20, 20}},
		{"best", Trials.Best, 10, []float64{10, 10}},
		{"excess", func(ts Trials) ([]float64, error) { return ts.Excess("loss") }, 10, []float64{9, 9.1}},
		{"nothing", func(ts Trials) ([]float64, error) { return ts.Final("loss") }, 5, nil},
	} {
		if values, err := c.got(gated.At(c.at)); err != nil || !slices.Equal(values, c.values) {
			t.Errorf("%s at %g: %v, %v, want %v", c.name, c.at, values, err, c.values)
		}
	}
	vectors, err := gated.At(10).Vectors("bias")
	if err != nil || !reflect.DeepEqual(vectors, [][]float64{{10, 0}, {10, 1}}) {
		t.Errorf("vectors %v, %v", vectors, err)
	}
	if len(gated) != 4 || *gated[0].Declared().X != 10 {
		t.Errorf("At has changed what it was asked of: %v", gated)
	}
}

func TestArmInSeveralParts(t *testing.T) {
	e := sweepEvidence()
	for i := range e.Records[1].Trials { // the second part has more trials of the first one's arm
		e.Records[1].Trials[i].Arm = "gated"
		e.Records[1].Trials[i].Number += 2
	}
	if gated := armOf(t, e, "gated"); len(gated.At(1)) != 4 || len(gated.At(10)) != 2 {
		t.Errorf("%d trials", len(gated))
	}
	e.Records[1].Trials[0].Number = 0
	_, err := e.Arm("warp/fig3", "warp", "gated")
	check.Rejected(t, "a trial that is there twice", err, "trial 0 of gated at 1 is twice in warp/fig3 warp")
}

func TestWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(e *Evidence)
	}{
		{"no record of warp/fig3 warp", func(e *Evidence) { e.Records = nil }},
		{"no record of warp/fig3 warp",
			func(e *Evidence) { e.Records[0].Panel, e.Records[1].Paper = "pad", "context" }},
		{"no trials of gated in warp/fig3 warp", func(e *Evidence) { e.Records = e.Records[1:] }},
		{"trials of gated at 1 in warp/fig3 warp: 2, wants 3", func(e *Evidence) { e.MinTrials = 3 }},
		{"trials of gated at 10 in warp/fig3 warp: 1, wants 2",
			func(e *Evidence) { e.Records[0].Trials = e.Records[0].Trials[1:] }},
		{"no final loss of gated in warp/fig3 warp quick gated",
			func(e *Evidence) { delete(e.Records[0].End.Final, "loss") }},
		{"no final bias of gated", func(e *Evidence) { delete(e.Records[0].End.Vectors, "bias") }},
		{"no memoryless loss of gated", func(e *Evidence) { e.Records[0].Trials[1].Memoryless = nil }},
		{"no best loss of gated", func(e *Evidence) { e.Records[0].Trials[1].Best = nil }},
		{"no memoryless loss (10) above the best loss (10) of gated",
			func(e *Evidence) { *e.Records[0].Trials[0].Memoryless = 10 }},
		{"no series valid of gated", func(e *Evidence) {}},
	} {
		e := sweepEvidence()
		c.change(&e)
		f := Judging(func(r Reader) Finding {
			gated := r.Arm("warp/fig3", "warp", "gated")
			r.Values(gated.Excess("loss"))
			r.Vectors(gated.Vectors("bias"))
			r.Curves(gated.Curves("valid"))
			return Found(Reproduced, "")
		})(e)
		if f.Answer != NotRun || !strings.Contains(f.Why, c.what) || strings.Contains(f.Why, "\n") {
			t.Errorf("%v because %q, want one line with %q", f.Answer, f.Why, c.what)
		}
	}
}

// A trial that diverged is the worst there is, and the record stays as it is.
func TestDivergedTrials(t *testing.T) {
	r := newRecord("warp", "quick", map[string][]float64{"chrono": {math.NaN(), 0.5, 1}})
	chrono := armOf(t, Evidence{Records: []*record.Record{r}, MinTrials: 3}, "chrono")
	losses, err := chrono.Losses("loss")
	if err != nil || !slices.Equal(losses, []float64{math.Inf(1), 0.5, 1}) {
		t.Errorf("losses %v, %v", losses, err)
	}
	accuracies, err := chrono.Accuracies("loss")
	if err != nil || !slices.Equal(accuracies, []float64{0, 0.5, 1}) {
		t.Errorf("accuracies %v, %v", accuracies, err)
	}
	excess, err := chrono.Excess("loss")
	if err != nil || !math.IsInf(excess[0], 1) {
		t.Errorf("excess %v, %v", excess, err)
	}
	curves, err := chrono.Curves(record.Train)
	if err != nil || len(curves) != 3 || !math.IsNaN(curves[0].Values[1]) ||
		!math.IsInf(curves[0].Losses().Values[1], 1) {
		t.Errorf("curves %v, %v", curves, err)
	}
	if !math.IsNaN(r.End.Final["loss"][0]) || !math.IsNaN(r.Points[1].Values[0]) || !math.IsNaN(curves[0].Values[1]) {
		t.Error("the record or the curve was changed")
	}
}

func TestCurve(t *testing.T) {
	c := Curve{Updates: []int{10, 20, 30, 35}, Values: []float64{4, 2, 1, 0.5}}
	if mean := c.Mean(); math.Abs(mean-(40+20+10+2.5)/35) > 1e-12 { // the last window is a shorter one
		t.Errorf("mean %g", mean)
	}
	for value, want := range map[float64]float64{4: 10, 1.5: 30, 0.5: 35, 0.4: math.Inf(1)} {
		d := DurationsOf([]Curve{c}, value)
		if d.AtMost[0] != want || d.AtLeast[0] != min(want, 35) {
			t.Errorf("at most %g after %v updates, want %g", value, d, want)
		}
	}
	if d := DurationsOf([]Curve{{[]int{10, 20}, []float64{math.NaN(), 1}}}, 2); d.AtMost[0] != 20 {
		t.Errorf("NaN counts as reached: %v", d)
	}
}

// The end of 40 points is eight of them, of fewer than 10 the last one; a spike of five in twelve does not move it.
func TestFinal(t *testing.T) {
	for points, want := range map[int]float64{1: 1, 4: 4, 40: 36.5, 60: 54.5} {
		var c Curve
		for i := range points {
			c.Values = append(c.Values, float64(i+1))
		}
		check.Equal(t, c.Final(), want, "the end of %d points", points)
	}
	spike := Curve{Values: make([]float64, 60)}
	for i := range 5 {
		spike.Values[54+i] = 1000
	}
	check.Equal(t, spike.Final(), 0, "the end of a curve with a spike")
	late := Curve{Values: make([]float64, 60)}
	late.Values[59] = math.NaN()
	check.Equal(t, late.Losses().Final(), math.Inf(1), "the end of a curve whose last point is divergence")
}

func TestMedian(t *testing.T) {
	values := []float64{4, 1, 3, 2}
	if m := Median(values); m != 2.5 || values[0] != 4 {
		t.Errorf("median %g", m)
	}
	check.Equal(t, Median([]float64{math.Inf(1), 1, 2}), 2, "median")
	for _, none := range [][]float64{nil, {1, math.NaN(), 2}} {
		if m := Median(none); !math.IsNaN(m) {
			t.Errorf("median %g of %v", m, none)
		}
	}
}
