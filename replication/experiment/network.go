package experiment

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
)

// Recurrent is the network of most of the papers' tasks: inputs → recurrent cell → affine read-out.
type Recurrent struct {
	Inputs       Inputs
	Cell         cell.Cell
	GateInit     []chrono.GateInit // of the gates: [R], or one for all; nil for a cell without gates
	WeightInit   cell.WeightInit   // of all other weights
	InitialState cell.InitialState
	ReadOut      ReadOut
}

// Inputs turn a batch's first input into the features of each step, [T, R, B, I].
type Inputs interface {
	Features(x *graph.Node) *graph.Node
}

// OneHot is for symbols [T, R, B].
type OneHot struct{ Symbols int }

func (o OneHot) Features(x *graph.Node) *graph.Node {
	return graph.OneHot(x, o.Symbols, dtypes.Float32)
}

// AsIs is for inputs that are features already, [T, R, B, I].
type AsIs struct{}

func (AsIs) Features(x *graph.Node) *graph.Node { return x }

// A ReadOut computes the prediction from the outputs h of all steps, [T, R, B, H], and from the cell's first state
// after the last step, [R, B, H]. That is the last output of most cells; that of cell.LRU is only the real part of h.
type ReadOut interface {
	Predict(scope *model.Scope, h, last *graph.Node, start cell.WeightInit, seeds []uint64) *graph.Node
}

// ClassAtEachStep predicts at every step: logits [T, R, B, Units].
type ClassAtEachStep struct{ Units int }

func (e ClassAtEachStep) Predict(scope *model.Scope, h, _ *graph.Node, start cell.WeightInit,
	seeds []uint64) *graph.Node {
	return cell.Dense(scope, h, e.Units, start, seeds...)
}

// ScalarAtEnd predicts one number from the last state, [R, B], without a squashing function.
type ScalarAtEnd struct{}

func (ScalarAtEnd) Predict(scope *model.Scope, _, last *graph.Node, start cell.WeightInit, seeds []uint64) *graph.Node {
	return graph.Squeeze(cell.Dense(scope, last, 1, start, seeds...), -1)
}

// ClassAtEnd predicts one symbol from the last state: logits [R, B, Units].
type ClassAtEnd struct{ Units int }

func (a ClassAtEnd) Predict(scope *model.Scope, _, last *graph.Node, start cell.WeightInit,
	seeds []uint64) *graph.Node {
	return cell.Dense(scope, last, a.Units, start, seeds...)
}

// Validate refuses a network without its parts.
func (n Recurrent) Validate() error {
	if n.Inputs == nil || n.Cell == nil || n.WeightInit == nil || n.InitialState == nil || n.ReadOut == nil {
		return fmt.Errorf("a recurrent network needs inputs, a cell, initial weights, an initial state and a "+
			"read-out, got %+v", n)
	}
	return nil
}

func (n Recurrent) Build(scope *model.Scope, seeds []uint64, inputs []*graph.Node) Output {
	return n.of(scope, seeds, graph.StopGradient(n.Inputs.Features(inputs[0])))
}

func (n Recurrent) of(scope *model.Scope, seeds []uint64, x *graph.Node) Output {
	layer := cell.New(scope.In("cell"), n.Cell, x).Seeds(seeds...).WeightInit(n.WeightInit).InitialState(n.InitialState)
	if n.GateInit != nil {
		layer.GateInit(n.GateInit...)
	}
	ys, final := layer.Done()
	return Output{
		Prediction: n.ReadOut.Predict(scope.In("readout"), ys[0], final[0], n.WeightInit, seeds),
		Gates:      layer.Gates(),
		Hidden:     ys[0], Final: final,
	}
}

func (n Recurrent) Units() int { return UnitsOf(n.Cell) }

// UnitsOf is the number H of a valid cell's units.
func UnitsOf(c cell.Cell) int {
	layer, _ := c.Layer(1)
	h := layer.StateDims[0]
	return h[len(h)-1]
}
