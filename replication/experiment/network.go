package experiment

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
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
	Predict(h, last *graph.Node, dense Dense) *graph.Node
}

// Dense is an affine layer of the read-out with this many units.
type Dense func(x *graph.Node, units int) *graph.Node

// ClassAtEachStep predicts at every step: logits [T, R, B, Units].
type ClassAtEachStep struct{ Units int }

func (e ClassAtEachStep) Predict(h, _ *graph.Node, dense Dense) *graph.Node { return dense(h, e.Units) }

// ScalarAtEnd predicts one number from the last state, [R, B], without a squashing function.
type ScalarAtEnd struct{}

func (ScalarAtEnd) Predict(_, last *graph.Node, dense Dense) *graph.Node {
	return graph.Squeeze(dense(last, 1), -1)
}

// ClassAtEnd predicts one symbol from the last state: logits [R, B, Units].
type ClassAtEnd struct{ Units int }

func (a ClassAtEnd) Predict(_, last *graph.Node, dense Dense) *graph.Node {
	return dense(last, a.Units)
}

// Validate refuses a network without its parts.
func (n Recurrent) Validate() error {
	return Check(n.Inputs != nil && n.Cell != nil && n.WeightInit != nil && n.InitialState != nil && n.ReadOut != nil,
		"a recurrent network needs inputs, a cell, initial weights, an initial state and a read-out, got %+v", n)
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
	dense := func(x *graph.Node, units int) *graph.Node {
		return cell.Dense(scope.In("readout"), x, units, n.WeightInit, seeds...)
	}
	return Output{
		Prediction: n.ReadOut.Predict(ys[0], final[0], dense),
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

// Convolved is a recurrent network with the layers of Mamba before its cell: an affine one, a causal
// convolution over the last Width steps, and SiLU.
type Convolved struct {
	Features int
	Width    int
	Then     Recurrent
}

// Validate refuses layers without units or steps.
func (n Convolved) Validate() error {
	return Check(n.Features >= 1 && n.Width >= 1,
		"a convolution over %d steps of %d features: want 1 or more of both", n.Width, n.Features)
}

func (n Convolved) Build(scope *model.Scope, seeds []uint64, inputs []*graph.Node) Output {
	x := graph.StopGradient(n.Then.Inputs.Features(inputs[0]))
	x = cell.Dense(scope.In("before"), x, n.Features, n.Then.WeightInit, seeds...)
	x = activation.Swish(cell.Convolution(scope.In("convolution"), x, n.Width, seeds...))
	return n.Then.of(scope, seeds, x)
}

func (n Convolved) Units() int { return n.Then.Units() }

// Recent has the features of the last Steps steps side by side, and zeros before the first step.
type Recent struct {
	Steps int
	Of    Inputs
}

func (r Recent) Features(x *graph.Node) *graph.Node {
	now := r.Of.Features(x)
	all := []*graph.Node{now}
	steps := now.Shape().Dim(0)
	for k := 1; k < min(r.Steps, steps); k++ {
		first := now.Shape().Clone()
		first.Dimensions[0] = k
		late := graph.SliceAxis(now, 0, graph.AxisRange(0, steps-k))
		all = append(all, graph.Concatenate([]*graph.Node{graph.Zeros(now.Graph(), first), late}, 0))
	}
	return graph.Concatenate(all, -1)
}
