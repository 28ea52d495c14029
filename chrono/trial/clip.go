package trial

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/support/xslices"
	"github.com/gomlx/gomlx/core/graph"
)

// norms is the norm of each of R trials over all of its gradients [R, …], or of any shape if R = 1: [R] of float64.
//
// In float64 no squares of float32 overflow: a norm of infinity would make a step of zero out of a gradient that is
// finite. Each trial is summed up in rows of its own, so that the order of the additions does not depend on R.
func norms(gradients []*graph.Node, trials int) *graph.Node {
	var squares *graph.Node // [R]
	for _, gradient := range gradients {
		rows := graph.Reshape(graph.ConvertDType(gradient, dtypes.Float64), trials, -1)
		sum := graph.ReduceSum(graph.Square(rows), 1)
		if squares != nil {
			sum = graph.Add(squares, sum)
		}
		squares = sum
	}
	return graph.Sqrt(squares)
}

// clip multiplies the gradients [R, …] of each trial by min(1, bound/‖g‖), where ‖g‖ is that trial's norm (Pascanu,
// Mikolov & Bengio 2013). Where the norm is NaN the gradients stay as they are, so that the NaN is seen where it arose;
// an infinite gradient becomes NaN.
func clip(gradients []*graph.Node, norm *graph.Node, bound float64) []*graph.Node {
	limit := graph.MulScalar(graph.OnesLike(norm), bound)
	factor := graph.Where(graph.GreaterThan(norm, limit), graph.Div(limit, norm), graph.OnesLike(norm))
	return xslices.Map(gradients, func(gradient *graph.Node) *graph.Node {
		return graph.Mul(gradient, perTrial(factor, gradient))
	})
}
