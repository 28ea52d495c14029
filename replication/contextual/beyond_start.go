package contextual

import (
	"math"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"gonum.org/v1/plot/vg"
)

// BeyondStart asks whether the authors' start weights decide what Figure 2 shows. In their program the embedding is
// zero at the start, so that at first all symbols are alike to the network.
var BeyondStart = figures.Figure{
	Paper: paper, Name: "beyond-start",
	Title: "Beyond the paper: retrieval from the start weights of the authors' program",
	Panels: []experiment.Panel{{
		Name: "retrieval", Title: "retrieval, 4 pairs", X: "epochs", Y: "log likelihood (nats)",
		Arms: []experiment.Arm{
			{Name: zeroArm, Label: "zero"}, {Name: freeArm, Label: "free"}, {Name: learnedArm, Label: "learned"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Title: "retrieval, 2 pairs", Trials: 3,
				Declaration: fromZeroEmbedding{quickRetrieval(24)}},
			record.Reduced: {Trials: 3, Declaration: fromZeroEmbedding{paperRetrieval(20)}},
			record.Paper:   {Trials: 3, Declaration: fromZeroEmbedding{paperRetrieval(200)}},
		},
	}},
	Views: []figures.View{logLikelihoods, accuracies},
	Caption: "Beyond the paper: does a learned first state make up for a bad start? As Figure 2, but from the " +
		"start weights of the authors' program, where all symbols have the same embedding, zero.",
	Layout: figures.Layout{Columns: 2, Height: 2.2 * vg.Inch},
	Open: []figures.Choice{
		{
			Open: "what is different from Figure 2", Chosen: "three start weights: the embedding is zero, the cell's " +
				"bias is Glorot-uniform, and the matrix that makes the first state is He's",
			Why: "the authors' code. With a bias of zero, too, all gradients would be zero",
		}, {
			Open: "epochs", Chosen: "200; at scale reduced 20, at scale quick 24",
			Why: "it takes longer than in Figure 2",
		},
	},
}

// fromZeroEmbedding is retrieval with other start weights.
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
		network := runs[i].Network.(Retriever)
		network.Psi, network.Cell = 0, RandomBias{fastWeights(f.units)}
		runs[i].Network = network
	}
	return runs
}

// RandomBias are fast weights whose bias starts Glorot-uniform, U(−a, a) with a = √(6 / 2H) for its H numbers.
type RandomBias struct{ cell.FastWeights }

// Draw implements cell.Cell.
func (r RandomBias) Draw(d cell.Draws, inputs int) [][]float64 {
	drawn := r.FastWeights.Draw(d, inputs)
	for i, w := range r.Weights(inputs) {
		if w.Name != "bias" {
			continue
		}
		limit, rng := math.Sqrt(3/float64(r.Hidden)), d.RNG("random bias")
		for u := range drawn[i] {
			drawn[i][u] = limit * (2*rng.Float64() - 1)
		}
	}
	return drawn
}

var _ = experiment.Name("context.RandomBias", RandomBias{})
