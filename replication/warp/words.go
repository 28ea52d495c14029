package warp

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
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
