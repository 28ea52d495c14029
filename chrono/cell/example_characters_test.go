package cell_test

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/loader"
	"github.com/warptime/warptime/chrono/trial"
)

// prose is a text for trial.Streams: each different character is a symbol.
type prose struct{ alphabet, text string }

func (p prose) Alphabet() int { return len(p.alphabet) }

func (p prose) Symbols(string) (symbols []int32, err error) {
	for _, c := range []byte(p.text) {
		symbols = append(symbols, int32(strings.IndexByte(p.alphabet, c)))
	}
	return symbols, nil
}

var wood = prose{"abcdefghijklmnopqrstuvwxyz ", strings.Repeat("how much wood would a woodchuck chuck ", 40)}

// characters predicts the symbol after each one, from where it left off: symbols [B, T] → logits [B, T, 27], and the
// last states.
func characters(scope *model.Scope, symbols *Node, states func(*cell.Builder)) (logits *Node, final []*Node) {
	x := cell.Embedding(scope.In("symbols"), symbols, wood.Alphabet(), 8, cell.Orthogonal{})
	run := cell.New(scope.In("lstm"), cell.LSTM{Hidden: 32}, x)
	states(run)
	ys, final := run.Done()
	return layers.Dense(scope.In("read-out"), ys[0], true, wood.Alphabet()), final
}

// speak prints a character, and what the model says is most likely to follow, and to follow that. (To sample instead,
// draw from the softmax of the logits.)
func speak(engine compute.Backend, store *model.Store, first byte) {
	step := model.MustNewExec(engine, store, func(scope *model.Scope, in []*Node) []*Node { // a symbol, and states
		logits, final := characters(scope, in[0], func(run *cell.Builder) { run.From(in[1:]...) })
		return append([]*Node{ArgMax(logits, -1)}, final...)
	})
	symbol := [][]int32{{int32(strings.IndexByte(wood.alphabet, first))}} // [B, T] = [1, 1]
	var states []any
	for range 46 {
		fmt.Print(string(wood.alphabet[symbol[0][0]]))
		results := step.MustCall(append([]any{symbol}, states...)...)
		symbol = results[0].Value().([][]int32)
		states = xslices.Map(results[1:], func(state *tensors.Tensor) any { return state })
	}
	fmt.Println()
}

// A character model. It trains on streams in batches of 10 steps, and carries its states from batch to batch. Then it
// generates text, one character per step, with the states h and c as its only memory of what came before.
func Example_characters() {
	engine := must(backend.New(""))
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	trainer := train.NewTrainer(engine, store, func(scope *model.Scope, symbols, continues *Node) *Node {
		logits, _ := characters(scope, symbols, func(run *cell.Builder) { run.Carry(continues) })
		return logits
	}, loss.SparseCategoricalCrossEntropyLogits, optimizer.Adam().LearningRate(1e-2).Done(), nil, nil)
	streams := trial.Streams{Of: wood, Split: "train", Batch: 8, Steps: 10}
	must(train.NewLoop(trainer).RunSteps(loader.One(streams, 1, 0), 300))
	speak(engine, store, 'h')
	// Output: how much wood would a woodchuck chuck how much
}
