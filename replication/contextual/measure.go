package contextual

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
)

// LogLikelihood is the mean log probability of the right answers, in nats: [R].
type LogLikelihood struct{}

func (LogLikelihood) Measure(_, labels []*graph.Node, output experiment.Output) *graph.Node {
	return graph.Neg(trial.CrossEntropy(labels[0], output.Prediction))
}

// EarlyError is the squared error of the first predictions: [R].
type EarlyError struct{ Steps int }

func (e EarlyError) Measure(_, labels []*graph.Node, output experiment.Output) *graph.Node {
	first := graph.AxisRange(0, e.Steps)
	return trial.SquaredError(graph.Slice(labels[0], first), graph.Slice(output.Prediction, first))
}

// FirstSize is the root mean square of all numbers of the initial states: [R].
type FirstSize struct{}

func (FirstSize) Measure(_, _ []*graph.Node, output experiment.Output) *graph.Node {
	return graph.Sqrt(graph.ReduceMean(graph.Square(SideBySide(output.InitialStates)), 1, 2))
}

// SideBySide joins states [R, B, …] to [R, B, numbers of a state].
func SideBySide(states []*graph.Node) *graph.Node {
	var flat []*graph.Node
	for _, s := range states {
		dims := s.Shape().Dimensions
		flat = append(flat, graph.Reshape(s, dims[0], dims[1], -1))
	}
	return graph.Concatenate(flat, -1)
}

// Deviation is the standard deviation of a random initial state, as a mean over its units: [R]. It is found from
// samples of the same context, side by side in a batch, as the slope of the state against the noise: softplus(σ) of
// C(4). The noise is the last input.
type Deviation struct{ Samples int }

func (d Deviation) Measure(inputs, _ []*graph.Node, output experiment.Output) *graph.Node {
	centred := func(x *graph.Node) *graph.Node { // [R, contexts, samples, numbers]
		dims := x.Shape().Dimensions
		x = graph.Reshape(x, dims[0], dims[1]/d.Samples, d.Samples, dims[2])
		return graph.Sub(x, graph.ReduceAndKeep(x, graph.ReduceMean, 2))
	}
	state, noise := centred(SideBySide(output.InitialStates)), centred(inputs[len(inputs)-1])
	slope := graph.Div(graph.ReduceSum(graph.Mul(state, noise), 1, 2), graph.ReduceSum(graph.Square(noise), 1, 2))
	return graph.ReduceMean(slope, 1)
}

// thousandths is the unit in which a record has trajectories. Whole numbers of it take a third of the room that
// numbers of float32 take.
const thousandths = 1000

// Trajectories are the values of x that follow from the predicted changes, at t = 1 … t_f of each of several series of
// a batch, one series after the other, in thousandths: [R, Series·t_f].
type Trajectories struct {
	Task         task.Decay
	From, Series int
}

func (m Trajectories) Measure(inputs, _ []*graph.Node, output experiment.Output) *graph.Node {
	return summed(m.Task, inputs[0], output.Prediction, m.From, m.Series)
}

func (m Trajectories) Numbers(int, int) int { return m.Series * m.Task.Final }

// Truth is the true values of one series, as Trajectories has them: [R, t_f].
type Truth struct {
	Task task.Decay
	From int
}

func (m Truth) Measure(inputs, labels []*graph.Node, _ experiment.Output) *graph.Node {
	return summed(m.Task, inputs[0], labels[0], m.From, 1)
}

func (m Truth) Numbers(int, int) int { return m.Task.Final }

// summed adds scaled changes [T, R, B] to the first values of x [n, R, B, 1].
func summed(t task.Decay, x, changes *graph.Node, from, series int) *graph.Node {
	of := graph.AxisRange(from, from+series)
	low, high := t.ChangeRange()
	bottom, top := t.XRange()
	unscale := func(v *graph.Node, low, high float64) *graph.Node {
		return graph.AddScalar(graph.MulScalar(v, (high-low)/2), (high+low)/2)
	}
	begin := unscale(graph.Squeeze(graph.Slice(x, graph.AxisRange(0, 1), graph.AxisRange(), of), -1), bottom, top)
	steps := unscale(graph.Slice(changes, graph.AxisRange(), graph.AxisRange(), of), low, high)
	values := []*graph.Node{}
	now := begin
	for n := range t.Final {
		now = graph.Add(now, graph.Slice(steps, graph.AxisRange(n, n+1)))
		values = append(values, now)
	}
	all := graph.Round(graph.MulScalar(graph.Concatenate(values, 0), thousandths)) // [T, R, series]
	return graph.Reshape(graph.TransposeAllAxes(all, 1, 2, 0), x.Shape().Dim(1), series*t.Final)
}

// Apart is how far the predictions for the two series of each pair in a batch are from each other, as a mean over the
// pairs, at each step: [R, T]. See PairedInitialStates.
type Apart struct{}

func (Apart) Measure(_, _ []*graph.Node, output experiment.Output) *graph.Node {
	dims := output.Prediction.Shape().Dimensions
	pairs := graph.Reshape(output.Prediction, dims[0], dims[1], dims[2]/2, 2)
	one := graph.SliceAxis(pairs, -1, graph.AxisRange(0, 1))
	other := graph.SliceAxis(pairs, -1, graph.AxisRange(1, 2))
	return graph.Transpose(graph.ReduceMean(graph.Abs(graph.Sub(one, other)), 2, 3), 0, 1)
}

func (Apart) Numbers(steps, _ int) int { return steps }
