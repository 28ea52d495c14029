package contextual

import (
	"math"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/replication/experiment"
)

// The retrieval of Figure 2 from the initial weights of the authors' program. In it the embedding is zero at the start,
// so that at first all symbols are alike to the network.

// fromZeroEmbedding is retrieval with other initial weights.
type fromZeroEmbedding struct{ retrieval }

// Runs implements experiment.Declaration: a run for each of the paper's arms.
func (f fromZeroEmbedding) Runs(seeds []uint64) []experiment.Run {
	t := f.task()
	g := cell.Contextual{Output: cell.Linear{}, WeightInit: cell.He{}}
	runs := []experiment.Run{
		f.run(t, seeds, zeroArm, cell.Zero{}, nil),
		f.run(t, seeds, freeArm, cell.Learned{}, nil),
		f.run(t, seeds, learnedArm, g, Step{At: 0}),
	}
	for i := range runs {
		f.randomBias(&runs[i], 0)
	}
	return runs
}

// randomBias changes the cell's bias and the deviation of the embedding before training.
func (r retrieval) randomBias(run *experiment.Run, embedding float64) {
	network := run.Network.(Retriever)
	network.Psi, network.Cell = embedding, RandomBias{fastWeights(r.units)}
	run.Network = network
}

// oneWeight is retrieval with some of the initial weights of fromZeroEmbedding. An embedding of zero needs the bias.
type oneWeight struct{ retrieval }

// Runs implements experiment.Declaration: a run for each arm.
func (o oneWeight) Runs(seeds []uint64) []experiment.Run {
	t, first := o.task(), Step{At: 0}
	he := cell.Contextual{Output: cell.Linear{}, WeightInit: cell.He{}}
	ours := cell.Contextual{Output: cell.Linear{}, WeightInit: ZeroWeights{}}
	runs := []experiment.Run{
		o.run(t, seeds, "zero-bias", cell.Zero{}, nil),
		o.run(t, seeds, "learned-bias", ours, first),
		o.run(t, seeds, "learned-matrix", he, first),
		o.run(t, seeds, "learned-embedding", ours, first),
	}
	o.randomBias(&runs[0], psi)
	o.randomBias(&runs[1], psi)
	o.randomBias(&runs[3], 0)
	return runs
}

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
