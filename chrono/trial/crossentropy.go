package trial

import (
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/axis"
	"github.com/warptime/warptime/chrono/internal/require"
)

// CrossEntropy is the cross entropy of symbols, [R]: of labels [T, R, B] or [R, B], each 0 … classes−1 (any type of
// integer), and logits [T, R, B, classes] or [R, B, classes]. A trial's loss is the mean over its steps and sequences,
// in nats. (GoMLX's own is the mean over the trials too.)
//
// Logits must be finite: mask a class with a large negative number, not with -∞. Negative labels, such as −1 for
// padding, are left out of the mean, and have a gradient of 0. If a trial has no other labels, its loss is 0; if one is
// above all classes, it is NaN.
func CrossEntropy(labels, logits *graph.Node) *graph.Node {
	labels, logits = checkClasses("cross entropy", labels, logits)
	right := graph.OneHot(labels, logits.Shape().Dim(-1), logits.DType())
	logProbability := graph.ReduceSum(graph.Mul(graph.LogSoftmax(logits), right), -1)
	return graph.Neg(meanOver(logProbability, graph.MaxScalar(classesAmong(labels, logits), 1)))
}

// classesAmong is how many of a trial's labels are a class of the logits, [R]: NaN if one is above all classes.
func classesAmong(labels, logits *graph.Node) *graph.Node {
	classes := graph.Scalar(labels.Graph(), labels.DType(), logits.Shape().Dim(-1))
	isClass := graph.ConvertDType(graph.GreaterOrEqual(labels, graph.ZerosLike(labels)), logits.DType())
	nan := graph.Scalar(labels.Graph(), logits.DType(), math.NaN())
	return graph.ReduceSum(byTrial(graph.Where(graph.LessThan(labels, classes), isClass, nan)), 1)
}

// meanOver is the sum of each trial's values, [T, R, B] or [R, B], divided by count, [R]: their mean, as mean computes
// it, where that is the number of all.
func meanOver(values, count *graph.Node) *graph.Node {
	values = byTrial(values)
	sum, all := graph.ReduceSum(values, 1), graph.Scalar(count.Graph(), count.DType(), values.Shape().Dim(1))
	return graph.Where(graph.Equal(count, all), graph.ReduceMean(values, 1), graph.Div(sum, count))
}

// checkClasses panics unless labels and logits have the shapes that CrossEntropy wants. It returns both in types that
// have all classes, and sums and counts over all labels.
func checkClasses(loss string, labels, logits *graph.Node) (wideLabels, wideLogits *graph.Node) {
	l, p := labels.Shape(), logits.Shape()
	require.That(haveClasses(l, p), "trial: %s of labels %s and prediction %s, "+
		"want integers [T, R, B] and logits [T, R, B, classes] of floats, or both without T", loss, l, p)
	axis.Agree(labels.Graph(), l.Dim(-2), "trial: "+loss)
	if l.DType.Size() < dtypes.Int32.Size() {
		labels = graph.ConvertDType(labels, dtypes.Int32)
	}
	return labels, widened(logits)
}

// haveClasses tells whether labels and logits have the shapes that CrossEntropy wants.
func haveClasses(l, p shapes.Shape) bool {
	return l.DType.IsInt() && (l.Rank() == 2 || l.Rank() == 3) && p.DType.IsFloat() && p.Rank() == l.Rank()+1 &&
		slices.Equal(l.Dimensions, p.Dimensions[:l.Rank()])
}
