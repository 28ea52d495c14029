package trial

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/ml/model"
)

// norm is that of a step from zero.
func norm(step [5]float32) float64 {
	sum := 0.0
	for _, x := range step {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// With SGD at rate 1 the first step from zero is the clipped gradient. It keeps its direction, and its length is the
// trial's own norm, over both weights, or the bound; below the bound not one bit changes.
func TestClipIsByEachTrialsOwnNorm(t *testing.T) {
	const bound = 2
	zero := make([][5]float32, 4)
	c := [][5]float32{
		{0.1, 0.2, -0.3, 0.4, 0.5}, // norm 0.74
		{3, 0, 0, -4, 0},           // norm 5, of which no weight alone has as much
		{0, 0, 0, 2, 0},            // the bound
		{1e30, -1e30, 0, 0, 3e38},  // the squares overflow
	}
	d := begin(t, "go", model.NewStore(), Optimizer{Method: SGD{}, Rates: []float64{1}, Clip: bound}, zero)
	d.update(zero, c)
	for r := range c {
		length, want := norm(d.theta[r]), min(norm(c[r]), bound)
		if math.Abs(length-want) > 1e-6 {
			t.Errorf("trial %d: a step of %g, want %g", r, length, want)
		}
		for i, x := range c[r] {
			direction := -float64(x) / norm(c[r])
			if math.Abs(float64(d.theta[r][i])/length-direction) > 1e-6 {
				t.Errorf("trial %d, weight %d: direction %g, want %g", r, i, float64(d.theta[r][i])/length, direction)
			}
			if norm(c[r]) <= bound && d.theta[r][i] != -x {
				t.Errorf("trial %d, weight %d: %g, want %g unchanged", r, i, d.theta[r][i], -x)
			}
		}
	}
}

// A NaN stays where it arose; an infinite gradient becomes one.
func TestClipHidesNoNaN(t *testing.T) {
	zero := make([][5]float32, 2)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	d := begin(t, "go", model.NewStore(), Optimizer{Method: SGD{}, Rates: []float64{1}, Clip: 1}, zero)
	d.update(zero, [][5]float32{{nan, 3, 0, 0, 0}, {1, 0, 0, inf, 0}})
	// The loss of both is not finite: they are left out of the sum, and their gradients are 0 or NaN.
	for r, at := range []int{0, 3} {
		for i, x := range d.theta[r] {
			if isNaN := x != x; isNaN != (i == at) {
				t.Errorf("trial %d, weight %d: %g, want a NaN at weight %d alone", r, i, x, at)
			}
		}
	}
}

// The norms that are kept are those of the last two updates, over both weights and with the decay, whether they are
// clipped or not, and those of one trial whatever becomes of another.
func TestGradientNorms(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, engine := range engines() {
		for _, bound := range []float64{0, 2} {
			o := Optimizer{Method: SGD{}, Rates: []float64{1e-3}, Clip: bound, Decay: 0.5}
			store := model.NewStore()
			if o.GradientNorms(store) != nil {
				t.Error("there are norms before the first update")
			}
			d := begin(t, engine, store, o, [][5]float32{{0, 0, 0, 0, 0}, {0, 6, 0, 0, 8}, {}})
			zero, before := make([][5]float32, 3), []float64{nan, nan, nan}
			for n, c := range [][][5]float32{
				{{3, 0, 0, -4, 0}, {}, {1e30, 0, 0, 0, 0}},
				{{1e30, 0, 0, 0, -3e38}, {}, {1, 0, float32(inf), 0, 0}},
			} {
				want := []float64{norm(c[0]), 0.5 * norm(d.theta[1]), norm(c[2])}
				if n == 1 {
					want[2] = nan // the loss is infinite: Total leaves 0 of it, and that times an infinite slope
				}
				d.update(zero, c)
				norms := o.GradientNorms(store).MustValue().Value().([][]float64)
				for r := range want {
					for at, want := range []float64{before[r], want[r]} {
						if got := norms[at][r]; !(math.Abs(got-want) <= 1e-6*want) && !(got != got && want != want) {
							t.Errorf("%s, bound %g, trial %d: norm %d is %g, want %g", engine, bound, r, at, got, want)
						}
					}
				}
				before = want
			}
		}
	}
}
