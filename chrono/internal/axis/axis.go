// Package axis holds what all parts of a graph share about the axis of trials: the number of trials, and how their
// losses add up.
package axis

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// trialsOf is the parameter of a graph that holds its number of trials.
const trialsOf = "/chrono trials"

// known is the number of trials of a graph, and which part of the graph fixed it.
type known struct {
	trials int
	part   string
}

// Agree fixes the number of trials of a graph, if it is the first call. It panics with a one-line error that names both
// parts if another part of the graph has another number.
func Agree(g *graph.Graph, trials int, part string) {
	value, _ := model.GetGraphParam(g, trialsOf)
	first, found := value.(known)
	if !found {
		model.SetGraphParam(g, trialsOf, known{trials, part})
	} else if first.trials != trials {
		exceptions.Panicf("%s: R = %d, but %s has R = %d, want one number R of trials in a graph (sequences are "+
			"[T, R, B, …], or [R, B, …] without time)", part, trials, first.part, first.trials)
	}
}

// Known tells whether the number of trials of the graph is fixed.
func Known(g *graph.Graph) bool {
	_, found := model.GetGraphParam(g, trialsOf)
	return found
}

// largest bounds the value of a Total, so that a loss that is the sum of many of them is finite in float32.
const largest = 1e30

// Total is the sum of losses [R]. Those that are not finite are left out, and its value, but not its gradient, is
// bounded.
func Total(losses *graph.Node) *graph.Node {
	finite := graph.Where(graph.IsFinite(losses), losses, graph.ZerosLike(losses))
	sum := graph.ReduceAllSum(graph.ConvertDType(finite, dtypes.Float64))
	value := graph.ClipScalar(sum, -largest, largest)
	total := graph.Add(sum, graph.StopGradient(graph.Sub(value, sum)))
	return graph.ConvertDType(total, losses.DType())
}
