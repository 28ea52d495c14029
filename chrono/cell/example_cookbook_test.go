package cell_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/weights"
)

// Sequences of 3 and of 5 steps in one batch. What stands behind the end of the first is not seen. Pad batches to a few
// sizes T, since each T is a graph of its own, of which GoMLX keeps 32.
func ExampleBuilder_Lengths() {
	engine := must(backend.New(""))
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
	engine := must(backend.New(""))
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
	engine := must(backend.New(""))
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

// One step at a time, as its input comes in: the states are results of a step and inputs of the next. So it is with
// longer pieces of a sequence. Without states, the first step begins in the initial state. The graph is built and
// compiled once, no gradient is made, and a step takes microseconds.
func ExampleBuilder_From_streaming() {
	engine := must(backend.New(""))
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
	engine := must(backend.New(""))
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

// An nn.LSTM of PyTorch with two layers in both directions, and back. In Python, module.lstm is such an nn.LSTM:
//
//	safetensors.torch.save_file(module.state_dict(), "packed.safetensors")
//	module.load_state_dict(safetensors.torch.load_file("back.safetensors"), strict=False) # of module.lstm alone
func ExampleFromTorch() {
	engine := must(backend.New(""))
	arrays := must(weights.Read("testdata/packed.safetensors")) // or .npz
	store, lstm := model.NewStore(), cell.LSTM{Hidden: 4}
	if err := cell.FromTorch(store.RootScope().In("lstm"), lstm, "", arrays); err != nil {
		fmt.Println(err)
	}
	if err := cell.FromTorch(store.RootScope().In("lstm"), lstm, "lstm.", arrays); err != nil {
		log.Fatal(err)
	}
	x := [][][]float64{{{1, 2}, {3, 4}, {5, 6}}} // [B, T, I]
	fmt.Println(model.MustCallOnce(engine, store, func(scope *model.Scope, x *Node) *Node {
		return cell.New(scope.In("lstm"), lstm, x).Layers(2).Bidirectional().Outputs()
	}, x).Shape())

	trials := must(cell.ToTorch(store.RootScope().In("lstm"), lstm, "lstm.")) // one model is one trial
	fmt.Println(trials[0]["lstm.weight_ih_l1_reverse"].Equal(arrays["lstm.weight_ih_l1_reverse"]))
	dir := must(os.MkdirTemp("", ""))
	defer os.RemoveAll(dir)
	if err := weights.Write(filepath.Join(dir, "back.safetensors"), trials[0]); err != nil {
		log.Fatal(err)
	}
	// Output:
	// cell.LSTM{Hidden:4}: the arrays have the prefixes ["gru." "lstm." "rnn."], not "", want one of these
	// (Float64)[1, 3, 8]
	// true
}

// Two layers in both directions, each with a learned initial state.
func ExampleBuilder_Layers() {
	engine := must(backend.New(""))
	stack := func(scope *model.Scope, x *Node) *Node { // x [B, T, I]
		gru := cell.New(scope.In("gru"), cell.GRU{Hidden: 8}, x).Layers(2).Bidirectional()
		return gru.InitialState(cell.Learned{}).Outputs()
	}
	store := model.NewStore()
	x := tensors.FromShape(shapes.Make(dtypes.Float32, 4, 20, 3))
	fmt.Println(model.MustCallOnce(engine, store, stack, x).Shape())
	fmt.Println(store.GetVariable("/gru/layer 1/backwards/input").Shape())
	// Output:
	// (Float32)[4, 20, 16]
	// (Float32)[16, 8]
}

// What the gates of an LSTM do on a sequence, before any training: 1/(1 − f) is for how many steps a unit remembers.
// With chrono initialization some remember for long, and none is the same.
func ExampleBuilder_Gates() {
	engine := must(backend.New(""))
	scales := func(scope *model.Scope, x *Node) *Node {
		run := cell.New(scope, cell.LSTM{Hidden: 5}, x).GateInit(chrono.Chrono{Tmax: 200})
		run.Done()
		for _, gate := range run.Gates() {
			if gate.Name == "forget" {
				return Reciprocal(OneMinus(ReduceMean(gate.Values, 0, 1))) // over the batch and steps
			}
		}
		return nil
	}
	x := tensors.FromShape(shapes.Make(dtypes.Float64, 4, 100, 3)) // silence
	for _, scale := range model.MustCallOnce(engine, model.NewStore(), scales, x).Value().([]float64) {
		fmt.Printf("%.0f steps\n", scale)
	}
	// Output:
	// 145 steps
	// 14 steps
	// 153 steps
	// 97 steps
	// 100 steps
}
