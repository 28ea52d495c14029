package cell_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
)

// classifier reads symbols [B, T] in both directions, each to its own end, and returns logits [R, B, classes].
func classifier(scope *model.Scope, symbols, lengths *Node) *Node {
	x := cell.Embedding(scope.In("symbols"), cell.Sequences(symbols, 1), 5, 8, cell.Orthogonal{}) // [T, 1, B, 8]
	lengths = InsertAxes(lengths, 0)                                                              // [1, B]
	_, there := cell.New(scope.In("forwards"), cell.LSTM{Hidden: 16}, x).Lengths(lengths).Done()
	_, back := cell.New(scope.In("backwards"), cell.LSTM{Hidden: 16}, x).Lengths(lengths).Reverse().Done()
	both := Concatenate([]*Node{there[0], back[0]}, -1) // the last states h
	return cell.Dense(scope.In("read-out"), both, 2, cell.Orthogonal{})
}

// sentences are 32 sequences of 3 to 12 symbols 1 … 4, and zeros behind their ends. The class is whether a sequence has
// more symbols 1 than 2.
func sentences(rng *rand.Rand) (symbols [][]int32, lengths []int32, classes [][]int32) {
	classes = [][]int32{nil} // [R, B]
	for range 32 {
		row, length, count := make([]int32, 12), 3+rng.Int32N(10), 0
		for t := range row[:length] {
			row[t] = 1 + rng.Int32N(4)
			count += map[int32]int{1: 1, 2: -1}[row[t]]
		}
		symbols, lengths = append(symbols, row), append(lengths, length)
		classes[0] = append(classes[0], int32(min(max(count, 0), 1)))
	}
	return symbols, lengths, classes
}

// Classification of sequences of unequal length, by LSTMs in both directions.
func Example_classification() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	store, rng := model.NewStore(), rand.New(rand.NewPCG(1, 1))
	adam := trial.Optimizer{Method: trial.DefaultAdam(), Rates: []float64{1e-2}, Clip: 1}
	update := model.MustNewExec(engine, store, func(scope *model.Scope, symbols, lengths, classes *Node) *Node {
		losses := trial.CrossEntropy{}.Losses(classes, classifier(scope, symbols, lengths))
		adam.UpdateGraph(scope, losses.Graph(), trial.Total(losses))
		return losses
	})
	for range 200 {
		symbols, lengths, classes := sentences(rng)
		update.MustCall(symbols, lengths, classes)
	}
	classify := model.MustNewExec(engine, store, func(scope *model.Scope, symbols, lengths *Node) *Node {
		return ArgMax(classifier(scope, symbols, lengths), -1) // [R, B]
	})
	symbols, lengths, classes := sentences(rng) // never seen
	right := 0
	for b, class := range tensors.MustCopyFlatData[int32](classify.MustCall(symbols, lengths)[0]) {
		if class == classes[0][b] {
			right++
		}
	}
	fmt.Println("more than 28 of 32 are right:", right > 28)
	// Output: more than 28 of 32 are right: true
}
