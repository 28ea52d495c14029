package contextual

import (
	"math"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/replication/experiment"
)

// RandomBias are fast weights whose initial bias is Glorot-uniform, U(−a, a) with a = √(6 / 2H) for its H numbers.
type RandomBias struct{ cell.FastWeights }

func (r RandomBias) Layer(inputs int) (cell.Layer, error) {
	layer, err := r.FastWeights.Layer(inputs)
	for i := range layer.Weights {
		if layer.Weights[i].Name == "bias" {
			layer.Weights[i].Init = r.bias
		}
	}
	return layer, err
}

func (r RandomBias) bias(d cell.Draws) []float64 {
	d.Name = "random bias" // its stream
	return cell.UniformWithin{Limit: math.Sqrt(3 / float64(r.Hidden))}.Draw(d.RNG(), cell.Recurrent, r.Hidden, 1)
}

var _ = experiment.Name("context.RandomBias", RandomBias{})
