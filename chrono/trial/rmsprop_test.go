package trial

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// On a constant gradient c, v at update n is (1−αⁿ)·c², so that the step is rate·sign(c)/√(1−αⁿ), whatever the
// gradient's size. What the comment on RMSprop says of GoMLX's own: it divides v by 1−αⁿ, so that every step is one
// rate long.
func TestRMSpropFirstSteps(t *testing.T) {
	const alpha, rate = 0.9, 0.01
	c := [][5]float64{{1e-3, -1e3, 1, -1, 7}}
	ours := Optimizer{Method: RMSprop{alpha, 1e-12}, Rates: []float64{rate}}
	theirs := optimizer.RMSProp().LearningRate(rate).Betas(0, alpha).Epsilon(1e-12).Done()
	a, zero := make([][5]float64, 1), make([][5]float64, 1)
	descents := []*descent[float64]{
		begin(t, "go", model.NewStore(), ours, zero), begin(t, "go", model.NewStore(), theirs, zero),
	}
	at := [2]float64{}
	for n := 1; n <= 5; n++ {
		at[0] += rate / math.Sqrt(1-math.Pow(alpha, float64(n)))
		at[1] += rate
		for k, d := range descents {
			d.update(a, c)
			for i, x := range d.theta[0] {
				want := math.Copysign(at[k], -c[0][i])
				if math.Abs(x-want) > 1e-9 { // 1e-9 = ε/|c| where c is smallest
					t.Errorf("optimizer %d, update %d, gradient %g: %g, want %g", k, n, c[0][i], x, want)
				}
			}
		}
	}
}
