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

// T has the density T^−K in a range, in which T^(1−K), or log T for K = 1, is then uniform.
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
	for _, k := range []float64{0, 0.5, 1, 2, 3} {
		all = append(all, drawn{Scales{K: k, Min: 2, Max: 500}, k, 2, 500})
	}
	for _, c := range all {
		flat := func(t float64) float64 {
			if c.k == 1 {
				return math.Log(t)
			}
			return math.Pow(t, 1-c.k)
		}
		biases := c.init.Draw(RNG(1, "time scales"), 20_000)
		var scales []float64
		for u, b := range biases.Forget {
			if scales = append(scales, flat(TimeScale(b))); biases.Input[u] != -b {
				t.Fatalf("%#v, unit %d: b_i = %v, b_f = %v", c.init, u, biases.Input[u], b)
			}
		}
		low, high := flat(c.low), flat(c.high)
		wants.That(t, len(scales) == 20_000 && !notUniform(scales, min(low, high), max(low, high)),
			"%#v: the time scales of %d units are not drawn from T^−%g", c.init, len(scales), c.k)
	}
}

// extreme is a source of nothing but one number, to see both ends of a distribution.
type extreme uint64

func (e extreme) Uint64() uint64 { return uint64(e) }

func TestGatesStayInRange(t *testing.T) {
	const rounding = 1e-12
	for _, r := range [][2]float64{{1.5, 3}, {2, 784}, {2, 2}, {50, 1e9}} {
		for _, init := range []GateInit{Range{r[0], r[1]}, Scales{1, r[0], r[1]}, Scales{2, r[0], r[1]}} {
			for name, rng := range map[string]*rand.Rand{
				"random": RNG(2), "smallest": rand.New(extreme(0)), "largest": rand.New(extreme(math.MaxUint64)),
			} {
				for _, b := range init.Draw(rng, 1000).Input {
					if g := sigmoid(b); g < (1-rounding)/r[1] || g > (1+rounding)/r[0] {
						t.Errorf("%#v, %s draws: σ(b) = %g outside [%g, %g]", init, name, g, 1/r[1], 1/r[0])
					}
				}
			}
		}
	}
}

func TestStandard(t *testing.T) {
	biases := Standard{1}.Draw(nil, 3) // no stream: nothing is drawn
	wants.That(t, slices.Equal(biases.Forget, []float64{1, 1, 1}) && slices.Equal(biases.Input, []float64{0, 0, 0}),
		"Standard{1} draws %v", biases)
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
