package trial

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/axis"
	"github.com/warptime/warptime/chrono/internal/require"
)

// Total is the scalar to differentiate for losses [R]: their sum. The gradient of trial r's weights is then that of
// its own loss, whatever R. GoMLX's Trainer needs such a scalar from its LossFn: if that returns the losses themselves,
// the Trainer takes their mean, so that gradients are R times too small.
//
// Losses that are not finite are left out: a trial that diverges is a result and must not stop the others, but GoMLX's
// loop stops when the loss is not finite. For the same reason the value of Total, but not its gradient, is at most
// 1e30. Package cell adds up the regularization of its layers in the same way.
func Total(losses *graph.Node) *graph.Node {
	require.That(losses.Rank() == 1 && losses.DType().IsFloat(),
		"trial: Total of losses %s, want floats [R], one for each trial", losses.Shape())
	axis.Agree(losses.Graph(), losses.Shape().Dim(0), "trial.Total")
	return axis.Total(losses)
}

// widened is x in float32 if it is of a narrower type of floats, which neither holds the sum over many labels nor their
// number.
func widened(x *graph.Node) *graph.Node {
	if d := x.DType(); d.IsFloat() && d.Size() < dtypes.Float32.Size() {
		return graph.ConvertDType(x, dtypes.Float32)
	}
	return x
}

// counted is how many labels of each trial a mean is over, [R] of that type: those that are a class if there are
// logits, else all.
func counted(labels, prediction *graph.Node, trials int, dtype dtypes.DType) *graph.Node {
	if l := labels.Shape(); haveClasses(l, prediction.Shape()) && l.Dim(-2) == trials {
		return graph.ConvertDType(classesAmong(checkClasses("labels", labels, prediction)), dtype)
	}
	all := max(1, labels.Shape().Size()/trials) // there may be no label for each trial
	return graph.BroadcastToDims(graph.Scalar(labels.Graph(), dtype, all), trials)
}

// mean is the mean of each trial's values, [T, R, B] or [R, B], over all but the trials: [R].
func mean(values *graph.Node) *graph.Node { return graph.ReduceMean(byTrial(values), 1) }

// byTrial is values, [T, R, B] or [R, B], with all of a trial in one row, so that the order of additions over it does
// not depend on R: [R, T·B].
func byTrial(values *graph.Node) *graph.Node {
	dims := values.Shape().Dimensions
	if len(dims) < 3 {
		return values
	}
	return graph.Reshape(graph.TransposeAllAxes(values, 1, 0, 2), dims[1], dims[0]*dims[2])
}
