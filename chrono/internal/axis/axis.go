// Package axis holds what all parts of a graph share about the axis of trials: the number of trials, and how their
// losses add up.
package axis

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// trialsOf is the parameter of a graph that holds its number of trials.
const trialsOf = "/chrono trials"

// None is the number of trials of a graph of one model, whose tensors have no axis of trials.
const None = 0

// known is the number of trials of a graph, and which part of the graph fixed it.
type known struct {
	trials int
	part   string
}

func (k known) String() string {
	if k.trials == None {
		return k.part + " is of one model, without an axis of trials"
	}
	return fmt.Sprintf("%s has R = %d trials", k.part, k.trials)
}

// Agree fixes the number of trials of a graph, or None, if it is the first call. It panics with a one-line error that
// names both parts if another part of the graph has another number.
func Agree(g *graph.Graph, trials int, part string) {
	value, _ := model.GetGraphParam(g, trialsOf)
	first, found := value.(known)
	if own := (known{trials, part}); !found {
		model.SetGraphParam(g, trialsOf, own)
	} else if first.trials != trials {
		exceptions.Panicf("%s, but %s, want the same in all of a graph (of trials, sequences are [T, R, B, …], or "+
			"[R, B, …] without time; of one model, [B, T, …], and GoMLX has its losses)", own, first)
	}
}

// Known returns the number of trials of the graph, or None, if it is fixed.
func Known(g *graph.Graph) (trials int, found bool) {
	value, _ := model.GetGraphParam(g, trialsOf)
	first, found := value.(known)
	return first.trials, found
}

// IsOne tells whether the graph is known to be of one model.
func IsOne(g *graph.Graph) bool {
	trials, found := Known(g)
	return found && trials == None
}

// weightsOf is the parameter of a graph that holds the set of its weights that have a part for each trial.
const weightsOf = "/chrono weights"

// Declare notes that a weight has a part for each trial, by its first axis, and that no other trial uses it.
func Declare(g *graph.Graph, weight *model.Variable) {
	value, _ := model.GetGraphParam(g, weightsOf)
	weights, found := value.(map[*model.Variable]bool)
	if !found {
		weights = make(map[*model.Variable]bool)
		model.SetGraphParam(g, weightsOf, weights)
	}
	weights[weight] = true
}

// Declared tells whether Declare was called for the weight.
func Declared(g *graph.Graph, weight *model.Variable) bool {
	value, _ := model.GetGraphParam(g, weightsOf)
	weights, _ := value.(map[*model.Variable]bool)
	return weights[weight]
}

// largest bounds the value of a Total, so that a loss that is the sum of many of them is finite in float32.
const largest = 1e30

// Total is the sum of losses [R]. Those that are not finite are left out, and its value, but not its gradient, is
// bounded.
func Total(losses *graph.Node) *graph.Node {
	finite := graph.Where(graph.IsFinite(losses), losses, graph.ZerosLike(losses))
	sum := graph.ReduceAllSum(graph.ConvertDType(finite, dtypes.Float64))
	value := graph.StopGradient(graph.ClipScalar(sum, -largest, largest))
	total := graph.Add(value, graph.Sub(sum, graph.StopGradient(sum))) // which is value, with the gradient of sum
	return graph.ConvertDType(total, losses.DType())
}
