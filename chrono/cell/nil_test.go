package cell_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// What is nil, or missing, is rejected with one line, and not dereferenced. (TestRejected has what a Builder is given.)
func TestNil(t *testing.T) {
	g := NewGraph(goBackend, "nil")
	defer g.Finalize()
	scope, weights := model.NewStore().RootScope(), cell.LSTM{Hidden: 2}.Weights(3)
	draw := func(init cell.WeightInit) func() { return func() { init.Draw((*rand.Rand)(nil), cell.Output, 2, 3) } }
	for name, call := range map[string]func(){
		"Sequences":                func() { cell.Sequences(nil, 1) },
		"StateSize":                func() { cell.StateSize(nil) },
		"ByName":                   func() { cell.ByName(weights, nil) },
		"Variables, no scope":      func() { cell.Variables(nil, g, weights, dtypes.Float32, []uint64{1}) },
		"Variables, no graph":      func() { cell.Variables(scope, nil, weights, dtypes.Float32, []uint64{1}) },
		"Variables, no WeightInit": func() { cell.Variables(scope, g, weights, dtypes.Float32, []uint64{1}) },
		"Draws, no WeightInit":     func() { cell.Draws{}.All(weights) },
		"Draws, no GateInit":       func() { cell.Draws{WeightInit: cell.He{}}.All(weights) },
		"Draw of Orthogonal":       draw(cell.Orthogonal{}),
		"Draw of Uniform":          draw(cell.Uniform{}),
		"Draw of UniformWithin":    draw(cell.UniformWithin{Limit: 1}),
		"Draw of He":               draw(cell.He{}),
		"Draw of NormalInputs":     draw(cell.NormalInputs{Others: cell.He{}}),
		"Draw of ScaledIdentity":   draw(cell.ScaledIdentity{}),
		"Draw of JointOrthogonal":  draw(cell.JointOrthogonal{}),
	} {
		check.Rejected(t, name, exceptions.TryCatch[error](call), ", want")
	}
}
