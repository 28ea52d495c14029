package replication

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	recurrent "github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
)

// newCell returns the cell of an architecture's name.
func newCell(name string, hidden int) (recurrent.Cell, error) {
	switch name {
	case "rnn":
		return recurrent.RNN{Hidden: hidden}, nil
	case "leaky":
		return recurrent.Leaky{Hidden: hidden}, nil
	case "gated":
		return recurrent.Gated{Hidden: hidden}, nil
	case "lstm":
		return recurrent.LSTM{Hidden: hidden}, nil
	}
	return nil, fmt.Errorf("unknown architecture %q", name)
}

// network is the model of R trials: one-hot symbols or given features → recurrent cell → affine read-out.
type network struct {
	cell  recurrent.Cell
	inits []chrono.Init // [R]
	seeds []uint64      // [R]
	task  task.Task
}

func newNetwork(run Run) (*network, error) {
	cell, err := newCell(run.cell, run.Settings.Hidden)
	if err != nil {
		return nil, err
	}
	n := &network{cell: cell, inits: slices.Clone(run.inits), task: run.tasks[0]}
	for r, m := range run.Models {
		n.seeds = append(n.seeds, m.Seed)
		if n.inits[r] == nil {
			n.inits[r] = chrono.Standard(1) // not used: the cell has no gates
		}
	}
	return n, nil
}

// predict is the model function of GoMLX's trainer. For symbols it takes x [T, R, B] and gives the logits [T, R, B, classes] of every
// step; for regression it takes x [T, R, B, F] and gives one number per sequence, [R, B], from the last state.
func (n *network) predict(scope *model.Scope, x *graph.Node) *graph.Node {
	symbols, ok := n.task.(task.Symbols)
	if ok {
		x = graph.OneHot(x, symbols.Alphabet(), dtypes.Float32)
	}
	x = graph.StopGradient(x)
	ys, final := recurrent.New(scope.In("cell"), n.cell, x).Init(n.inits...).Seeds(n.seeds...).Done()
	if ok {
		return recurrent.Dense(scope.In("readout"), ys[0], symbols.Classes(), n.seeds...)
	}
	return graph.Squeeze(recurrent.Dense(scope.In("readout"), final[0], 1, n.seeds...), -1)
}

// lossesParam is where losses leaves the loss of each trial for the metric that reports it, as GoMLX's trainer does with its own.
const lossesParam = "/replication/losses"

// loss is the loss function of GoMLX's trainer: the sum over trials of each trial's loss, [R], which is the mean
// cross entropy over all steps and sequences, in nats, or the mean squared error over sequences. It is a sum because the gradient of trial r's
// weights is then that of its own loss, whatever R.
func (n *network) loss(labels, predictions []*graph.Node) *graph.Node {
	var losses *graph.Node
	if _, ok := n.task.(task.Symbols); ok {
		losses = crossEntropy(labels[0], predictions[0])
	} else {
		losses = graph.ReduceMean(graph.Square(graph.Sub(predictions[0], labels[0])), 1)
	}
	g := losses.Graph()
	model.SetGraphParam(g, lossesParam, losses)
	// GoMLX's loop stops when the loss is no longer finite. A trial that diverges is a result, and must not stop the others.
	return graph.ReduceAllSum(graph.Where(graph.IsFinite(losses), losses, graph.ZerosLike(losses)))
}

// crossEntropy returns each trial's mean cross entropy over steps and sequences, [R], in nats, of logits [T, R, B, classes] and labels [T, R, B].
// (GoMLX's own is the mean over the trials too.)
//
// Each trial is summed up in a row of its own, so that the order of the additions does not depend on R, and trial r gets the same bits
// alone and among others.
func crossEntropy(labels, logits *graph.Node) *graph.Node {
	dims := logits.Shape().Dimensions
	right := graph.OneHot(labels, dims[3], logits.DType())
	logProbability := graph.ReduceSum(graph.Mul(graph.LogSoftmax(logits), right), 3) // [T, R, B]
	rows := graph.Reshape(graph.TransposeAllAxes(logProbability, 1, 0, 2), dims[1], dims[0]*dims[2])
	return graph.Neg(graph.ReduceMean(rows, 1))
}

// losses returns what loss computed for each trial, [R].
func losses(_ *model.Scope, _, predictions []*graph.Node) *graph.Node {
	node, _ := model.GetGraphParam(predictions[0].Graph(), lossesParam)
	return node.(*graph.Node)
}

// accuracies returns each trial's share of steps at which the most probable symbol is the right one, [R].
func accuracies(_ *model.Scope, labels, predictions []*graph.Node) *graph.Node {
	right := graph.Equal(graph.ArgMax(predictions[0], -1), labels[0])
	return graph.ReduceMean(graph.ConvertDType(right, dtypes.Float32), 0, 2)
}
