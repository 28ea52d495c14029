package trial

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

func TestReduceOnPlateau(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	var losses [][]float64
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
		check.Equal(t, check.Got(ReduceOnPlateau(losses))(t), step.factors, "factors after evaluation %d", i)
	}
	for _, wrong := range [][][]float64{nil, {{1}, {1, 2}}, {{1, 2}, {1}}} {
		_, err := ReduceOnPlateau(wrong)
		check.Rejected(t, wrong, err, "trial: ")
	}
}
