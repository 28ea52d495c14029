package contextual

import (
	"math"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"gonum.org/v1/plot/vg"
)

// BeyondStart asks whether the authors' initial weights decide what Figure 2 shows. In their program the embedding is
// zero at the start, so that at first all symbols are alike to the network.
var BeyondStart = figures.Figure{
	Paper: paper, Name: "beyond-start",
	Title: "Beyond the paper: retrieval from the initial weights of the authors' program",
	Panels: []experiment.Panel{{
		Name: "retrieval", Title: "retrieval, 4 pairs", X: "epochs", Y: "log likelihood (nats)",
		Arms: []experiment.Arm{
			{Name: zeroArm, Label: "zero"}, {Name: freeArm, Label: "free"}, {Name: learnedArm, Label: "learned"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Title: "retrieval, 2 pairs", Trials: 3,
				Declaration: fromZeroEmbedding{quickRetrieval(16)}},
			record.Reduced: {Trials: 3, Declaration: fromZeroEmbedding{paperRetrieval(20)}},
			record.Paper:   {Trials: 3, Declaration: fromZeroEmbedding{paperRetrieval(60)}},
		},
	}, {
		Name: "one-weight", Title: "4 pairs, some weights", X: "epochs", Y: "log likelihood (nats)",
		Arms: []experiment.Arm{
			{Name: "zero-bias", Label: "zero, their bias"}, {Name: "learned-bias", Label: "learned, their bias"},
			{Name: "learned-matrix", Label: "learned, their matrix of g"},
			{Name: "learned-embedding", Label: "learned, their embedding and bias"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Title: "2 pairs, some weights", Trials: 3,
				Declaration: oneWeight{quickRetrieval(8)}},
			record.Reduced: {Trials: 3, Declaration: oneWeight{paperRetrieval(14)}},
			record.Paper:   {Trials: 3, Declaration: oneWeight{paperRetrieval(60)}},
		},
	}},
	Views: []figures.View{logLikelihoods, accuracies},
	Caption: "Beyond the paper: does a learned initial state make up for bad initial weights? As Figure 2, (a, b) " +
		"from the initial weights of the authors' program: all embeddings are zero, biases are Glorot-uniform, and " +
		"the matrix of g is He's; (c, d) with one or two of these three at a time, named in the legend.",
	Layout: figures.Layout{Columns: 2, Height: 2.2 * vg.Inch, Legends: true},
	Open: []figures.Choice{
		{
			Open: "what is different from Figure 2", Chosen: "three initial weights: the embedding is zero, the " +
				"cell's bias is Glorot-uniform, and the matrix that makes the initial state is He's",
			Why: "the authors' code. With a bias of zero, too, all gradients would be zero",
		}, {
			Open: "epochs", Chosen: "60; at scale reduced 20 and 14, at scale quick 16 and 8",
			Why: "it takes longer than in Figure 2. The paper has 200: within 60, two of three networks with zeros " +
				"never reach an accuracy of 99 %, and all others do",
		},
	},
}

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

// Weights implements cell.Cell.
func (r RandomBias) Weights(inputs int) []cell.Weight {
	weights := r.FastWeights.Weights(inputs)
	for i := range weights {
		if weights[i].Name == "bias" {
			weights[i].Init = r.bias
		}
	}
	return weights
}

func (r RandomBias) bias(d cell.Draws) []float64 {
	d.Name = "random bias" // its stream
	return cell.UniformWithin{Limit: math.Sqrt(3 / float64(r.Hidden))}.Draw(d.RNG(), cell.Recurrent, r.Hidden, 1)
}

var _ = experiment.Name("context.RandomBias", RandomBias{})
