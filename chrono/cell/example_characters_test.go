package cell_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
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

// characters predicts the symbol after each one: symbols [T, R, B] → logits [T, R, B, 27], and the last states.
func characters(scope *model.Scope, symbols *Node, states func(*cell.Builder)) (logits *Node, final []*Node) {
	x := cell.Embedding(scope.In("symbols"), symbols, wood.Alphabet(), 8, cell.Orthogonal{})
	run := cell.New(scope.In("lstm"), cell.LSTM{Hidden: 32}, x)
	states(run)
	ys, final := run.Done()
	return cell.Dense(scope.In("read-out"), ys[0], wood.Alphabet(), cell.Orthogonal{}), final
}

// speak prints a character, and what the model says is most likely to follow, and to follow that. (To sample instead,
// draw from the softmax of the logits.)
func speak(engine compute.Backend, store *model.Store, first byte) {
	step := model.MustNewExec(engine, store, func(scope *model.Scope, symbol, h, c *Node) []*Node {
		logits, final := characters(scope, symbol, func(run *cell.Builder) { run.From(h, c) })
		return append(final, ArgMax(logits, -1)) // [1, 1, 1]
	})
	zero := tensors.FromShape(shapes.Make(dtypes.Float32, 1, 1, 32))
	h, c, symbol := zero, zero, int32(strings.IndexByte(wood.alphabet, first))
	for range 46 {
		fmt.Print(string(wood.alphabet[symbol]))
		results := step.MustCall([][][]int32{{{symbol}}}, h, c) // T, R and B are 1
		h, c, symbol = results[0], results[1], results[2].Value().([][][]int32)[0][0][0]
	}
	fmt.Println()
}

// A character model. It trains on streams in batches of 10 steps, and carries its states from batch to batch. Then it
// generates text, one character per step, with the states h and c as its only memory of what came before.
func Example_characters() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	batches, err := trial.Streams{Of: wood, Split: "train", Batch: 8, Steps: 10}.Open([]uint64{1})
	if err != nil {
		log.Fatal(err)
	}
	store := model.NewStore()
	adam := trial.Optimizer{Method: trial.DefaultAdam(), Rates: []float64{1e-2}, Clip: 1}
	update := model.MustNewExec(engine, store, func(scope *model.Scope, symbols, continues, next *Node) *Node {
		logits, _ := characters(scope, symbols, func(run *cell.Builder) { run.Carry(continues) })
		losses := trial.CrossEntropy{}.Losses(next, logits)
		adam.UpdateGraph(scope, losses.Graph(), trial.Total(losses))
		return losses
	})
	for n := range 300 {
		x, y, _ := batches.Batch(n)
		update.MustCall(x[0], x[1], y[0])
	}
	speak(engine, store, 'h')
	// Output: how much wood would a woodchuck chuck how much
}
