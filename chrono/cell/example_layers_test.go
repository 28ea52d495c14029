package cell_test

import (
	"fmt"
	"log"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
)

// Two layers of GRUs, the second on the outputs of the first, each with its own learned initial state.
func ExampleNew_stacked() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	stack := func(scope *model.Scope, x *Node) *Node { // x [T, R, B, I]
		h := StopGradient(x)
		for layer := range 2 {
			ys, _ := cell.New(scope.In("layer %d", layer), cell.GRU{Hidden: 8}, h).InitialState(cell.Learned{}).Done()
			h = ys[0]
		}
		return h
	}
	x := tensors.FromShape(shapes.Make(dtypes.Float32, 20, 1, 4, 3))
	store := model.NewStore()
	fmt.Println(model.MustCallOnce(engine, store, stack, x).Shape())
	fmt.Println(store.GetVariable("/layer 1/input").Shape(), store.GetVariable("/layer 1/first state 0").Shape())
	// Output:
	// (Float32)[20, 1, 4, 8]
	// (Float32)[1, 8, 8] (Float32)[1, 8]
}

// Two LSTMs side by side, one of which reads from the end. At every step, the outputs know all inputs.
func ExampleBuilder_Reverse() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	both := func(scope *model.Scope, x *Node) *Node {
		there, _ := cell.New(scope.In("forwards"), cell.LSTM{Hidden: 8}, x).Done()
		back, _ := cell.New(scope.In("backwards"), cell.LSTM{Hidden: 8}, x).Reverse().Done()
		return Concatenate([]*Node{there[0], back[0]}, -1)
	}
	x := tensors.FromShape(shapes.Make(dtypes.Float32, 20, 1, 4, 3))
	fmt.Println(model.MustCallOnce(engine, model.NewStore(), both, x).Shape())
	// Output: (Float32)[20, 1, 4, 16]
}

// A long sequence in pieces: each begins with the states that the one before ended with. Between the pieces these are
// tensors, so no gradient passes: that is backpropagation through time, truncated at a piece's length.
func ExampleBuilder_From() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	const trials, batch, hidden, pieces, steps = 1, 4, 8, 5, 20
	store := model.NewStore()
	piece := model.MustNewExec(engine, store, func(scope *model.Scope, x, h, c *Node) []*Node {
		ys, final := cell.New(scope, cell.LSTM{Hidden: hidden}, x).From(h, c).Done()
		return append(final, ReduceAllMean(ys[0])) // a loss and its optimizer would stand here
	})
	state := shapes.Make(dtypes.Float32, trials, batch, hidden)
	h, c := tensors.FromShape(state), tensors.FromShape(state) // zero
	x := tensors.FromShape(shapes.Make(dtypes.Float32, steps, trials, batch, 3))
	for range pieces {
		results := piece.MustCall(x, h, c)
		h, c = results[0], results[1]
	}

	// The same as all at once.
	whole := model.MustCallOnce(engine, store, func(scope *model.Scope, x *Node) *Node {
		_, final := cell.New(scope, cell.LSTM{Hidden: hidden}, x).Done()
		return final[0]
	}, tensors.FromShape(shapes.Make(dtypes.Float32, pieces*steps, trials, batch, 3)))
	fmt.Println(whole.InDelta(h, 1e-6))
	// Output: true
}

// What the gates of an LSTM do on a sequence, before any training: 1/(1 − f) is for how many steps a unit remembers.
// With chrono initialization some remember for long, and none is the same.
func ExampleBuilder_Gates() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	scales := func(scope *model.Scope, x *Node) *Node {
		run := cell.New(scope, cell.LSTM{Hidden: 5}, x).GateInit(chrono.Chrono{Tmax: 200})
		ys, _ := run.Done()
		for _, gate := range run.Gates(ys[0]) {
			if gate.Name == "forget" {
				return Reciprocal(OneMinus(ReduceMean(gate.Values, 0, 1, 2))) // over steps, trials and the batch
			}
		}
		return nil
	}
	x := tensors.FromShape(shapes.Make(dtypes.Float64, 100, 1, 4, 3)) // silence
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
