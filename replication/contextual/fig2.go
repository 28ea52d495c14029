package contextual

import (
	"math"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"gonum.org/v1/plot/vg"
)

// Fig2 is C Figure 2: fast weights that begin in zeros, in a learned variable and in what a network makes of the first
// character, C(2a) to C(2c), on associative retrieval. Two further arms are ours. C's learned first state has 2,550
// outputs, and the first character is also the first input: so these say whether it is the context that helps.
var Fig2 = figures.Figure{
	Paper: paper, Name: "fig2",
	Title: "First states of fast weights in associative retrieval",
	Panels: []experiment.Panel{{
		Name: "retrieval", Title: "retrieval, 4 pairs", X: "epochs", Y: "log likelihood (nats)",
		Arms: []experiment.Arm{
			{Name: zeroArm, Label: "zero"}, {Name: freeArm, Label: "free"}, {Name: learnedArm, Label: "learned"},
			{Name: "learned-h", Label: "learned h0, A0 = 0"},
			{Name: "constant", Label: "learned's network on a constant"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick:   {Title: "retrieval, 2 pairs", Trials: 3, Declaration: retrievals[record.Quick]},
			record.Reduced: {Trials: 3, Declaration: retrievals[record.Reduced]},
			record.Paper:   {Trials: 3, Declaration: retrievals[record.Paper]},
		},
	}},
	Views: []figures.View{logLikelihoods, accuracies},
	Caption: "Fast weights in associative retrieval, on a validation set: zero, free and learned first states, and " +
		"two controls that are not the paper's. Of the two levels one knows which digits there are, but not " +
		"which belongs to which letter; the other knows nothing.",
	Layout: figures.Layout{Columns: 2, Height: 2.2 * vg.Inch},
	Open: append([]figures.Choice{
		{
			Open: "number of pairs, digits", Chosen: "4, and two of them may have the same digit",
			Why: "the paper's example has four; the rest as in the authors' code. All of a … z occur, which there z " +
				"does not",
		}, {
			Open: "answers", Chosen: "the ten digits", Why: "the task asks for a digit; the authors' code has all 37 " +
				"symbols",
		}, {
			Open: "order of updates of the fast weights", Chosen: "A learns before it is read, from the preliminary " +
				"state",
			Why: "the authors' code; Ba et al. have it learn afterwards, from the final state",
		}, {
			Open: "λ, η, inner steps, activation", Chosen: "0.95, 0.5, 1, ReLU", Why: "the authors' code",
		}, {
			Open: "layer normalization", Chosen: "without a learned gain and shift, ε = 1e-5",
			Why: "those of the authors' code are most likely never trained",
		}, {
			Open: "start weights", Chosen: "0.05 times the identity in the cell, He's elsewhere",
			Why: "the authors' code",
		}, {
			Open:   "start of the embedding, of 100 numbers",
			Chosen: "normal numbers with a deviation of 0.25",
			Why:    "in the authors' code it is zero, and decides what the figure shows: see context/beyond-start",
		}, {
			Open:   "start of the network that makes the first state",
			Chosen: "zero, so that all arms begin as the same function",
			Why:    "in the authors' code its outputs are zero at first, since the embedding is",
		}, {
			Open: "read-out", Chosen: "the last state, 100 units with ReLU, the answers", Why: "the authors' code",
		}, {
			Open: "batches in an epoch", Chosen: "782 of 128, in a new random order each time",
			Why: "100,000 sequences are 781.25; the authors' code has always the same batches",
		}, {
			Open: "end of training", Chosen: "200 epochs for all; at scale reduced 10",
			Why: "the authors' code stops at 100 % validation accuracy; trials that share a graph cannot",
		},
	}, bothChoices...),
}

// The arms of both papers' comparisons.
const (
	zeroArm    = "zero"
	freeArm    = "free"
	learnedArm = "learned"
)

// What retrieval measures in the course of training.
const (
	validLikelihood = "valid_log_likelihood"
	validAccuracy   = "valid_accuracy"
)

// What Figure 2 shows, until every model has solved the task.
var (
	logLikelihoods = figures.OverEpochs{
		Of: validLikelihood, Y: "log likelihood (nats)", Low: -2.5, High: 0.05, Levels: likelihoodLevels,
		Solved: 0.99, By: validAccuracy,
	}
	accuracies = figures.OverEpochs{
		Of: validAccuracy, Y: "accuracy (%)", Percent: true, High: 102, Levels: accuracyLevels,
		Solved: 0.99, By: validAccuracy,
	}
)

// likelihoodLevels and accuracyLevels are what can be had of retrieval without its point.
func likelihoodLevels(p figures.Panel) []figures.Level {
	t := retrievals[p.Records[0].Scale].task()
	loss, _ := t.Unbound()
	return []figures.Level{{Label: unboundLabel, Value: -loss}, {Label: nothingLabel, Value: -t.Memoryless()}}
}

func accuracyLevels(p figures.Panel) []figures.Level {
	t := retrievals[p.Records[0].Scale].task()
	_, accuracy := t.Unbound()
	return []figures.Level{
		{Label: unboundLabel, Value: 100 * accuracy},
		{Label: nothingLabel, Value: 100 * math.Exp(-t.Memoryless())},
	}
}

const (
	unboundLabel = "knows the digits, not whose they are"
	nothingLabel = "knows nothing"
)

// retrievals is the panel of Figure 2 at each scale.
var retrievals = map[record.Scale]retrieval{
	record.Quick: quickRetrieval(8), record.Reduced: paperRetrieval(10), record.Paper: paperRetrieval(200),
}

// retrieval is the panel of Figure 2 at one scale.
type retrieval struct {
	pairs        int // K
	units        int // of the cell
	batch        int
	rate         float64
	epochs       int
	updates      int // in an epoch
	checks       int // how often in an epoch the networks are validated; it divides updates
	train        int // sequences in the training set; 0: always new ones
	validBatches int // of 500 sequences
}

// quickRetrieval is a smaller network on fewer pairs, which learns faster.
func quickRetrieval(epochs int) retrieval {
	return retrieval{
		pairs: 2, units: 30, batch: 64, rate: 2e-3, epochs: epochs, updates: 200, checks: 10, validBatches: 4,
	}
}

// paperRetrieval is C's own, of which the first epochs are enough to see most of it.
func paperRetrieval(epochs int) retrieval {
	return retrieval{
		pairs: 4, units: 50, batch: 128, rate: 1e-3, epochs: epochs, updates: 782, checks: 2, train: 100_000,
		validBatches: 40,
	}
}

// validSequences is the size of a batch in tests, which changes no result.
const validSequences = 500

// Sizes of the network of Figure 2 that do not depend on the scale.
const (
	embedding = 100
	head      = 100
	psi       = 0.25 // standard deviation of the embedding's numbers at the start
)

func (r retrieval) task() task.Retrieval { return task.Retrieval{Pairs: r.pairs} }

// Runs implements experiment.Declaration: a run for each arm.
func (r retrieval) Runs(seeds []uint64) []experiment.Run {
	t := r.task()
	g := cell.Contextual{Output: cell.Linear{}, WeightInit: ZeroWeights{}}
	first, question := Step{At: 0}, Step{At: 2 * r.pairs}
	return []experiment.Run{
		r.run(t, seeds, zeroArm, cell.Zero{}, nil),
		r.run(t, seeds, freeArm, cell.Learned{}, nil),
		r.run(t, seeds, learnedArm, g, first),
		r.run(t, seeds, "learned-h", cell.Parts{Of: []cell.InitialState{g, cell.Zero{}}}, first),
		r.run(t, seeds, "constant", g, question),
	}
}

func (r retrieval) run(t task.Retrieval, seeds []uint64, arm string, first cell.InitialState,
	of Source) experiment.Run {
	var trials []record.Trial
	for k, seed := range seeds {
		trials = append(trials, record.Trial{
			Arm: arm, Number: k, Seed: seed,
			Memoryless: experiment.Number(t.Memoryless()), Best: experiment.Number(t.Best()),
		})
	}
	data := func(split string, batch, sequences int) trial.Classification {
		return trial.Classification{
			Tasks: []task.Classification{t}, Split: split, Batch: batch, Sequences: sequences,
		}
	}
	return experiment.Run{Part: arm, Experiment: experiment.Experiment{
		Trials:    trials,
		Network:   r.network(first, of),
		Data:      data("train", r.batch, r.train),
		Loss:      trial.CrossEntropy{},
		Optimizer: adam(r.rate, 0),
		Schedule:  trial.ConstantRate{},
		Length:    experiment.Length{Epochs: r.epochs, Updates: r.updates},
		Window:    r.updates / r.checks,
		Tests: []experiment.Test{{
			Data: data("valid", validSequences, r.validBatches*validSequences), Batches: r.validBatches,
			Every: r.updates / r.checks,
			Measures: []experiment.Measure{
				{Name: validLikelihood, Of: LogLikelihood{}},
				{Name: validAccuracy, Of: experiment.Mean{Of: trial.Accuracy{}}},
			},
		}},
	}}
}

// network is the one that begins in a first state, made of that source.
func (r retrieval) network(first cell.InitialState, of Source) Retriever {
	return Retriever{
		Symbols: r.task().Alphabet(), Embedding: embedding, Cell: fastWeights(r.units), InitialState: first,
		Context: of, Head: head, Answers: r.task().Classes(), Psi: psi,
		WeightInit: cell.ScaledIdentity{Scale: 0.05},
	}
}

// fastWeights is the cell of Ba et al. 2016 as C's authors have it.
func fastWeights(units int) cell.FastWeights {
	return cell.FastWeights{
		Hidden: units, Decay: 0.95, Rate: 0.5, Inner: 1, Preliminary: true, Activation: cell.ReLU{},
		Norm: cell.LayerNorm{Epsilon: 1e-5, Learned: false},
	}
}
