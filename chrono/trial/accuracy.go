package trial

import "github.com/gomlx/gomlx/core/graph"

// Accuracy is the share of labels, 0 … 1, that equal the class with the highest logit (the first one if several are
// equal). If a logit is NaN, so is the accuracy. Labels and prediction are those of [CrossEntropy].
//
// Negative labels, such as −1 for padding, are left out: they count neither as right nor as wrong. If a trial has no
// other labels, or one above all classes, its accuracy is NaN.
type Accuracy struct{}

// Losses implements Loss, so that [Metric] can report the accuracy. It has no gradient to train on.
func (Accuracy) Losses(labels, logits *graph.Node) *graph.Node {
	labels, logits = checkClasses("accuracy", labels, logits)
	right := graph.ConvertDType(graph.Equal(graph.ArgMax(logits, -1, labels.DType()), labels), logits.DType())
	nan := graph.ReduceSum(graph.Where(graph.IsNaN(logits), logits, graph.ZerosLike(logits)), -1) // else 0
	return meanOver(graph.Add(right, nan), classesAmong(labels, logits))
}
