package experiment

import (
	"math"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// What both draw for a seed is in records.
func TestWeightInits(t *testing.T) {
	normal := NormalInputs{Deviation: 3, Others: UniformWithin{Limit: 0.04}}
	rng := chrono.RNG(1)
	var want []float64
	for range 6 {
		want = append(want, 3*rng.NormFloat64())
	}
	for range 6 {
		want = append(want, 0.04*(2*rng.Float64()-1))
	}
	rng = chrono.RNG(1)
	got := append(normal.Draw(rng, cell.Input, 2, 3), normal.Draw(rng, cell.Recurrent, 3, 2)...)
	check.Equal(t, got, want, "inputs, then others")
	for _, wrong := range []interface{ Validate() error }{
		UniformWithin{-1}, UniformWithin{math.NaN()}, UniformWithin{math.Inf(1)}, NormalInputs{0, cell.He{}},
		NormalInputs{1, nil}, NormalInputs{1, cell.JointOrthogonal{}},
	} {
		check.Rejected(t, wrong, wrong.Validate(), "want")
	}
}
