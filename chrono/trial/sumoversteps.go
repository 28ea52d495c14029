package trial

import (
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// SumOverSteps turns a loss that is the mean over the time steps of labels [T, R, B] into their sum: T times the mean.
// Zilly et al. 2017 train on the cross entropy summed over 35 steps, and clip its gradient.
type SumOverSteps struct{ Of Loss }

// Losses implements Loss.
func (s SumOverSteps) Losses(labels, prediction *graph.Node) *graph.Node {
	if s.Of == nil {
		exceptions.Panicf("trial: a sum over steps of no loss, want Of, such as trial.CrossEntropy{}")
	}
	if labels.Rank() != 3 {
		exceptions.Panicf("trial: a sum over the steps of labels %s, want [T, R, B]", labels.Shape())
	}
	return graph.MulScalar(s.Of.Losses(labels, prediction), labels.Shape().Dim(0))
}
