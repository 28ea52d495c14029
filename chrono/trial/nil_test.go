package trial

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/internal/check"
)

// What is nil is rejected with one line, and not dereferenced.
func TestNil(t *testing.T) {
	g := graph.NewGraph(conformance.Start(t, "go"), "nil")
	scope, o := model.NewStore().RootScope(), Optimizer{Method: SGD{}, Rates: []float64{1}}
	number := graph.Const(g, float32(1))
	panics := func(f func()) func() error {
		return func() error { return exceptions.TryCatch[error](f) }
	}
	losses := func(l Loss) func() error { return panics(func() { l.Losses(nil, nil) }) }
	update := func(o optimizer.Interface, scope *model.Scope, g *graph.Graph, loss *graph.Node) func() error {
		return panics(func() { o.UpdateGraph(scope, g, loss) })
	}
	for name, call := range map[string]func() error{
		"Total":                 panics(func() { Total(nil) }),
		"CrossEntropy":          losses(CrossEntropy{}),
		"Accuracy":              losses(Accuracy{}),
		"SquaredError":          losses(SquaredError{}),
		"SumOverSteps":          losses(SumOverSteps{Of: SquaredError{}}),
		"Metric":                panics(func() { Metric("none", nil) }),
		"Take":                  func() error { _, err := Take(nil, 0); return err },
		"LearningRates":         panics(func() { o.LearningRates(nil) }),
		"GradientNorms":         panics(func() { o.GradientNorms(nil) }),
		"Multiply":              func() error { return o.Multiply(nil, []float64{1}) },
		"Clear":                 func() error { return o.Clear(nil) },
		"UpdateGraph, no scope": update(o, nil, g, number),
		"UpdateGraph, no graph": update(o, scope, nil, number),
		"UpdateGraph, no loss":  update(o, scope, g, nil),
		"Joined, no scope":      update(o.Joined(), nil, g, number),
		"ReduceOnPlateau": func() error {
			_, err := ReduceOnPlateau{Every: 1, Series: "loss"}.Factors(1, nil)
			return err
		},
	} {
		check.Rejected(t, name, call(), "trial: …, want")
	}
}
