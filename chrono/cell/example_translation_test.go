package cell_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
)

const digits, begin, length = 10, 10, 6 // symbols 0 … 9, one to begin with, and how many a sequence has

// translator reads source [S, R, B], and predicts the symbol after each of those that stand in target already,
// [T, R, B]: logits [T, R, B, digits]. The decoder begins in the encoder's last state, and at each step attends to all
// of the encoder's outputs (Luong et al. 2015). Its state does not depend on what it attends to, so attention stands
// outside of the loop. (For one that does, see ExampleCtx_Dot_attention in package scan.)
func translator(scope *model.Scope, source, target *Node) *Node {
	x := cell.Embedding(scope.In("source"), source, digits, 16, cell.Orthogonal{})
	memory, last := cell.New(scope.In("encoder"), cell.GRU{Hidden: 32}, x).Done()
	y := cell.Embedding(scope.In("target"), target, digits+1, 16, cell.Orthogonal{})
	h, _ := cell.New(scope.In("decoder"), cell.GRU{Hidden: 32}, y).From(last...).Done()
	query := cell.Dense(scope.In("query"), h[0], 32, cell.Orthogonal{})   // [T, R, B, H]
	attention := Softmax(Einsum("trbh,srbh->rbts", query, memory[0]), -1) // [R, B, T, S]
	seen := Einsum("rbts,srbh->trbh", attention, memory[0])               // [T, R, B, H]
	both := Tanh(cell.Dense(scope.In("both"), Concatenate([]*Node{h[0], seen}, -1), 32, cell.Orthogonal{}))
	return cell.Dense(scope.In("read-out"), both, digits, cell.Orthogonal{})
}

// reversals are 32 sequences of digits and the same backwards, [T, R, B] each.
func reversals(rng *rand.Rand) (source, backwards [][][]int32) {
	for range length {
		source = append(source, [][]int32{make([]int32, 32)})
		for b := range source[0][0] {
			source[len(source)-1][0][b] = rng.Int32N(digits)
		}
	}
	backwards = slices.Clone(source)
	slices.Reverse(backwards)
	return source, backwards
}

// after is what a decoder is given that is to say those sequences: the symbol to begin with, and all but the last.
func after(said [][][]int32) [][][]int32 {
	first := [][]int32{slices.Repeat([]int32{begin}, 32)}
	return append([][][]int32{first}, said[:length-1]...)
}

// Sequence to sequence with attention: a decoder that learns to say what it was told backwards.
func Example_translation() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	store, rng := model.NewStore(), rand.New(rand.NewPCG(1, 1))
	adam := trial.Optimizer{Method: trial.DefaultAdam(), Rates: []float64{1e-2}, Clip: 1}
	update := model.MustNewExec(engine, store, func(scope *model.Scope, source, target, labels *Node) *Node {
		losses := trial.CrossEntropy{}.Losses(labels, translator(scope, source, target))
		adam.UpdateGraph(scope, losses.Graph(), trial.Total(losses))
		return losses
	})
	for range 300 {
		source, backwards := reversals(rng)
		update.MustCall(source, after(backwards), backwards)
	}
	predict := model.MustNewExec(engine, store, func(scope *model.Scope, source, target *Node) *Node {
		return ArgMax(translator(scope, source, target), -1) // [T, R, B]
	})
	source, backwards := reversals(rng) // never seen
	said := source                      // of which the decoder sees, at each step, what it has said before
	for range length {
		said = predict.MustCall(source, after(said))[0].Value().([][][]int32)
	}
	right := 0
	for b := range 32 {
		if slices.EqualFunc(said, backwards, func(x, y [][]int32) bool { return x[0][b] == y[0][b] }) {
			right++
		}
	}
	fmt.Println("every digit is right in more than 28 of 32:", right > 28)
	// Output: every digit is right in more than 28 of 32: true
}
