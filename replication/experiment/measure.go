package experiment

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
)

// A Loss measures predictions with one number for each trial, [R]. A network is trained on one and measured by several.
type Loss interface {
	Losses(labels, prediction *graph.Node) *graph.Node
}

// CrossEntropy is [trial.CrossEntropy].
type CrossEntropy struct{}

func (CrossEntropy) Losses(labels, logits *graph.Node) *graph.Node {
	return trial.CrossEntropy(labels, logits)
}

// Accuracy is [trial.Accuracy]. No network can be trained on it.
type Accuracy struct{}

func (Accuracy) Losses(labels, logits *graph.Node) *graph.Node { return trial.Accuracy(labels, logits) }

// SquaredError is [trial.SquaredError].
type SquaredError struct{}

func (SquaredError) Losses(labels, prediction *graph.Node) *graph.Node {
	return trial.SquaredError(labels, prediction)
}

// SumOverSteps is [trial.SumOverSteps].
type SumOverSteps struct{ Of Loss }

func (s SumOverSteps) Losses(labels, prediction *graph.Node) *graph.Node {
	return trial.SumOverSteps(s.Of.Losses)(labels, prediction)
}

// Mean is a loss, or the accuracy, as a measurement: [R].
type Mean struct{ Of Loss }

func (m Mean) Measure(_, labels []*graph.Node, output Output) *graph.Node {
	return m.Of.Losses(labels[0], output.Prediction)
}

// GateBias is the bias of each unit's gate, which says how long the unit remembers: [R, H]. See chrono.TimeScale.
type GateBias struct{ Gate string }

func (m GateBias) Measure(_, _ []*graph.Node, output Output) *graph.Node {
	return output.Gate(m.Gate).Bias
}

func (GateBias) Numbers(_, units int) int { return units }

// GateAtChange is the mean of each unit's gate over the steps whose input symbol differs from the one before, the first
// step included: [R, H].
type GateAtChange struct{ Gate string }

func (m GateAtChange) Measure(inputs, _ []*graph.Node, output Output) *graph.Node {
	values := output.Gate(m.Gate).Values
	return meanOver(values, changes(inputs[0], values))
}

func (GateAtChange) Numbers(_, units int) int { return units }

// GateElsewhere is the mean of each unit's gate over all other steps, [R, H]; NaN where there are none.
type GateElsewhere struct{ Gate string }

func (m GateElsewhere) Measure(inputs, _ []*graph.Node, output Output) *graph.Node {
	values := output.Gate(m.Gate).Values
	return meanOver(values, graph.OneMinus(changes(inputs[0], values)))
}

func (GateElsewhere) Numbers(_, units int) int { return units }

// Gate finds a gate by its name, for a measurement. Building the graph panics if there is none.
func (o Output) Gate(name string) cell.Gate {
	at := slices.IndexFunc(o.Gates, func(g cell.Gate) bool { return g.Name == name })
	if at < 0 {
		exceptions.Panicf("experiment: the network has no gate %q to measure", name)
	}
	return o.Gates[at]
}

// changes is 1 where a symbol of x [T, R, B] differs from the one before, else 0, as floats like those of like [T, R,
// B, 1].
func changes(x, like *graph.Node) *graph.Node {
	steps := x.Shape().Dimensions[0]
	before := graph.Slice(x, graph.AxisRange(0, steps-1))
	changed := graph.ConvertDType(graph.NotEqual(graph.Slice(x, graph.AxisRange(1, steps)), before), like.DType())
	first := graph.OnesLike(graph.ConvertDType(graph.Slice(x, graph.AxisRange(0, 1)), like.DType()))
	return graph.InsertAxes(graph.Concatenate([]*graph.Node{first, changed}, 0), -1)
}

// meanOver is the mean of values [T, R, B, H] over the steps and sequences that mask [T, R, B, 1] holds: [R, H].
func meanOver(values, mask *graph.Node) *graph.Node {
	return graph.Div(graph.ReduceSum(graph.Mul(values, mask), 0, 2), graph.ReduceSum(mask, 0, 2))
}

// Always is the accuracy of answering one symbol at every step, [R]: chance level.
type Always struct{ Symbol int }

func (a Always) Measure(_, labels []*graph.Node, output Output) *graph.Node {
	right := graph.Equal(labels[0], graph.Scalar(labels[0].Graph(), labels[0].DType(), a.Symbol))
	return graph.ReduceMean(graph.ConvertDType(right, output.Prediction.DType()), 0, 2)
}
