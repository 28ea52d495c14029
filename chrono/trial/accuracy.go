package trial

import "github.com/gomlx/gomlx/core/graph"

// Accuracy is the share of symbols that are predicted right, 0 … 1: those whose logit is the highest, or the first of
// the highest. Where a logit is NaN so is the accuracy. Labels and prediction are those of [CrossEntropy].
type Accuracy struct{}

// Losses implements Loss, to measure by. It has no gradient to train on.
func (Accuracy) Losses(labels, logits *graph.Node) *graph.Node {
	checkClasses("accuracy", labels, logits)
	right := graph.ConvertDType(graph.Equal(graph.ArgMax(logits, -1, labels.DType()), labels), logits.DType())
	nan := graph.ReduceSum(graph.Where(graph.IsNaN(logits), logits, graph.ZerosLike(logits)), -1) // else 0
	return mean(graph.Add(right, nan))
}
