package cell_test

import (
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/dataset"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/metric"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
)

// classifier reads symbols [B, T] in both directions, each sequence to its own end, and returns logits [B, 2].
func classifier(scope *model.Scope, symbols, lengths *Node) *Node {
	x := cell.Embedding(scope.In("symbols"), symbols, 5, 8, cell.Orthogonal{}) // [B, T, 8]
	h := cell.New(scope.In("lstm"), cell.LSTM{Hidden: 16}, x).Lengths(lengths).Bidirectional().Last()
	return layers.Dense(scope.In("read-out"), h, true, 2)
}

// sentences are n sequences of 3 to 12 symbols 1 … 4, with zeros after their ends. The class is whether a sequence has
// more symbols 1 than 2.
func sentences(rng *rand.Rand, n int) (symbols [][]int32, lengths []int32, classes [][]int32) {
	for range n {
		row, length, count := make([]int32, 12), 3+rng.Int32N(10), 0
		for t := range row[:length] {
			row[t] = 1 + rng.Int32N(4)
			count += map[int32]int{1: 1, 2: -1}[row[t]]
		}
		symbols, lengths = append(symbols, row), append(lengths, length)
		classes = append(classes, []int32{int32(min(max(count, 0), 1))})
	}
	return symbols, lengths, classes
}

// Classification of sequences of unequal lengths, by LSTMs in both directions.
func Example_classification() {
	engine := must(backend.New(""))
	store, rng := model.NewStore(), rand.New(rand.NewPCG(1, 1))
	store.SetParam(model.ParamInitialSeed, int64(1))
	trainer := train.NewTrainer(engine, store, classifier, loss.SparseCategoricalCrossEntropyLogits,
		optimizer.Adam().LearningRate(1e-2).Done(), nil,
		[]metric.Interface{metric.NewSparseCategoricalAccuracy("accuracy", "accuracy")})
	batches := func(n int) *dataset.InMemoryDataset {
		symbols, lengths, classes := sentences(rng, n)
		all := must(dataset.InMemoryFromData(engine, "sentences", []any{symbols, lengths}, []any{classes}))
		return all.BatchSize(32, true)
	}
	must(train.NewLoop(trainer).RunEpochs(batches(200*32), 1))
	metrics := must(trainer.Eval(batches(10 * 32))) // never seen
	fmt.Println("more than 9 of 10 are right:", metrics[1].Value().(float32) > 0.9)
	// Output: more than 9 of 10 are right: true
}
