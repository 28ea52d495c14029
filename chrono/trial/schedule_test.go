package trial

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

func TestReduceOnPlateau(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	h := ReduceOnPlateau{Every: 100, Series: "valid"}
	losses := [][]float64{}
	series := func(name string) [][]float64 { return map[string][][]float64{"valid": losses}[name] }
	for i, step := range []struct{ losses, factors []float64 }{
		{[]float64{2, 2, nan, 7, inf}, []float64{1, 1, 0.5, 1, 0.5}}, // the first loss is a decrease, unless it is none
		{[]float64{1, 2, 5, 6, inf}, []float64{1, 0.5, 1, 1, 0.5}},   // the same is no decrease; 5 is the third's first
		{[]float64{0.5, 1, 4, 5, 1e300}, nil},
		{[]float64{0.8, 1.5, 3, 4, 2}, []float64{0.5, 0.5, 1, 1, 1}},
		{[]float64{0.6, 1.2, 2, 3, 2}, []float64{0.5, 0.5, 1, 1, 0.5}}, // below the last, but not below the lowest
		{[]float64{0.4, 0.9, nan, -inf, 1}, []float64{1, 1, 0.5, 1, 1}},
		{[]float64{0.4, 0.8, 1.9, -inf, nan}, []float64{0.5, 1, 1, 0.5, 0.5}},
		{[]float64{0.3, 0.7, 1.8, nan, 0.9}, []float64{1, 1, 1, 0.5, 1}},
	} {
		losses = append(losses, step.losses)
		factors := check.Got(h.Factors(100*(i+1), series))(t)
		check.Equal(t, factors, step.factors, "factors after evaluation %d", i)
		for _, update := range []int{1, 99, 101, 100*(i+1) + 50} {
			factors, err := h.Factors(update, series)
			check.That(t, factors == nil && err == nil, "after update %d: factors %v, error %v, want none", update,
				factors, err)
		}
	}
}

// Zilly et al.: epoch e, counted from 0, trains at 0.2/1.02^max(e−19, 0).
func TestExponentialDecayIsZillysRate(t *testing.T) {
	const epoch = 7 // updates
	d := ExponentialDecay{By: 1.02, Epoch: epoch, After: 20}
	rate := 0.2
	for n := 1; n <= 500*epoch; n++ { // rate is what update n is done with
		want := 0.2 / math.Pow(1.02, max(float64((n-1)/epoch)-19, 0))
		check.Must(t, math.Abs(rate/want-1) <= 1e-12, "update %d, in epoch %d: rate %g, want %g", n, (n-1)/epoch, rate,
			want)
		factors := check.Got(d.Factors(n, nil))(t)
		if factors != nil {
			rate *= factors[0]
		}
	}
}
