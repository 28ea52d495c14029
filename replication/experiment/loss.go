package experiment

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/trial"
)

// A Loss measures predictions with one number for each trial, [R]. A network is trained on one and measured by several.
type Loss interface {
	Losses(labels, prediction *graph.Node) *graph.Node
}

// CrossEntropy is [trial.CrossEntropy].
type CrossEntropy struct{}

func (CrossEntropy) Losses(labels, logits *graph.Node) *graph.Node {
	return trial.CrossEntropy(labels, logits)
}

// Accuracy is [trial.Accuracy]. No network can be trained on it.
type Accuracy struct{}

func (Accuracy) Losses(labels, logits *graph.Node) *graph.Node { return trial.Accuracy(labels, logits) }

// SquaredError is [trial.SquaredError].
type SquaredError struct{}

func (SquaredError) Losses(labels, prediction *graph.Node) *graph.Node {
	return trial.SquaredError(labels, prediction)
}

// SumOverSteps is [trial.SumOverSteps].
type SumOverSteps struct{ Of Loss }

func (s SumOverSteps) Losses(labels, prediction *graph.Node) *graph.Node {
	return trial.SumOverSteps(s.Of.Losses)(labels, prediction)
}
