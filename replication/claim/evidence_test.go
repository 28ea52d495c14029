package claim

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

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

func mustPanel(t *testing.T, e Evidence) Panel {
	t.Helper()
	p, err := e.Panel("warp", "fig3", "warp")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wantError(t *testing.T, err error, what string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line with %q", err, what)
	}
}

func TestPanelAndParts(t *testing.T) {
	e := sweepEvidence()
	e.Records = append(e.Records, newRecord("copy500", "quick", chronoWins))
	p := mustPanel(t, e)
	if len(p.Records) != 2 {
		t.Errorf("%d records", len(p.Records))
	}
	if r, err := p.Part("rnn"); err != nil || r.Part != "rnn" {
		t.Errorf("part rnn: %v", err)
	}
	_, err := p.Part("leaky")
	wantError(t, err, `no record of warp/fig3 warp, part "leaky"`)
	for _, names := range [][3]string{{"context", "fig3", "warp"}, {"warp", "fig1", "warp"}, {"warp", "fig3", "pad"}} {
		_, err := e.Panel(names[0], names[1], names[2])
		wantError(t, err, "no record of "+names[0]+"/"+names[1]+" "+names[2])
	}
}

func TestArm(t *testing.T) {
	e := sweepEvidence()
	gated, err := mustPanel(t, e).Arm("gated")
	if err != nil || len(gated) != 4 {
		t.Fatalf("%d trials: %v", len(gated), err)
	}
	if xs := gated.Xs(); !slices.Equal(xs, []float64{1, 10}) {
		t.Errorf("at %v", xs)
	}
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
	gated, err := mustPanel(t, e).Arm("gated")
	if err != nil || len(gated.At(1)) != 4 || len(gated.At(10)) != 2 {
		t.Errorf("%d trials: %v", len(gated), err)
	}
	e.Records[1].Trials[0].Number = 0
	_, err = mustPanel(t, e).Arm("gated")
	wantError(t, err, "trial 0 of gated at 1 is twice in warp/fig3 warp")
}

func TestWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(e *Evidence)
	}{
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
		gated, err := mustPanel(t, e).Arm("gated")
		if err == nil {
			_, err = gated.Excess("loss")
		}
		if err == nil {
			_, err = gated.Vectors("bias")
		}
		if err == nil {
			_, err = gated.Curves("valid")
		}
		wantError(t, err, c.what)
	}
}

// A trial that diverged is the worst there is, and the record stays as it is.
func TestDivergedTrials(t *testing.T) {
	r := newRecord("warp", "quick", map[string][]float64{"chrono": {math.NaN(), 0.5, 1}})
	chrono, err := mustPanel(t, Evidence{Records: []*record.Record{r}, MinTrials: 3}).Arm("chrono")
	if err != nil {
		t.Fatal(err)
	}
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
	for _, want := range []struct {
		value   float64
		updates int
		reached bool
	}{{4, 10, true}, {1.5, 30, true}, {0.5, 35, true}, {0.4, 35, false}} {
		if n, ok := c.First(want.value); n != want.updates || ok != want.reached {
			t.Errorf("at most %g after %d updates: %v", want.value, n, ok)
		}
	}
	if n, ok := (Curve{[]int{10, 20}, []float64{math.NaN(), 1}}).First(2); n != 20 || !ok {
		t.Errorf("NaN counts as reached: %d, %v", n, ok)
	}
	for share, want := range map[float64][]float64{1: {4, 2, 1, 0.5}, 0.5: {1, 0.5}, 0.25: {0.5}, 0: {0.5}} {
		if last := c.Last(share); !slices.Equal(last.Values, want) || len(last.Updates) != len(want) {
			t.Errorf("last %g: %v", share, last)
		}
	}
}

func TestMedian(t *testing.T) {
	values := []float64{4, 1, 3, 2}
	if m := Median(values); m != 2.5 || values[0] != 4 {
		t.Errorf("median %g", m)
	}
	if m := Median([]float64{math.Inf(1), 1, 2}); m != 2 {
		t.Errorf("median %g", m)
	}
	for _, none := range [][]float64{nil, {1, math.NaN(), 2}} {
		if m := Median(none); !math.IsNaN(m) {
			t.Errorf("median %g of %v", m, none)
		}
	}
}
