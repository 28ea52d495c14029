package cell_test

import (
	"fmt"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
)

// GoMLX's layers take [B, T, I], with the batch first; cells take [T, R, B, I], with time first and an axis of trials.
// Symbols [B, T] are converted in the same way, and then embedded.
func ExampleSequences() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	last := func(scope *model.Scope, words *Node) *Node { // [B, T]
		x := cell.Embedding(scope.In("words"), cell.Sequences(words, 1), 1000, 8, cell.Orthogonal{}) // [T, 1, B, 8]
		_, final := cell.New(scope.In("gru"), cell.GRU{Hidden: 16}, x).Done()
		return Squeeze(final[0], 0) // [B, 16]
	}
	words := tensors.FromShape(shapes.Make(dtypes.Int32, 32, 20))
	fmt.Println(model.MustCallOnce(engine, model.NewStore(), last, words).Shape())
	// Output: (Float32)[32, 16]
}

// Sequences of 3 and of 5 steps in one batch. What stands behind the end of the first is not seen. Pad batches to a few
// sizes T, since each T is a graph of its own, of which GoMLX keeps 32.
func ExampleBuilder_Lengths() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	run := model.MustNewExec(engine, model.NewStore(), func(scope *model.Scope, x, lengths *Node) []*Node {
		ys, final := cell.New(scope, cell.GRU{Hidden: 4}, x).Lengths(lengths).Done()
		return append(ys, final...)
	})
	x := make([][][][]float32, 5) // [T, R, B, I], R = 1, B = 2, I = 1
	for t := range x {
		x[t] = [][][]float32{{{1}, {1}}}
	}
	lengths := [][]int32{{3, 5}} // [R, B]
	before := run.MustCall(x, lengths)[1].Value().([][][]float32)[0]
	x[3][0][0][0], x[4][0][1][0] = 7, 7 // behind the end of the first, and the last step of the second
	results := run.MustCall(x, lengths)
	after := results[1].Value().([][][]float32)[0]
	fmt.Println("the first is the same: ", before[0][0] == after[0][0])
	fmt.Println("the second is the same:", before[1][0] == after[1][0])
	fmt.Println("outputs behind the end:", results[0].Value().([][][][]float32)[3][0][0])
	// Output:
	// the first is the same:  true
	// the second is the same: false
	// outputs behind the end: [0 0 0 0]
}

// Dropout between two layers is GoMLX's. It stands outside of the loop, so it has a mask of its own at every step.
func ExampleNew_dropout() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	stack := model.MustNewExec(engine, model.NewStore(), func(scope *model.Scope, x *Node) *Node {
		scope.Store().SetTraining(x.Graph(), true) // a Trainer does this
		ys, _ := cell.New(scope.In("layer 0"), cell.LSTM{Hidden: 8}, x).Done()
		kept := layers.DropoutStatic(scope, ys[0], 0.5)
		_, final := cell.New(scope.In("layer 1"), cell.LSTM{Hidden: 8}, kept).Done()
		return final[0]
	})
	x := tensors.FromFlatDataAndDimensions([]float32{1, 2, 3, 4, 5, 6}, 3, 1, 1, 2)
	once, again := stack.MustCall(x)[0], stack.MustCall(x)[0]
	fmt.Println(once.Shape(), "other masks each time:", !once.Equal(again))
	// Output: (Float32)[1, 1, 8] other masks each time: true
}

// A stream in batches of 20 steps. Every batch begins with the states that the one before ended with; no gradient
// passes between them, so this is backpropagation through time, truncated at 20 steps. See Example_characters for how
// it trains.
func ExampleBuilder_Carry() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	store := model.NewStore()
	mean := model.MustNewExec(engine, store, func(scope *model.Scope, x, continues *Node) *Node {
		ys, _ := cell.New(scope, cell.LSTM{Hidden: 8}, x).Carry(continues).Done()
		return ReduceAllMean(ys[0])
	})
	x := tensors.FromFlatDataAndDimensions(slices.Repeat([]float32{1}, 20*4*3), 20, 1, 4, 3)
	begun := mean.MustCall(x, float32(0))[0] // 0: from the initial state
	next := mean.MustCall(x, float32(1))[0]  // 1: from where the batch before ended
	anew := mean.MustCall(x, float32(0))[0]
	fmt.Println(begun.Equal(next), begun.Equal(anew))
	fmt.Println(store.GetVariable("/carried/evaluation 0").Shape()) // h
	// Output:
	// false true
	// (Float32)[1, 4, 8]
}

// One step at a time, as its input comes in: T = 1, and the states go in and out as tensors. The graph is built and
// compiled once, no gradient is made, and a step takes microseconds.
func ExampleBuilder_From_streaming() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	step := model.MustNewExec(engine, model.NewStore(), func(scope *model.Scope, x, h, c *Node) []*Node {
		_, final := cell.New(scope, cell.LSTM{Hidden: 16}, Reshape(x, 1, 1, 1, 3)).From(h, c).Done()
		return final
	})
	zero := tensors.FromShape(shapes.Make(dtypes.Float32, 1, 1, 16))
	h, c := zero, zero
	for t := range 1000 {
		states := step.MustCall([]float32{float32(t % 2), 0, 1}, h, c)
		h, c = states[0], states[1]
	}
	fmt.Println(h.Shape())
	// Output: (Float32)[1, 1, 16]
}

// A long sequence in little memory: products and activations are computed again instead of being kept for all steps.
// With chunks of √T steps the fewest states are kept.
func ExampleBuilder_Recompute() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	slope := func(recompute bool) *tensors.Tensor {
		return model.MustCallOnce(engine, model.NewStore(), func(scope *model.Scope, x *Node) *Node {
			run := cell.New(scope, cell.LSTM{Hidden: 8}, x).Unroll(20)
			if recompute {
				run.Recompute()
			}
			_, final := run.Done()
			return scope.BuildTrainableVariablesGradientsGraph(ReduceAllSum(final[0]))[0]
		}, tensors.FromShape(shapes.Make(dtypes.Float32, 400, 1, 4, 3)))
	}
	fmt.Println("the same gradient:", slope(true).InDelta(slope(false), 1e-6))
	// Output: the same gradient: true
}

// An nn.LSTM of PyTorch, and back. In Python:
//
//	numpy.savez("lstm.npz", **{name: value.numpy() for name, value in lstm.state_dict().items()})
//	lstm.load_state_dict({name: torch.from_numpy(value) for name, value in numpy.load("back.npz").items()})
//
// Of more layers or directions, do this with each suffix: "_l0", "_l0_reverse", "_l1" and so on.
func ExampleFromTorch() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	writeNPZ(filepath.Join(dir, "lstm.npz")) // instead of Python
	arrays, err := numpy.FromNpzFile(filepath.Join(dir, "lstm.npz"))
	if err != nil {
		log.Fatal(err)
	}
	store, lstm := model.NewStore(), cell.LSTM{Hidden: 5}
	scope := store.RootScope().In("lstm") // where cell.New will find them
	if err := cell.FromTorch(scope, lstm, "_l0", arrays); err != nil {
		log.Fatal(err)
	}
	fmt.Println(store.GetVariable("/lstm/input").Shape())
	trials, err := cell.ToTorch(scope, lstm, "_l0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(trials[0]["weight_ih_l0"].Equal(arrays["weight_ih_l0"]))
	if err := numpy.ToNpzFile(trials[0], filepath.Join(dir, "back.npz")); err != nil {
		log.Fatal(err)
	}
	// Output:
	// (Float32)[1, 3, 20]
	// true
}

// writeNPZ writes what an nn.LSTM of 3 inputs and 5 units has.
func writeNPZ(path string) {
	rng, arrays := rand.New(rand.NewPCG(1, 1)), make(map[string]*tensors.Tensor)
	for name, dims := range maps.All(map[string][]int{
		"weight_ih_l0": {20, 3}, "weight_hh_l0": {20, 5}, "bias_ih_l0": {20}, "bias_hh_l0": {20},
	}) {
		array := tensors.FromShape(shapes.Make(dtypes.Float32, dims...))
		tensors.MustMutableFlatData(array, func(flat []float32) {
			for i := range flat {
				flat[i] = rng.Float32() - 0.5
			}
		})
		arrays[name] = array
	}
	if err := numpy.ToNpzFile(arrays, path); err != nil {
		log.Fatal(err)
	}
}
