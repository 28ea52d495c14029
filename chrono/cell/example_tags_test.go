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

// tagger has a tag for every word: words [B, T] → logits [B, T, 2].
func tagger(scope *model.Scope, words, lengths *Node) *Node {
	x := cell.Embedding(scope.In("words"), words, 4, 8, cell.Orthogonal{})
	gru := cell.New(scope.In("gru"), cell.GRU{Hidden: 16}, x).Layers(2).Dropout(0.1).Bidirectional().Lengths(lengths)
	return layers.Dense(scope.In("read-out"), gru.Outputs(), true, 2)
}

// Tags in both directions: whether the words before and after a word are the same. Padding counts in neither the loss
// nor the accuracy: the mask, a second label, says where words are.
func Example_tags() {
	engine := must(backend.New(""))
	const steps = 12
	rng := rand.New(rand.NewPCG(1, 1))
	batches := func(n int) *dataset.InMemoryDataset {
		var words [][]int32
		var lengths []int32
		var tags [][][]int32 // [B, T, 1]
		var mask [][]bool
		for range n {
			row, length := make([]int32, steps+2), 3+rng.IntN(steps-2)
			own, here := make([][]int32, steps), make([]bool, steps)
			for t := range length {
				row[1+t] = 1 + rng.Int32N(3)
			}
			for t := range own {
				own[t], here[t] = []int32{0}, t < length
				if row[t] == row[t+2] {
					own[t][0] = 1
				}
			}
			words, lengths = append(words, row[1:1+steps]), append(lengths, int32(length))
			tags, mask = append(tags, own), append(mask, here)
		}
		all := must(dataset.InMemoryFromData(engine, "sentences", []any{words, lengths}, []any{tags, mask}))
		return all.BatchSize(32, true)
	}
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	trainer := train.NewTrainer(engine, store, tagger, loss.SparseCategoricalCrossEntropyLogits,
		optimizer.Adam().LearningRate(1e-2).Done(), nil,
		[]metric.Interface{metric.NewSparseCategoricalAccuracy("accuracy", "accuracy")})
	must(train.NewLoop(trainer).RunEpochs(batches(200*32), 1))
	metrics := must(trainer.Eval(batches(10 * 32))) // never seen
	fmt.Println("more than 95 of 100 tags are right:", metrics[1].Value().(float32) > 0.95)
	// Output: more than 95 of 100 tags are right: true
}
