package warp

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
)

// WordModel is the network of W Figure 7 (Penn Treebank), that of Zilly et al. 2017: words [T, R, B] → a vector of H
// numbers for each, from a table E → recurrent highway network → logits h·Eᵀ + b [T, R, B, Words], by the same
// table.
//
// It takes trial.Streams, and begins in the state after the batch before; or Masked, whose masks it puts on
// the words' vectors, on each number of them, on the state in all layers, and on h.
type WordModel struct {
	Words      int
	Cell       cell.RHN
	GateInit   []chrono.GateInit // of the gates: [R], or one for all
	WeightInit cell.WeightInit   // of all matrices, of the table and of b
}

func (m WordModel) Units() int { return m.Cell.Hidden }

// The inputs of a batch of Masked; trial.Streams have the first two.
const (
	symbolInput = iota
	continues
	symbolMask
	inputMask
	stateMask
	outputMask
)

func (m WordModel) Build(scope *model.Scope, seeds []uint64, inputs []*graph.Node) experiment.Output {
	words, scopeOfWords, trials := inputs[symbolInput], scope.In("words"), len(seeds)
	x := cell.Embedding(scopeOfWords, words, m.Words, m.Cell.Hidden, m.WeightInit, seeds...)
	table := scopeOfWords.GetVariable("table").NodeValue(x.Graph()) // E [R, Words, H]
	bias := cell.Variables(scopeOfWords, x.Graph(), []cell.Weight{
		{Name: "bias", Dims: []int{m.Words}, Init: func(d cell.Draws) []float64 {
			return m.WeightInit.Draw(d.RNG(), cell.Output, 1, m.Words)
		}},
	}, dtypes.Float32, seeds)["bias"]
	mask := func(v *graph.Node, input int, axes ...int) *graph.Node {
		if len(inputs) <= input {
			return v
		}
		return graph.Mul(v, graph.InsertAxes(graph.StopGradient(inputs[input]), axes...))
	}
	xs := []*graph.Node{mask(mask(x, symbolMask, -1), inputMask, 0)}
	if len(inputs) > stateMask {
		xs = append(xs, graph.StopGradient(inputs[stateMask]))
	}

	layer := cell.New(scope.In("cell"), m.Cell, xs...).Seeds(seeds...).GateInit(m.GateInit...).
		WeightInit(m.WeightInit).Carry(inputs[continues])
	ys, _ := layer.Done()

	h := mask(ys[0], outputMask, 0)
	logits := graph.DotGeneral(h, []int{3}, []int{1}, table, []int{2}, []int{0}) // [R, T, B, Words]
	logits = graph.Add(graph.TransposeAllAxes(logits, 1, 0, 2, 3), graph.Reshape(bias, 1, trials, 1, m.Words))
	return experiment.Output{Prediction: logits, Gates: layer.Gates()}
}

// Opposite is another initialization with its biases' signs changed. W Appendix A says of the recurrent highway network
// “the carry gate bias vectors of all layers are initialized to −b, and the transform gate biases to b”, with
// b ≥ 0. Literally that is the opposite of chrono.Range{Min: 2, Max: 12}: gates that carry nothing over.
type Opposite struct{ Of chrono.GateInit }

func (o Opposite) Draw(rng *rand.Rand, units int) chrono.Biases {
	biases := o.Of.Draw(rng, units)
	for u := range units {
		biases.Forget[u], biases.Input[u] = -biases.Forget[u], -biases.Input[u]
	}
	return biases
}

func (o Opposite) Validate() error { return o.Of.Validate() }

// Masked is streams with the masks of variational dropout (Gal & Ghahramani 2016) as four additional
// float32 inputs: for symbols [T, R, B], and for inputs, states and outputs of a network, [R, B, Units] each. Each
// element of a mask is 0 with the given probability, and else scaled so that its mean is 1. A sequence of a batch has
// the same mask at all steps; the mask of symbols is the same wherever a symbol occurs in the sequence.
//
// One random stream draws all masks of a sequence, those of symbols first. The stream depends only on the trial's seed,
// the split, and the numbers of the batch and of the sequence in it. So masks are the same when training is resumed, on
// every engine, and for two models with the same seed, Units and streams. But the masks of inputs, states and outputs
// also depend on how many different symbols the sequence has, and so on Steps; the last two also depend on Units.
type Masked struct {
	Of    trial.Streams
	Units int

	// Shares that are dropped, 0 or more and below 1: in Zilly et al. 2017 on the Penn Treebank 0.25, 0.75, 0.25 and
	// 0.75.
	Symbols, Inputs, States, Outputs float64
}

func (d Masked) Shape() (batch, steps int, err error) {
	if d.Units < 1 {
		err = fmt.Errorf("masks for %d units: want 1 or more", d.Units)
	}
	for _, share := range []float64{d.Symbols, d.Inputs, d.States, d.Outputs} {
		if !(share >= 0 && share < 1) {
			err = fmt.Errorf("a share of %g is masked: want 0 or more, and below 1", share)
		}
	}
	if err != nil {
		return 0, 0, err
	}
	return d.Of.Shape()
}

func (d Masked) Open(seeds []uint64) (trial.Batches, error) {
	batch, steps, err := d.Shape()
	if err != nil {
		return nil, err
	}
	return experiment.Map(d.Of, seeds, func(n int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor) {
		return append(inputs, d.masks(seeds, n, batch, steps, inputs)...), labels
	})
}

// masks are those of the symbols [T, R, B] of batch n, its first input, and of inputs, states and outputs.
func (d Masked) masks(seeds []uint64, n, batch, steps int, inputs []*tensors.Tensor) []*tensors.Tensor {
	x := tensors.MustCopyFlatData[int32](inputs[0])
	rows := len(seeds) * batch
	symbols, masks := make([]float32, len(x)), [3][]float32{}
	for i := range masks {
		masks[i] = make([]float32, rows*d.Units)
	}
	for r, seed := range seeds {
		for b := range batch {
			row := r*batch + b
			rng := chrono.RNG(seed, "dropout", d.Of.Split, n, b)
			drawn := map[int32]float32{} // of the symbols of this sequence
			for t := range steps {
				symbol := x[t*rows+row]
				if _, ok := drawn[symbol]; !ok {
					drawn[symbol] = keep(d.Symbols, rng)
				}
				symbols[t*rows+row] = drawn[symbol]
			}
			for i, share := range []float64{d.Inputs, d.States, d.Outputs} {
				for u := range d.Units {
					masks[i][row*d.Units+u] = keep(share, rng)
				}
			}
		}
	}
	all := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(symbols, steps, len(seeds), batch)}
	for _, mask := range masks {
		all = append(all, tensors.FromFlatDataAndDimensions(mask, len(seeds), batch, d.Units))
	}
	return all
}

// keep draws one number of a mask of which that share is 0.
func keep(share float64, rng *rand.Rand) float32 {
	if rng.Float64() < share {
		return 0
	}
	return float32(1 / (1 - share))
}
