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
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
)

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
	x, lengths := [][][]float32{{{1}, {1}, {1}, {1}, {1}}, {{1}, {1}, {1}, {1}, {1}}}, []int32{3, 5} // [B, T, I], [B]
	before := run.MustCall(x, lengths)[1].Value().([][]float32)
	x[0][3][0], x[1][4][0] = 7, 7 // behind the end of the first, and the last step of the second
	results := run.MustCall(x, lengths)
	after := results[1].Value().([][]float32)
	fmt.Println("the first is the same: ", before[0][0] == after[0][0])
	fmt.Println("the second is the same:", before[1][0] == after[1][0])
	fmt.Println("outputs behind the end:", results[0].Value().([][][]float32)[0][3])
	// Output:
	// the first is the same:  true
	// the second is the same: false
	// outputs behind the end: [0 0 0 0]
}

// Dropout, between layers and on the recurrence. A sequence has one mask for all of its steps.
func ExampleBuilder_Dropout() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	stack := model.MustNewExec(engine, model.NewStore(), func(scope *model.Scope, x *Node) *Node {
		scope.Store().SetTraining(x.Graph(), true) // a Trainer does this
		return cell.New(scope, cell.LSTM{Hidden: 8}, x).Layers(2).Dropout(0.5).RecurrentDropout(0.2).Last()
	})
	x := [][][]float32{{{1, 2}, {3, 4}, {5, 6}}} // [B, T, I]
	once, again := stack.MustCall(x)[0], stack.MustCall(x)[0]
	fmt.Println(once.Shape(), "other masks each time:", !once.Equal(again))
	// Output: (Float32)[1, 8] other masks each time: true
}

// A stream in batches of 20 steps. Every batch begins with the states that the one before ended with; no gradient
// passes between them, so this is backpropagation through time, truncated at 20 steps. See Example_characters for how
// it trains.
func ExampleBuilder_Carry() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	mean := model.MustNewExec(engine, model.NewStore(), func(scope *model.Scope, x, continues *Node) *Node {
		return ReduceAllMean(cell.New(scope, cell.LSTM{Hidden: 8}, x).Carry(continues).Outputs())
	})
	x := tensors.FromFlatDataAndDimensions(slices.Repeat([]float32{1}, 4*20*3), 4, 20, 3)
	begun := mean.MustCall(x, float32(0))[0] // 0: from the initial state
	next := mean.MustCall(x, float32(1))[0]  // 1: from where the batch before ended
	anew := mean.MustCall(x, float32(0))[0]
	fmt.Println(begun.Equal(next), begun.Equal(anew))
	// Output: false true
}

// One step at a time, as its input comes in: the states are results of a step and inputs of the next. Without states,
// the first step begins in the initial state. The graph is built and compiled once, no gradient is made, and a step
// takes microseconds.
func ExampleBuilder_From_streaming() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	step := model.MustNewExec(engine, model.NewStore(), func(scope *model.Scope, in []*Node) []*Node {
		_, states := cell.New(scope, cell.LSTM{Hidden: 16}, in[0]).From(in[1:]...).Done()
		return states
	})
	var states []any
	for t := range 1000 {
		x := [][][]float32{{{float32(t % 2), 0, 1}}} // [B, T, I] = [1, 1, 3]
		next := step.MustCall(append([]any{x}, states...)...)
		states = []any{next[0], next[1]} // h and c
	}
	fmt.Println(states[0].(*tensors.Tensor).Shape())
	// Output: (Float32)[1, 16]
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
			return scope.BuildTrainableVariablesGradientsGraph(ReduceAllSum(run.Last()))[0]
		}, tensors.FromShape(shapes.Make(dtypes.Float32, 4, 400, 3)))
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
	// (Float32)[3, 20]
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
