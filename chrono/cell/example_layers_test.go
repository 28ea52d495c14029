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

// Two layers in both directions, each with a learned initial state.
func ExampleBuilder_Layers() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
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

// A long sequence in pieces: each begins with the states that the one before ended with. Between the pieces these are
// tensors, so no gradient passes: that is backpropagation through time, truncated at a piece's length.
func ExampleBuilder_From() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	const batch, pieces, steps = 4, 5, 20
	store := model.NewStore()
	lstm := func(scope *model.Scope, in []*Node) []*Node { // x [B, T, I], states: a loss would stand here, too
		_, final := cell.New(scope, cell.LSTM{Hidden: 8}, in[0]).From(in[1:]...).Done()
		return final
	}
	piece := model.MustNewExec(engine, store, lstm)
	x := tensors.FromShape(shapes.Make(dtypes.Float32, batch, steps, 3))
	states := piece.MustCall(x)
	for range pieces - 1 {
		states = piece.MustCall(x, states[0], states[1]) // h and c
	}

	// The same as all at once.
	whole := tensors.FromShape(shapes.Make(dtypes.Float32, batch, pieces*steps, 3))
	fmt.Println(model.MustCallOnceN(engine, store, lstm, whole)[0].InDelta(states[0], 1e-6))
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
