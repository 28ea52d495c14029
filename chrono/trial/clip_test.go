package trial

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/internal/check"
)

// With SGD at rate 1 the first step from zero is the clipped gradient of each trial, whatever becomes of the others:
// below the bound not one bit changes. Norms are those before. A NaN stays where it arose; an infinite gradient becomes
// one.
func TestClip(t *testing.T) {
	const bound = 2
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	c := [][5]float32{
		{0.1, 0.2, -0.3, 0.4, 0.5}, // norm 0.74
		{0, 0, 0, 2, 0},            // the bound
		{3, 0, 0, -4, 0},           // norm 5, of which no weight alone has as much
		{1e30, -1e30, 0, 0, 3e38},  // the squares overflow
		{nan, 3, 0, 0, 0},          // the losses of these are not finite: Total leaves 0 of them, and that times an
		{1, 0, 0, inf, 0},          // infinite slope is NaN
	}
	zero, store := make([][5]float32, len(c)), model.NewStore()
	o := Optimizer{Method: SGD{}, Rates: []float64{1}, Clip: bound}
	d := begin(t, "go", store, o, zero)
	d.update(zero, c)
	norms := o.GradientNorms(store).MustValue().Value().([][]float64)
	for r := range c {
		want, squares := make([]float64, 5), 0.
		for i, x := range c[r] {
			want[i] = -float64(x)
			squares += want[i] * want[i]
		}
		norm, within := math.Sqrt(squares), 0.
		if r < 4 && norm > bound {
			within = 1e-6
		}
		for i := range want {
			if want[i] *= min(1, bound/norm); r >= 4 {
				want[i] = 0 * float64(c[r][i])
			}
		}
		got := make([]float64, 5)
		for i, x := range d.theta[r] {
			got[i] = float64(x)
		}
		check.Near(t, got, want, within, "trial %d: step", r)
		check.Near(t, []float64{norms[0][r], norms[1][r] / norm}, []float64{math.NaN(), norm / norm}, 1e-6, // 1, or NaN
			"trial %d: norms before the last update and at it", r)
	}
}
