package contextual

import (
	"github.com/gomlx/compute/support/xslices"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/replication/experiment"
)

// Forecaster is the network of C Figure 3: it reads a series and predicts at each step the change until the next.
//
// Its inputs are those of data of series, x [n, R, B, 1] and the context [R, B, 2], and the noise of trial.Noise for an
// initial state that takes some. If a batch has only the first n values of the series, the network generates the
// others: it adds the change that it predicts to the value, and reads that, to the end.
type Forecaster struct {
	Task         task.Decay // for the scales of values and changes, and for the number of steps
	Cell         cell.Cell
	GateInit     []chrono.GateInit // of the gates: [R], or one for all
	WeightInit   cell.WeightInit
	InitialState cell.InitialState // computed from the context and the noise; or, with Appended, any that takes neither

	// Appended tells the network T in another way: as a second input at every step. There is then no context, and where
	// the data have a further input, the network begins in that, cell.StateSize numbers for each series.
	Appended bool
}

func (f Forecaster) Units() int { return experiment.UnitsOf(f.Cell) }

// Build implements experiment.Network. The prediction is the scaled changes of all steps, [T, R, B].
func (f Forecaster) Build(scope *model.Scope, seeds []uint64, inputs []*graph.Node) experiment.Output {
	x := graph.StopGradient(inputs[0])
	context := xslices.Map(inputs[1:], graph.StopGradient)
	var state []*graph.Node // that of the step before; none at first, unless it is given
	var period *graph.Node  // [1, R, B, 1]
	if f.Appended {
		period = graph.InsertAxes(graph.SliceAxis(context[0], -1, graph.AxisRange(1, 2)), 0)
		if context = context[1:]; len(context) > 0 {
			state, context = f.states(context[0]), nil
		}
	}
	first := &recordedState{f.InitialState, state}
	run := func(x *graph.Node) *graph.Node {
		if f.Appended {
			appended := graph.BroadcastToShape(period, x.Shape())
			x = graph.Concatenate([]*graph.Node{x, appended}, -1)
		}
		ys, final := cell.New(scope.At("cell"), f.Cell, x).Seeds(seeds...).WeightInit(f.WeightInit).
			GateInit(f.GateInit...).InitialState(first, context...).From(state...).Done()
		state = final
		return graph.Squeeze(cell.Dense(scope.At("readout"), ys[0], 1, f.WeightInit, seeds...), -1)
	}
	changes := run(x)
	all := []*graph.Node{changes}
	for n := x.Shape().Dimensions[0]; n < f.Task.Final; n++ {
		x = f.next(last(x), graph.InsertAxes(last(changes), -1))
		changes = run(x)
		all = append(all, changes)
	}
	return experiment.Output{Prediction: graph.Concatenate(all, 0), InitialStates: first.states}
}

// states splits what [SideBySide] joins.
func (f Forecaster) states(joined *graph.Node) (states []*graph.Node) {
	begin := 0
	layer, _ := f.Cell.Layer(1)
	for _, dims := range layer.StateDims {
		states = append(states, graph.SliceAxis(joined, -1, graph.AxisRange(begin, begin+dims[0])))
		begin += dims[0]
	}
	return states
}

// last is the last step of x, as one step.
func last(x *graph.Node) *graph.Node { return graph.Slice(x, graph.AxisRange(-1)) }

// next is the value after x by the change, all of them scaled.
func (f Forecaster) next(x, change *graph.Node) *graph.Node {
	low, high := f.Task.ChangeRange()
	bottom, top := f.Task.XRange()
	// In units of the scaled x, of which (top−bottom)/2 is one: (change+1)/2·(high−low) + low.
	unit := (top - bottom) / 2
	return graph.Add(x, graph.AddScalar(graph.MulScalar(change, (high-low)/2/unit), (high+low)/2/unit))
}
