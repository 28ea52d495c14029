package cell

import (
	"path"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/internal/axis"
	"github.com/warptime/warptime/chrono/internal/given"
	"github.com/warptime/warptime/chrono/internal/require"
)

// Names of GoMLX: of two hyperparameters, and of the parameter of a graph to which layers add what its trainer adds to
// the loss. They are those of its packages regularizer and train, which programs that only declare or draw networks
// should not have to link.
const (
	paramL1     = "l1_regularization"
	paramL2     = "l2_regularization"
	addedToLoss = "/trainer/trainer_regularization_loss"
)

// regularize adds to the loss what the scope's hyperparameter l2_regularization asks for, as GoMLX's layers do: for
// each matrix it times the sum of squares, once also where runs share it. Each trial has a sum of its own, and one that
// is not finite is left out, as in trial.Total.
//
// GoMLX's l1_regularization also changes weights after each update of its trainer, so it is rejected.
func regularize(scope *model.Scope, g *Graph, weights []Weight, nodes map[string]*Node) {
	l1 := model.GetParamOr(scope, paramL1, 0.0)
	require.That(!(l1 > 0), "cell: scope %s has %s %g, which only GoMLX's layers support, want %s", scope.Scope(),
		paramL1, l1, paramL2)
	l2 := model.GetParamOr(scope, paramL2, 0.0)
	require.That(given.Finite(l2), "cell: scope %s has %s %g, want a finite number", scope.Scope(), paramL2, l2)
	if l2 <= 0 {
		return
	}
	for _, w := range weights {
		key := path.Join("/chrono regularized", scope.Scope(), w.Name)
		seen, _ := model.GetGraphParam(g, key) // GoMLX returns that of a scope above, if there is none here
		if seen == key || len(w.Dims) < 2 {    // shared with another run of this graph; or a bias, a gain or a shift
			continue
		}
		model.SetGraphParam(g, key, key)
		kernel := nodes[w.Name]
		squares := ReduceSum(Square(Reshape(kernel, kernel.Shape().Dim(0), -1)), 1) // [R]
		loss := axis.Total(MulScalar(squares, l2))
		if added, found := model.GetGraphParam(g, addedToLoss); found {
			loss = Add(added.(*Node), loss)
		}
		model.SetGraphParam(g, addedToLoss, loss)
	}
}
