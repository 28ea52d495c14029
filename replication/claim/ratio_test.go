package claim

import (
	"math"
	"math/rand/v2"
	"testing"
)

func took(updates ...float64) Durations { return Durations{AtLeast: updates, AtMost: updates} }

// never is the durations of which these trials did not end.
func never(d Durations, trials ...int) Durations {
	d.AtMost = append([]float64{}, d.AtMost...)
	for _, i := range trials {
		d.AtMost[i] = math.Inf(1)
	}
	return d
}

func TestDurations(t *testing.T) {
	curves := []Curve{
		{[]int{10, 20, 30}, []float64{1, 0.5, 0.7}}, {[]int{10, 20, 30}, []float64{1, 0.9, 0.8}},
		{[]int{10, 20, 30}, []float64{0.5, 1, 1}},
	}
	d := DurationsOf(curves, 0.5)
	if got := d.String(); got != "≥ 20 [10, 30]" || d.End() {
		t.Errorf("durations %s, %v", got, d)
	}
	if d.AtLeast[1] != 30 || !math.IsInf(d.AtMost[1], 1) || d.AtMost[0] != 20 || d.AtMost[2] != 10 {
		t.Errorf("durations %v", d)
	}
	if d := DurationsOf(curves, 0.8); !d.End() || d.String() != "20 [10, 30]" {
		t.Errorf("durations %v", d)
	}
	if (Durations{}).End() {
		t.Error("nothing ends")
	}
}

// Three trials are resampled as three times the same one with probability 1/27, which is inside of the interval.
func TestRatio(t *testing.T) {
	for _, c := range []struct {
		a, b      Durations
		low, high float64
		text      string
	}{
		{took(6, 6, 6), took(3, 3, 3), 2, 2, "2 (95 % interval 2 to 2)"},
		{took(1, 1, 3), took(1, 1, 1), 1, 3, "1.67 (95 % interval 1 to 3)"},
		{never(took(8, 8, 8), 0, 1, 2), took(2, 2, 2), 4, math.Inf(1), "≥ 4 (95 % interval 4 to ∞)"},
		{never(took(4, 4, 8), 2), took(2, 2, 2), 2, math.Inf(1), "≥ 2.67 (95 % interval 2 to ∞)"},
		{took(2, 2, 2), never(took(8, 8, 8), 0), 0, 0.25, "≤ 0.25 (95 % interval 0 to 0.25)"},
		{never(took(8, 8, 8), 0, 1, 2), never(took(8, 8, 8), 0, 1, 2), 0, math.Inf(1),
			"unknown (95 % interval 0 to ∞)"},
	} {
		r := RatioOf(c.a, c.b)
		low, high := math.Abs(r.Low-c.low), math.Abs(r.High-c.high)
		if low > 1e-12 || r.High != c.high && high > 1e-12 || r.String() != c.text {
			t.Errorf("%v over %v: %v from %g to %g, want %s", c.a, c.b, r, r.Low, r.High, c.text)
		}
	}
	if r := RatioOf(Durations{}, took(1)); !math.IsNaN(r.Low) || r.Below(2) != Inconclusive {
		t.Errorf("of nothing: %v", r)
	}
}

// In many draws from known distributions the interval holds the true ratio about as often as it says; of as few as ten
// trials the bootstrap is known to be too narrow, by some percent.
func TestIntervalHoldsTheRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(mean float64) Durations {
		var values []float64
		for range 30 {
			values = append(values, mean*(0.5+rng.Float64()))
		}
		return took(values...)
	}
	held, wide := 0, 0
	const n = 300
	for range n {
		r := RatioOf(draw(300), draw(100))
		if r.Low <= 3 && 3 <= r.High {
			held++
		}
		if r.Low <= 4 && 4 <= r.High {
			wide++
		}
	}
	if held < 0.9*n || held == n || wide > n/10 {
		t.Errorf("%d of %d intervals hold 3, and %d hold 4", held, n, wide)
	}
}

func TestRatioBelow(t *testing.T) {
	for _, c := range []struct {
		a    Durations
		want Answer
	}{
		{took(1.9, 1.9), Reproduced}, {took(2, 2), Contradicted}, {took(1, 1, 4), Inconclusive}, {never(took(3, 3), 0),
			Contradicted},
		{never(took(1, 1), 0, 1), Inconclusive},
	} {
		if got := RatioOf(c.a, took(1, 1, 1)).Below(2); got != c.want {
			t.Errorf("%v: %v, want %v", c.a, got, c.want)
		}
	}
}
