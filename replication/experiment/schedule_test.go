package experiment

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// Rates change where an evaluation was, and not without a value for each.
func TestReduceOnPlateau(t *testing.T) {
	h := ReduceOnPlateau{Every: 100, Series: "valid"}
	losses := [][]float64{{1, 1}, {0.5, 2}}
	series := func(name string) [][]float64 { return map[string][][]float64{"valid": losses}[name] }
	for update, want := range map[int][]float64{1: nil, 199: nil, 200: {1, 0.5}, 250: nil} {
		check.Equal(t, check.Got(h.Factors(update, series))(t), want, "factors after update %d", update)
	}
	_, err := h.Factors(300, series)
	check.Rejected(t, "an update without a value", err, "300…2 values, want 3")
	nan, inf := math.NaN(), math.Inf(1)
	for _, wrong := range []interface{ Validate() error }{
		ReduceOnPlateau{}, ReduceOnPlateau{-1, "valid"}, ReduceOnPlateau{1, ""}, ExponentialDecay{0, 1, 1},
		ExponentialDecay{-2, 1, 1}, ExponentialDecay{nan, 1, 1}, ExponentialDecay{inf, 1, 1}, ExponentialDecay{2, 0, 1},
		ExponentialDecay{2, 1, 0},
	} {
		check.Rejected(t, wrong, wrong.Validate(), "want")
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
