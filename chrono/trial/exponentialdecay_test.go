package trial

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// Zilly et al.: epoch e, counted from 0, trains at 0.2/1.02^max(e−19, 0).
func TestExponentialDecayIsZillysRate(t *testing.T) {
	const epoch = 7 // updates
	d := ExponentialDecay{By: 1.02, Epoch: epoch, After: 20}
	rate := 0.2
	for n := 1; n <= 500*epoch; n++ { // rate is what update n is done with
		want := 0.2 / math.Pow(1.02, max(float64((n-1)/epoch)-19, 0))
		if math.Abs(rate/want-1) > 1e-12 {
			t.Fatalf("update %d, in epoch %d: rate %g, want %g", n, (n-1)/epoch, rate, want)
		}
		factors, err := d.Factors(n, nil)
		check.OK(t, err)
		if factors != nil {
			rate *= factors[0]
		}
	}
}
