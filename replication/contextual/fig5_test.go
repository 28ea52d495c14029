package contextual

import (
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// The blocks of an LSTM are those of one matrix [I+H, 4H]: one limit for all of them, √(6 / (I + H + 4H)).
func TestJointGlorot(t *testing.T) {
	const inputs, hidden = 2, 100
	draws := cell.Draws{Seed: 1, WeightInit: JointGlorot{Inputs: inputs}, GateInit: forgetBias[0]}
	layer := check.Got(cell.LSTM{Hidden: hidden}.Layer(inputs))(t)
	drawn := initialValues(draws, layer.Weights)
	limit := math.Sqrt(6 / float64(inputs+5*hidden))
	for _, name := range []string{"input", "recurrent"} {
		low, high := slices.Min(drawn[name]), slices.Max(drawn[name])
		check.That(t, low >= -limit && low <= -0.95*limit && high <= limit && high >= 0.95*limit,
			"%s is from %g to %g, want almost all of ±%g", name, low, high, limit)
	}
	got := draws.WeightInit.Draw(draws.RNG(), cell.Output, hidden, 1)
	want := (cell.He{}).Draw(draws.RNG(), cell.Output, hidden, 1)
	check.That(t, slices.Equal(got, want), "the read-out is not He's")
}
