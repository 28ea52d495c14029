package contextual

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig2 is C Figure 2: fast weights that begin in zeros, in a learned variable and in what a network makes of the first
// character, C(2a) to C(2c), on associative retrieval. Two further arms are ours. C's learned initial state has 2,550
// outputs, and the first character is also the first input: so these say whether it is the context that helps.
var Fig2 = figures.Figure{
	Paper: paper, Name: "fig2",
	Title: "Initial states of fast weights in associative retrieval",
	Panels: []experiment.Panel{
		retrievalPanel("beyond-start", "retrieval", ", authors' weights", authorsWeights, 16, 20, 60),
		retrievalPanel("", "retrieval", ", our weights", ourWeights, 8, 10, 20),
	},
	Others: []experiment.Panel{
		retrievalPanel("beyond-start", "one-weight", ", some authors' weights", someAuthorsWeights, 8, 14, 60),
	},
	Conditions: retrievalConditions, Claims: fig2Claims,
	Views: []figures.View{logLikelihoods, accuracies},
	Found: "From the authors' initial weights a learned initial state is ahead (a, b), as the paper says; from ours " +
		"it is not (c, d).",
	Caption: "Fast weights in associative retrieval, on a validation set, with initial states as in the paper: " +
		"zeros, a free variable, and computed from the first character (learned); as in the authors' program, the " +
		"fast weights A0 are set with h0. Two controls: h0 alone is computed, or the same network computes both from " +
		"a constant instead of the first character. Two levels: a model that knows which digits occur, but not which " +
		"belongs to which letter, and one that knows nothing. The paper trains for 200 epochs. In the authors' " +
		"program all embeddings are zero at first, biases are Glorot-uniform, and the matrix of g is He's.",
	Layout: figures.Layout{Height: 2.2 * figures.Inch, Legends: true},
}

// retrievalPanel declares a panel of Figure 2, whose records go by the name of a figure, with its epochs at each scale.
func retrievalPanel(of, name, weights string, arms []start, quick, reduced, paper int) experiment.Panel {
	size := func(title string, r retrieval) experiment.Size {
		return experiment.Size{Title: title, Trials: 3, Runs: func(seeds []uint64) []experiment.Run {
			return r.runs(arms, seeds)
		}}
	}
	return experiment.Panel{
		Name: name, Of: of, Title: "retrieval, 4 pairs" + weights, X: "epochs", Y: "log likelihood (nats)",
		Arms: xslices.Map(arms, func(arm start) experiment.Arm { return arm.Arm }),
		Sizes: map[record.Scale]experiment.Size{
			record.Quick:   size("retrieval, 2 pairs"+weights, quickRetrieval(quick)),
			record.Reduced: size("", paperRetrieval(reduced)),
			record.Paper:   size("", paperRetrieval(paper)),
		},
	}
}

type start struct {
	experiment.Arm
	first cell.InitialState
	of    func(retrieval) Step // what the initial state is made of; nil: nothing
	psi   float64              // standard deviation of the embedding's numbers
	bias  bool                 // the cell's bias is random, as in the authors' program, and not zero
}

// ZeroWeights is a cell.WeightInit of zeros, for a network whose outputs are zero before training.
type ZeroWeights struct{}

func (ZeroWeights) Draw(_ *rand.Rand, _ cell.Role, rows, columns int) []float64 {
	return make([]float64, rows*columns)
}

// maker is the network g that makes the initial state.
func maker(weights cell.WeightInit) cell.Contextual {
	return cell.Contextual{Output: cell.Linear{}, WeightInit: weights}
}

// The arms of Figure 2, from our initial weights, from those of the authors' program, in which at first all symbols are
// alike to the network, and with some of the latter. An embedding of zero needs the bias.
var (
	ours, he = maker(ZeroWeights{}), maker(cell.He{})
	first    = func(retrieval) Step { return Step{At: 0} }
	question = func(r retrieval) Step { return Step{At: 2 * r.pairs} }

	zero    = experiment.Arm{Name: "zero", Label: "zero"}
	free    = experiment.Arm{Name: "free", Label: "free"}
	learned = experiment.Arm{Name: "learned", Label: "learned"}

	ourWeights = []start{
		{zero, cell.Zero{}, nil, psi, false}, {free, cell.Learned{}, nil, psi, false},
		{learned, ours, first, psi, false},
		{
			experiment.Arm{Name: "learned-h", Label: "learned h0, A0 = 0"},
			cell.Parts{Of: []cell.InitialState{ours, cell.Zero{}}}, first, psi, false,
		},
		{experiment.Arm{Name: "constant", Label: "learned, from a constant"}, ours, question, psi, false},
	}
	authorsWeights = []start{
		{zero, cell.Zero{}, nil, 0, true}, {free, cell.Learned{}, nil, 0, true}, {learned, he, first, 0, true},
	}
	someAuthorsWeights = []start{
		{experiment.Arm{Name: "zero-bias", Label: "zero, their bias"}, cell.Zero{}, nil, psi, true},
		{experiment.Arm{Name: "learned-bias", Label: "learned, their bias"}, ours, first, psi, true},
		{experiment.Arm{Name: "learned-matrix", Label: "learned, their matrix of g"}, he, first, psi, false},
		{experiment.Arm{Name: "learned-embedding", Label: "learned, their embedding and bias"}, ours, first, 0, true},
	}
)

// validLikelihood is measured of retrieval in the course of training, beside the accuracy.
const validLikelihood record.Result = "valid_log_likelihood"

// What Figure 2 shows, until every model has solved the task.
var (
	logLikelihoods = untilSolved{figures.Curves{
		Of: validLikelihood, Low: -2.5, High: 0.05,
		Levels: levels(func(loss, _ float64) float64 { return -loss }),
	}}
	accuracies = untilSolved{figures.Curves{
		Of: experiment.ValidAccuracy, Y: "accuracy (%)", As: figures.Percent, High: 102,
		Levels: levels(func(_, accuracy float64) float64 { return 100 * accuracy }),
	}}
)

// untilSolved ends the horizontal axis where every model once had an accuracy of 99 %.
type untilSolved struct{ figures.Curves }

func (v untilSolved) Chart(p figures.Panel) figures.Chart {
	c, end := v.Curves.Chart(p), 0.
	for _, r := range p.Records {
		points := r.Series(string(experiment.ValidAccuracy))
		for trial := range r.Trials {
			at := slices.IndexFunc(points, func(point record.Point) bool {
				return point.Values[trial] >= fullAt.Value
			})
			if at < 0 {
				return c
			}
			end = max(end, float64(points[at].Update)/float64(p.Epoch()))
		}
	}
	if end < c.End {
		c.Cut = fmt.Sprintf("the axis ends where every model once had %g\u00a0%%; %g\u00a0epochs were trained",
			100*fullAt.Value, c.End)
		c.End = end
	}
	return c
}

// levels are what a model reaches that misses the point of retrieval.
func levels(of func(loss, accuracy float64) float64) func(figures.Panel) []figures.Reference {
	return func(p figures.Panel) []figures.Reference {
		t := paperRetrieval(1).task()
		if p.Records[0].Scale == record.Quick {
			t = quickRetrieval(1).task()
		}
		chance := t.Memoryless()
		return []figures.Reference{
			figures.Level("best without matching digits to letters", of(t.Unbound())),
			figures.Level("chance", of(chance, math.Exp(-chance))),
		}
	}
}

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

// paperRetrieval is C's own, but for its 200 epochs: no claim looks beyond the one at which all trials have an accuracy
// of 99 %.
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

func (r retrieval) runs(arms []start, seeds []uint64) []experiment.Run {
	return xslices.Map(arms, func(arm start) experiment.Run { return r.run(arm, seeds) })
}

func (r retrieval) run(arm start, seeds []uint64) experiment.Run {
	t := r.task()
	data := func(split string, batch, sequences int) trial.Sampled[task.Classification] {
		return trial.Sampled[task.Classification]{
			Tasks: []task.Classification{t}, Split: split, Batch: batch, Sequences: sequences,
		}
	}
	return experiment.Run{Part: arm.Name, Experiment: experiment.Experiment{
		Trials:    experiment.Trials(experiment.On(t, arm.Name, nil), seeds),
		Network:   r.network(arm),
		Data:      data("train", r.batch, r.train),
		Loss:      experiment.CrossEntropy{},
		Optimizer: adam(r.rate, 0),
		Schedule:  experiment.ConstantRate{},
		Length:    experiment.Length{Epochs: r.epochs, Updates: r.updates},
		Window:    r.updates / r.checks,
		Tests: []experiment.Test{{
			Data: data("valid", validSequences, r.validBatches*validSequences), Batches: r.validBatches,
			Every: r.updates / r.checks,
			Measures: []experiment.Measure{
				{Name: validLikelihood, Of: LogLikelihood{}},
				{Name: experiment.ValidAccuracy, Of: experiment.Mean{Of: experiment.Accuracy{}}},
			},
		}},
	}}
}

func (r retrieval) network(arm start) Retriever {
	network := Retriever{
		Symbols: r.task().Alphabet(), Embedding: embedding, Cell: fastWeights(r.units), InitialState: arm.first,
		Head: head, Answers: r.task().Classes(), Psi: arm.psi, WeightInit: cell.ScaledIdentity{Scale: 0.05},
	}
	if arm.of != nil {
		network.Context = arm.of(r)
	}
	if arm.bias {
		network.Cell = RandomBias{fastWeights(r.units)}
	}
	return network
}

// fastWeights is the cell of Ba et al. 2016 as C's authors have it.
func fastWeights(units int) cell.FastWeights {
	return cell.FastWeights{
		Hidden: units, Decay: 0.95, Rate: 0.5, Inner: 1, Preliminary: true, Activation: cell.ReLU{},
		Norm: cell.Normalization{Epsilon: 1e-5, Learned: false},
	}
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
	return experiment.UniformWithin{Limit: math.Sqrt(3 / float64(r.Hidden))}.Draw(d.RNG(), cell.Recurrent, r.Hidden, 1)
}
