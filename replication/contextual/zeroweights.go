package contextual

import (
	"math/rand/v2"

	"github.com/warptime/warptime/replication/experiment"
)

// ZeroWeights is a cell.WeightInit of zeros, for a network whose outputs are to begin at zero.
type ZeroWeights struct{}

var _ = experiment.Name("context.ZeroWeights", ZeroWeights{})

// Input implements cell.WeightInit: zeros.
func (ZeroWeights) Input(_ *rand.Rand, inputs, hidden int) []float64 {
	return make([]float64, inputs*hidden)
}

// Recurrent implements cell.WeightInit: zeros.
func (ZeroWeights) Recurrent(_ *rand.Rand, hidden int) []float64 {
	return make([]float64, hidden*hidden)
}

// Output implements cell.WeightInit: zeros.
func (ZeroWeights) Output(_ *rand.Rand, features, units int) []float64 {
	return make([]float64, features*units)
}
