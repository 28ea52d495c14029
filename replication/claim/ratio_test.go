package claim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// took are durations that were measured exactly.
func took(updates ...float64) Durations { return Durations{updates, updates, updates} }

// upTo are durations that ended in the last unit of time before these.
func upTo(updates ...float64) Durations {
	d := took(updates...)
	d.Before = nil
	for _, u := range updates {
		d.Before = append(d.Before, u-1)
	}
	return d
}

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
	if !slices.Equal(d.Before, []float64{10, 30, 0}) {
		t.Errorf("the points before are %v", d.Before)
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

// The interval of (1, 1, 3) over (1, 1, 1) is that of the mean of log 1, log 1, log 3 with two degrees of freedom:
// log 3/3 ± 4.3027·log 3/3.
func TestRatio(t *testing.T) {
	for _, c := range []struct {
		a, b      Durations
		low, high float64
		text      string
	}{
		{took(6, 6, 6), took(3, 3, 3), 2, 2, "2 (range of the trials 2 to 2, n = 3 + 3)"},
		{took(1, 1, 3), took(1, 1, 1), math.Pow(3, -3.302653/3), math.Pow(3, 5.302653/3),
			"1.44 (95 % t-interval 0.298 to 6.97, n = 3 + 3)"},
		{upTo(6, 6, 6), upTo(3, 3, 3), 5. / 3, 3, "2 (range of the trials 1.67 to 3, n = 3 + 3)"},
		{upTo(6), upTo(1), 5, math.Inf(1), "6 (range of the trials 5 to ∞, n = 1 + 1)"},
		{upTo(2, 2, 3), took(1, 1, 1), math.Exp((2*math.Log(2)+math.Log(3))/3 - 4.302653*math.Log(1.5)/3),
			math.Exp((2*math.Log(2)+math.Log(3))/3 + 4.302653*math.Log(1.5)/3),
			"2.29 (95 % t-interval 1.28 to 4.1, n = 3 + 3)"},
		{took(4), took(2), 2, 2, "2 (range of the trials 2 to 2, n = 1 + 1)"},
		{never(took(8, 8, 8), 0, 1, 2), took(2, 2, 2), 4, math.Inf(1), "≥ 4 (range of the trials 4 to ∞, n = 3 + 3)"},
		{never(took(4, 4, 8), 2), took(2, 2, 2), 2, math.Inf(1), "≥ 2.52 (range of the trials 2 to ∞, n = 3 + 3)"},
		{took(2, 2, 2), never(took(8, 8, 8), 0), 0, 0.25, "≤ 0.25 (range of the trials 0 to 0.25, n = 3 + 3)"},
		{never(took(8, 8, 8), 0, 1, 2), never(took(8, 8, 8), 0, 1, 2), 0, math.Inf(1),
			"unknown (range of the trials 0 to ∞, n = 3 + 3)"},
	} {
		r := RatioOf(c.a, c.b)
		low, high := math.Abs(r.Low-c.low), math.Abs(r.High-c.high)
		if low > 1e-6 || r.High != c.high && high > 1e-5 || r.String() != c.text {
			t.Errorf("%v over %v: %v from %g to %g, want %s", c.a, c.b, r, r.Low, r.High, c.text)
		}
	}
	if r := RatioOf(Durations{}, took(1)); !math.IsNaN(r.Low) || r.Below(2) != Inconclusive {
		t.Errorf("of nothing: %v", r)
	}
}

// In many draws from known distributions the interval of three trials each holds the true ratio about as often as it
// says.
func TestIntervalHoldsTheRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(mean float64) Durations {
		var values []float64
		for range 3 {
			values = append(values, mean*math.Exp(0.2*rng.NormFloat64()))
		}
		return took(values...)
	}
	held, wide := 0, 0
	const n = 2000
	for range n {
		r := RatioOf(draw(300), draw(100))
		if r.Low <= 3 && 3 <= r.High {
			held++
		}
		if r.Low <= 12 && 12 <= r.High {
			wide++
		}
	}
	if held < 0.93*n || held > 0.98*n || wide > n/10 {
		t.Errorf("%d of %d intervals hold 3, and %d hold 12", held, n, wide)
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
		check.Equal(t, RatioOf(c.a, took(1, 1, 1)).Below(2), c.want, "%v", c.a)
	}
}

// The interval of a mean is that of tables of Student's distribution: 4.303 standard errors for three values.
func TestMeanWithin(t *testing.T) {
	s, half := MeanWithin([]float64{1, 2, 3}), 4.303/math.Sqrt(3)
	if s.N != 3 || s.Mean != 2 || math.Abs(s.Min-(2-half)) > 1e-3 || math.Abs(s.Max-(2+half)) > 1e-3 {
		t.Errorf("%v, want 2 ± %.4g", s, half)
	}
	check.Equal(t, MeanWithin([]float64{7}), Exactly(7), "mean of one value")
}

// Of two means whose difference has an interval of ±2.776 √(2/3), Student's for four degrees of freedom.
func TestMeanBelow(t *testing.T) {
	half := 2.776 * math.Sqrt(2.0/3)
	a := []float64{1, 2, 3}
	above := func(by float64) []float64 { return []float64{1 + by, 2 + by, 3 + by} }
	for _, c := range []struct {
		b       []float64
		visible float64
		want    Answer
	}{
		{above(half + 0.01), 0, Reproduced},
		{above(half - 0.01), 0, Inconclusive},
		{above(-half - 0.01), 0, Contradicted},
		{above(half + 0.01), 0.1, Inconclusive},
		{above(half + 0.11), 0.1, Reproduced},
	} {
		check.Equal(t, MeanBelow(a, c.b, c.visible), c.want, "%v below %v by %g", a, c.b, c.visible)
	}
	check.Equal(t, MeanBelow([]float64{1, 1}, []float64{2, 2}, 0.5), Reproduced, "means of equal values")
	check.Equal(t, MeanBelow([]float64{1}, []float64{1.2}, 0.5), Inconclusive, "one value each")
}
