// Package cell provides recurrent cells, one file for each cell. In a GoMLX graph,
//
//	h := cell.New(scope.In("lstm"), cell.LSTM{Hidden: 128}, x).Layers(2).Outputs()
//	logits := layers.Dense(scope.In("read-out"), h, true, 10)
//
// runs two layers of LSTMs over the inputs x [B, T, I] (batch, time steps, features), and GoMLX's Dense over their
// outputs h [B, T, 128]. Inputs, weights and states are float32 or float64. Most programs need these names alone:
//
//	New                    runs a cell over a sequence, as the methods of Builder say:
//	  Layers, Bidirectional, Dropout, Lengths, GateInit
//	  From, Carry          begin with states that are given, or the last batch's
//	  Outputs, Last, Done  return all outputs; the last ones; all, and the states
//	LSTM, GRU, MinGRU, …   are cells; Cell is for your own
//	Embedding              turns symbols [B, T] into inputs
//	FromTorch, ToTorch     take weights from PyTorch, and give them back
//
// As with GoMLX's layers, each layer of a graph needs a scope of its own. To share weights, ask for a second scope of
// the same path, by the scope's methods Shared or ResetVisited. Functions that build a graph panic, as GoMLX's do, if
// an argument or a setting is not what its comment says. The error is one line with what was given and what is wanted.
//
// # Trials
//
// Trials are R models of the same shape that are trained side by side in one graph, each with weights, seed and data of
// its own. The form of the input decides: [T, R, B, I], time first, is that of trials. Then outputs are [T, R, B, H],
// states [R, B, H], weights [R, I, H] and lengths [R, B]. A graph is of one model or of R trials; its first layer fixes
// this, and all others must agree. Package trial has losses and optimizers for trials. Inside of a cell all tensors are
// those of trials, with R = 1 for one model.
//
// Equations are numbered as in the papers: W is the one that package chrono names, C Wenke & Fleming, "Contextual
// Recurrent Neural Networks", 2019.
package cell

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/scan"
)

// Cell is a recurrence. Run it over a sequence with [New].
type Cell interface {
	// Layer returns the cell for inputs of the given number of features, 1 or more, or a one-line error that names the
	// cell if a setting is not in the range that its field names. Functions of the layer that cannot continue panic,
	// preferably with a one-line error from exceptions.Panicf.
	Layer(inputs int) (Layer, error)
}

// Layer is a cell for inputs of a certain width: its weights, its states and one step of time.
type Layer struct {
	// Weights lists what one trial learns: names, shapes, initial values.
	Weights []Weight

	// StateDims lists the shapes of the states of one sequence of one trial, without [R, B]; the first is the output h.
	StateDims [][]int

	// Prepare computes for all steps at once what does not depend on the state. It turns the inputs [T, R, B, I] into
	// the inputs of Step, each [T, …], and the weights [R, …], given by name, into those of Step. The cell defines
	// what inputs beyond the first are, such as dropout masks; one that all steps share, such as a memory to attend to,
	// may go into stepWeights. [Builder.Done] rejects inputs that the cell does not use.
	Prepare func(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node)

	// Step is one step of time. The first output is h [R, B, H].
	Step scan.Step

	// Gates computes the gates outside of the loop, from the inputs [T, R, B, I], the outputs h of the step before each
	// step [T, R, B, H], and the weights [R, …] by their names. It is nil if the cell has none that follow from these.
	Gates func(xs []*Node, before *Node, weights map[string]*Node) []Gate

	// others names a weight of each layer that has all of these weights and more, so that they are not taken for its.
	others []string

	coupled bool // sequences of a batch depend on each other
	masked  bool // a second input is the mask of what the recurrent weights see of h, as maskOf has it
}

// foreign names a variable under scope that shows that the layer's weights there are another cell's; "" if none does.
func (l Layer) foreign(scope *model.Scope) string {
	for _, name := range l.others {
		own := slices.ContainsFunc(l.Weights, func(w Weight) bool { return w.Name == name })
		if !own && scope.GetVariable(name) != nil {
			return name
		}
	}
	return ""
}
