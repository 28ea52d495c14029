package chrono

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	wants "github.com/warptime/warptime/internal/check"
)

// differs reports whether a sample is not from the distribution that other values, with their weights, stand for: by
// the Kolmogorov-Smirnov statistic √n·D at the level 0.001. The seeds are fixed: a test that passes keeps passing, and
// one draw in a thousand would have failed at its first run.
func differs(sample, values, weights []float64) bool {
	slices.Sort(sample)
	return math.Sqrt(float64(len(sample)))*stat.KolmogorovSmirnov(sample, nil, values, weights) > 1.95
}

// notUniform reports whether a sample is not uniform in [low, high].
func notUniform(sample []float64, low, high float64) bool {
	return differs(sample, floats.Span(make([]float64, 1_000_000), low, high), nil)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// T has the density T^−K in a range, in which (T/Max)^(1−K), or log T for K = 1, is then uniform.
func TestTimeScales(t *testing.T) {
	type drawn struct {
		init         GateInit
		k, low, high float64
	}
	var all []drawn
	for _, tmax := range []float64{2.5, 8, 784, 3000, 1e6} { // W(16): e^b_f = T − 1 is uniform in [1, Tmax−1]
		all = append(all, drawn{Chrono{tmax}, 0, 2, tmax})
	}
	for _, r := range [][2]float64{{1.001, 3}, {4, 5}, {100, 3000}} { // W Section 2: b_g = −log(U[Tmin, Tmax] − 1)
		all = append(all, drawn{Range{r[0], r[1]}, 0, r[0], r[1]})
	}
	for _, k := range []float64{-200, 0, 0.5, 1, 2, 3} {
		all = append(all, drawn{Scales{K: k, Min: 2, Max: 500}, k, 2, 500})
	}
	for _, c := range all {
		flat := func(t float64) float64 {
			if c.k == 1 {
				return math.Log(t)
			}
			return math.Pow(t/c.high, 1-c.k)
		}
		biases := c.init.Draw(RNG(1, "time scales"), 20_000)
		var scales []float64
		for u, b := range biases.Forget {
			scales = append(scales, flat(TimeScale(b)))
			wants.Must(t, biases.Input[u] == -b, "%#v, unit %d: b_i = %v, b_f = %v", c.init, u, biases.Input[u], b)
		}
		low, high := flat(c.low), flat(c.high)
		wants.That(t, len(scales) == 20_000 && !notUniform(scales, min(low, high), max(low, high)),
			"%#v: the time scales of %d units are not drawn from T^−%g", c.init, len(scales), c.k)
	}
}

// script is a source that gives the numbers of a list, over and over, to see both ends of a distribution.
type script struct {
	numbers []uint64
	at      int
}

func (s *script) Uint64() uint64 {
	s.at++
	return s.numbers[(s.at-1)%len(s.numbers)]
}

func TestGatesStayInRange(t *testing.T) {
	const rounding = 1e-12
	for _, r := range [][2]float64{{1.5, 3}, {2, 784}, {2, 2}, {50, 1e9}} {
		for _, init := range []GateInit{
			Range{r[0], r[1]}, Scales{-200, r[0], r[1]}, Scales{1, r[0], r[1]}, Scales{2, r[0], r[1]},
		} {
			for name, rng := range map[string]*rand.Rand{
				"random": RNG(2), "smallest": rand.New(&script{numbers: []uint64{0}}),
				"largest": rand.New(&script{numbers: []uint64{math.MaxUint64}}),
			} {
				for _, b := range init.Draw(rng, 1000).Input {
					g := sigmoid(b)
					wants.That(t, g >= (1-rounding)/r[1] && g <= (1+rounding)/r[0],
						"%#v, %s draws: σ(b) = %g outside [%g, %g]", init, name, g, 1/r[1], 1/r[0])
				}
			}
		}
	}
}

// Validate says in one line what is wrong, and nothing can be drawn all the same.
func TestImpossibleInitsAreRejected(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	var impossible []GateInit
	for _, tmax := range []float64{1.999, 1, 0, -5, nan, inf, -inf} {
		impossible = append(impossible, Chrono{tmax})
	}
	for _, r := range []Range{{1, 5}, {0.5, 5}, {-3, 5}, {9, 5}, {nan, 5}, {2, nan}, {2, inf}, {inf, inf}, {-inf, 5}} {
		impossible = append(impossible, r, Scales{1, r.Min, r.Max})
	}
	for _, x := range []float64{nan, inf, -inf} {
		impossible = append(impossible, Standard{x}, Scales{x, 2, 3})
	}
	for _, init := range impossible {
		err := init.Validate()
		wants.Rejected(t, init, err, fmt.Sprintf("%#v: want ", init))
		wants.Panics(t, init, func() { init.Draw(RNG(1), 1) }, fmt.Sprint(err))
	}
	for _, init := range []GateInit{
		Chrono{2}, Range{1.001, 1.001}, Scales{1, 2, 3}, Standard{}, Standard{-5}, UnknownScale{},
	} {
		wants.OK(t, init.Validate())
		wants.Panics(t, init, func() { init.Draw(RNG(1), -1) }, "-1 units")
	}
	// A nil stream is not dereferenced; Standard draws nothing.
	for _, init := range []GateInit{Chrono{8}, Range{2, 3}, UnknownScale{}} {
		wants.Panics(t, init, func() { init.Draw(nil, 2) }, "stream is nil, want")
	}
}

func TestTimeScaleAndBiasAreInverse(t *testing.T) {
	for _, scale := range []float64{1.0001, 1.5, 2, 3.7, 784, 1e9} {
		b := Bias(scale)
		// The definition: 1 − σ(b_f) = σ(b_i) = 1/T.
		got, want := []float64{TimeScale(b) / scale, sigmoid(-b) * scale}, []float64{1, 1}
		wants.Near(t, got, want, 1e-12, "TimeScale(Bias(T))/T and σ(−b)·T of T = %g", scale)
	}
	wants.That(t, math.IsInf(Bias(1), -1) && math.IsNaN(Bias(0.5)), "Bias(1) = %v, Bias(0.5) = %v, want -Inf, NaN",
		Bias(1), Bias(0.5))
}

func first(rng *rand.Rand) [2]uint64 { return [2]uint64{rng.Uint64(), rng.Uint64()} }

func TestRNGDistinguishesLabels(t *testing.T) {
	seen := map[[2]uint64][]any{}
	for _, labels := range [][]any{
		{}, {""}, {"", ""}, {"a"}, {"b"}, {"ab"}, {"a", "b"}, {"ab", ""}, {"", "ab"}, {"b", "a"}, {"s"}, {"n"},
		{0}, {1}, {-1}, {"1"}, {0, 1}, {1, 0}, {"a", 1}, {1, "a"},
		{"task", "train", 3}, {"task", "train", 4}, {"task", "test", 3},
	} {
		for seed := range uint64(3) {
			numbers := first(RNG(seed, labels...))
			other, ok := seen[numbers]
			wants.That(t, !ok, "seed %d, labels %q: the same numbers as %q", seed, labels, other)
			seen[numbers] = append([]any{seed}, labels...)
			wants.Equal(t, first(RNG(seed, labels...)), numbers, "seed %d, labels %q, again", seed, labels)
		}
	}
	wants.Equal(t, first(RNG(0, 7)), first(RNG(0, uint64(7))), "the streams of an int and of the same uint64")
	wants.Panics(t, "a label of another type", func() { RNG(1, 2.5) }, "float64")
}

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
		want := n / (bound * total)
		wants.Near(t, []float64{float64(beyond)}, []float64{want}, 4*math.Sqrt(want), "log T > %g: of %d draws", bound,
			n)
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
