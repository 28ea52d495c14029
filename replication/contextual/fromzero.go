package contextual

import (
	"math/rand/v2"

	"github.com/warptime/warptime/replication/experiment"
)

// FromZero is a cell.Start of zeros, for a network whose outputs are to begin at zero.
type FromZero struct{}

var _ = experiment.Name("context.FromZero", FromZero{})

// Input implements cell.Start: zeros.
func (FromZero) Input(_ *rand.Rand, inputs, hidden int) []float64 {
	return make([]float64, inputs*hidden)
}

// Recurrent implements cell.Start: zeros.
func (FromZero) Recurrent(_ *rand.Rand, hidden int) []float64 { return make([]float64, hidden*hidden) }

// Output implements cell.Start: zeros.
func (FromZero) Output(_ *rand.Rand, features, units int) []float64 {
	return make([]float64, features*units)
}
