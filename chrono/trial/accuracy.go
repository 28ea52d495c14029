package trial

import "github.com/gomlx/gomlx/core/graph"

// Accuracy is the share of symbols that are predicted right, 0 … 1: those whose logit is the highest, or the first of
// the highest. Labels and prediction are those of [CrossEntropy].
type Accuracy struct{}

// Losses implements Loss, to measure by. It has no gradient to train on.
func (Accuracy) Losses(labels, logits *graph.Node) *graph.Node {
	checkClasses("accuracy", labels, logits)
	right := graph.Equal(graph.ArgMax(logits, -1, labels.DType()), labels)
	return mean(graph.ConvertDType(right, logits.DType()))
}
