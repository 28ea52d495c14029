package contextual

import (
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/replication/experiment"
)

// ZeroWeights is a cell.WeightInit of zeros, for a network whose outputs are zero before training.
type ZeroWeights struct{}

var _ = experiment.Name("context.ZeroWeights", ZeroWeights{})

func (ZeroWeights) Draw(_ *rand.Rand, _ cell.Role, rows, columns int) []float64 {
	return make([]float64, rows*columns)
}
