package trial

import "github.com/gomlx/gomlx/core/graph"

// Accuracy is the share of labels, 0 … 1, that equal the class with the highest logit (the first one if several are
// equal), of each trial, [R]. If a logit is NaN, so is the accuracy. Labels and logits are those of [CrossEntropy].
//
// Negative labels, such as −1 for padding, are left out: they count neither as right nor as wrong. If a trial has no
// other labels, or one above all classes, its accuracy is NaN. It has no gradient to train on.
func Accuracy(labels, logits *graph.Node) *graph.Node {
	labels, logits = checkClasses("accuracy", labels, logits)
	right := graph.ConvertDType(graph.Equal(graph.ArgMax(logits, -1, labels.DType()), labels), logits.DType())
	nan := graph.ReduceSum(graph.Where(graph.IsNaN(logits), logits, graph.ZerosLike(logits)), -1) // else 0
	return meanOver(graph.Add(right, nan), classesAmong(labels, logits))
}
