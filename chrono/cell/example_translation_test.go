package cell_test

import (
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/attention"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
)

const digits, begin, length = 10, 10, 6 // symbols 0 … 9, one to begin with, and how many a sequence has

// translator predicts each symbol of a translation [B, T] from the source [B, S] and the symbols before it: logits [B,
// T, digits]. The decoder begins in the encoder's last state, and attends to all of the encoder's outputs. Its state
// does not depend on what it attends to, so attention is GoMLX's, outside of the loop. (For one that does, see
// ExampleCtx_Dot_attention in package scan.)
func translator(scope *model.Scope, source, translation *Node) *Node {
	x := cell.Embedding(scope.In("source"), source, digits, 16, cell.Orthogonal{})
	memory, last := cell.New(scope.In("encoder"), cell.GRU{Hidden: 32}, x).Done()
	before := ShiftRight(translation, 1, begin)
	y := cell.Embedding(scope.In("target"), before, digits+1, 16, cell.Orthogonal{})
	h := cell.New(scope.In("decoder"), cell.GRU{Hidden: 32}, y).From(last...).Outputs() // [B, T, H]
	seen := attention.MultiHeadAttention(scope, h, memory[0], memory[0], 1, 32).Done()
	return layers.Dense(scope.In("read-out"), Concatenate([]*Node{h, seen}, -1), true, digits)
}

// Sequence to sequence with attention: a decoder that learns to say what it was told backwards.
func Example_translation() {
	engine, store, rng := must(backend.New("")), model.NewStore(), rand.New(rand.NewPCG(1, 1))
	store.SetParam(model.ParamInitialSeed, int64(1))
	update := model.MustNewExec(engine, store, func(scope *model.Scope, source *Node) {
		backwards := Reverse(source, 1)
		logits := translator(scope, source, backwards)
		mean := loss.SparseCategoricalCrossEntropyLogits([]*Node{InsertAxes(backwards, -1)}, []*Node{logits})
		optimizer.Adam().LearningRate(1e-2).Done().UpdateGraph(scope, mean.Graph(), mean)
	})
	source := make([][]int32, 32)
	for range 301 {
		for b := range source {
			source[b] = make([]int32, length)
			for t := range source[b] {
				source[b][t] = rng.Int32N(digits)
			}
		}
		update.MustCall(source)
	}
	translate := model.MustNewExec(engine, store, func(scope *model.Scope, source, said *Node) *Node {
		return ArgMax(translator(scope, source, said), -1)
	})
	said := source // of which the decoder sees, at each step, what it has said before
	for range length {
		said = translate.MustCall(source, said)[0].Value().([][]int32)
	}
	fmt.Println(source[0], said[0])
	// Output: [5 2 5 5 9 3] [3 9 5 5 2 5]
}
