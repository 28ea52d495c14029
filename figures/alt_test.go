package figures

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

func TestAltLine(t *testing.T) {
	for _, c := range []struct {
		y    []float64
		want string
	}{
		{[]float64{3, 2, 1}, "it from 3 to 1"},
		{[]float64{0.25, 0.25}, "it 0.25"},
		{[]float64{1, 5, 2}, "it from 1 to 2, highest 5"},
		{[]float64{1, 0.1, 2}, "it from 1 to 2, lowest 0.1"},
		{[]float64{2, 2.01, 1}, "it from 2 to 1"},
		{[]float64{math.NaN(), 2, math.Inf(1)}, "it 2"},
		{[]float64{math.NaN()}, "it, no points"},
	} {
		check.Equal(t, AltLine("it", c.y), c.want, "%v", c.y)
	}
}
