package chrono

import (
	"math"
	"math/rand/v2"
	"testing"
)

// footnote7 has the exact distribution of W footnote 7, P(T = k) ∝ w(k) = 1/(k·log²(k+1)), as a function of log T.
type footnote7 struct {
	below []float64 // below[k] = P(T < k), k < exact
	total float64   // the sum of all w(k)
}

// Up to here, term by term; from here on by the tail's integral, 1/log, and half the first term (Euler-Maclaurin),
// whose error is below 1e-7.
const exact = 100_000

func weight(k float64) float64 { return 1 / (k * math.Log(k+1) * math.Log(k+1)) }

func newFootnote7() footnote7 {
	below := make([]float64, exact+1)
	for k := 1; k < exact; k++ {
		below[k+1] = below[k] + weight(float64(k))
	}
	total := below[exact] + 1/math.Log(exact+1) + weight(exact)/2
	for k := range below {
		below[k] /= total
	}
	return footnote7{below, total}
}

// distribution returns P(log T < x) and P(log T ≤ x), where x is the logarithm of an integer.
func (f footnote7) distribution(x float64) (below, upTo float64) {
	if k := math.Round(math.Exp(x)); k < exact {
		return f.below[int(k)], f.below[int(k)+1]
	}
	p := 1 - 1/(x*f.total)
	return p, p
}

func TestUnknownScaleIsFootnote7(t *testing.T) {
	f := newFootnote7()
	const n = 200_000
	sample := UnknownScale{}.Draw(RNG(4, "footnote 7"), n).Forget
	k := ks(sample,
		func(x float64) float64 { below, _ := f.distribution(x); return below },
		func(x float64) float64 { _, upTo := f.distribution(x); return upTo })
	if k > ksCritical {
		t.Errorf("Kolmogorov-Smirnov statistic %.2f", k)
	}

	// The same far out, where that statistic sees little: of n draws, as many beyond each bound as there should be,
	// to 4 standard deviations. T > 1.8e308, beyond float64, is log T > 709.8.
	for _, bound := range []float64{20, 709.8, 1e4} {
		beyond := 0
		for _, b := range sample {
			if b > bound {
				beyond++
			}
		}
		if want := n / (bound * f.total); math.Abs(float64(beyond)-want) > 4*math.Sqrt(want) {
			t.Errorf("log T > %g: %d of %d draws, want %.0f", bound, beyond, n, want)
		}
	}
}

// The figures that the documentation of UnknownScale states.
func TestUnknownScaleFigures(t *testing.T) {
	f := newFootnote7()
	for what, c := range map[string]struct{ got, want, tolerance float64 }{
		"factor of the tail":            {1 / f.total, 0.295, 0.0005},
		"probability of T = 1":          {weight(1) / f.total, 0.61, 0.005},
		"draws per T beyond float64":    {math.Log(math.MaxFloat64) * f.total, 2400, 10},
		"probability of log T > 17.3":   {1 / (17.3 * f.total), 0.017, 0.0005},
		"largest log T":                 {math.Ln2 * (1 << 53), 6.2e15, 0.05e15},
		"probability beyond the same":   {1 / (math.Ln2 * (1 << 53) * f.total), 5e-17, 0.5e-17},
		"proposals accepted":            {f.total / (weight(1) + maxUnknownRatio/math.Ln2), 0.96, 0.005},
		"1 − σ(17.3), against 2⁻²⁵":     {(1 - sigmoid(17.3)) * (1 << 25), 1, 0.05},
		"envelope at 2⁵³, against w(k)": {unknownRatio(1 << 53), 1, 1e-15},
	} {
		if math.Abs(c.got-c.want) > c.tolerance {
			t.Errorf("%s: %g, want %g", what, c.got, c.want)
		}
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
		if got := logUnknownScale(rand.New(&script{numbers: c.numbers})); got != c.want {
			t.Errorf("%s: log T = %v, want %v", c.name, got, c.want)
		}
	}
}
