package chrono

import (
	"math"
	"math/rand/v2"
	"testing"

	wants "github.com/warptime/warptime/internal/check"
)

// Up to here the sums over W footnote 7's weights are taken term by term; from here on by the tail's integral, 1/log,
// and half the first term (Euler-Maclaurin), whose error is below 1e-7.
const exact = 100_000

// weight is w(k) of footnote 7, P(T = k) ∝ w(k) = 1/(k·log²(k+1)).
func weight(k float64) float64 { return 1 / (k * math.Log(k+1) * math.Log(k+1)) }

// totalWeight is the sum of all w(k).
func totalWeight() float64 {
	total := 1/math.Log(exact+1) + weight(exact)/2
	for k := 1.0; k < exact; k++ {
		total += weight(k)
	}
	return total
}

func TestUnknownScaleIsFootnote7(t *testing.T) {
	// The distribution of log T: every k below exact, and then quantiles of the tail, P(log T > x) = 1/(x·total).
	const n, quantiles = 200_000, 10_000
	total := totalWeight()
	var values, weights []float64
	tail := 1.0
	for k := 1.0; k < exact; k++ {
		values, weights = append(values, math.Log(k)), append(weights, weight(k)/total)
		tail -= weight(k) / total
	}
	for i := range quantiles {
		beyond := tail * (1 - (float64(i)+0.5)/quantiles)
		values, weights = append(values, 1/(beyond*total)), append(weights, tail/quantiles)
	}
	sample := UnknownScale{}.Draw(RNG(4, "footnote 7"), n).Forget
	wants.That(t, !differs(sample, values, weights), "log T has another distribution")

	// The same far out, where that statistic sees little: of n draws, as many beyond each bound as there should be,
	// to 4 standard deviations. T > 1.8e308, beyond float64, is log T > 709.8.
	for _, bound := range []float64{20, 709.8, 1e4} {
		beyond := 0
		for _, b := range sample {
			if b > bound {
				beyond++
			}
		}
		if want := n / (bound * total); math.Abs(float64(beyond)-want) > 4*math.Sqrt(want) {
			t.Errorf("log T > %g: %d of %d draws, want %.0f", bound, beyond, n, want)
		}
	}
}

// The figures that the documentation of UnknownScale states.
func TestUnknownScaleFigures(t *testing.T) {
	total := totalWeight()
	for what, c := range map[string]struct{ got, want, tolerance float64 }{
		"factor of the tail":            {1 / total, 0.295, 0.0005},
		"probability of T = 1":          {weight(1) / total, 0.61, 0.005},
		"draws per T beyond float64":    {math.Log(math.MaxFloat64) * total, 2400, 10},
		"probability of log T > 17.3":   {1 / (17.3 * total), 0.017, 0.0005},
		"largest log T":                 {math.Ln2 * (1 << 53), 6.2e15, 0.05e15},
		"probability beyond the same":   {1 / (math.Ln2 * (1 << 53) * total), 5e-17, 0.5e-17},
		"proposals accepted":            {total / (weight(1) + maxUnknownRatio/math.Ln2), 0.96, 0.005},
		"1 − σ(17.3), against 2⁻²⁵":     {(1 - sigmoid(17.3)) * (1 << 25), 1, 0.05},
		"envelope at 2⁵³, against w(k)": {unknownRatio(1 << 53), 1, 1e-15},
	} {
		wants.That(t, math.Abs(c.got-c.want) <= c.tolerance, "%s: %g, want %g", what, c.got, c.want)
	}
}

// Rejection is right only where the envelope covers the weight. Beyond the last k tried, the ratio is below 1 + 1/2k.
func TestUnknownScaleEnvelope(t *testing.T) {
	for k := 2.0; k < 100_000; k++ {
		direct := weight(k) / (1/math.Log(k) - 1/math.Log(k+1))
		if r := unknownRatio(k); r > maxUnknownRatio || math.Abs(r/direct-1) > 1e-6 {
			t.Fatalf("k = %g: ratio %g, directly %g, bound %g", k, r, direct, maxUnknownRatio)
		}
	}
}

// script is a source that gives the numbers of a list, over and over.
type script struct {
	numbers []uint64
	at      int
}

func (s *script) Uint64() uint64 {
	s.at++
	return s.numbers[(s.at-1)%len(s.numbers)]
}

func TestUnknownScaleExtremes(t *testing.T) {
	const smallest, largest = 0, math.MaxUint64
	for _, c := range []struct {
		name    string
		numbers []uint64 // is it 1; if not, how large; is it accepted
		want    float64
	}{
		{"T = 1", []uint64{smallest}, 0},
		{"the least T of the tail", []uint64{largest, smallest, smallest}, math.Ln2},
		{"the largest T", []uint64{largest, largest, smallest}, math.Ln2 * (1 << 53)},
	} {
		got := logUnknownScale(rand.New(&script{numbers: c.numbers}))
		wants.That(t, got == c.want, "%s: log T = %v, want %v", c.name, got, c.want)
	}
}
