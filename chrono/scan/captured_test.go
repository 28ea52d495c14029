package scan_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

// A step that asks for a variable itself is refused, be the variable in the graph already or not: no gradient would
// reach it.
func TestVariablesOfAStepAreRefused(t *testing.T) {
	weight := random(rand.New(rand.NewPCG(1, 1)), 3, 3)
	for name, next := range map[string]func(s *model.Scope, h *Node) *Node{
		"a variable": func(s *model.Scope, h *Node) *Node {
			return Tanh(MatMul(h, s.VariableWithValue("w", weight).NodeValue(h)))
		},
		"a variable of the graph": func(s *model.Scope, h *Node) *Node {
			return Tanh(MatMul(h, s.At("before").VariableWithValue("w", weight).NodeValue(h)))
		},
		"a layer": func(s *model.Scope, h *Node) *Node { return Tanh(layers.Dense(s.At("dense"), h, true, 3)) },
	} {
		_, err := model.CallOnce(backends[1], model.NewStore(), func(s *model.Scope, x *Node) *Node {
			s.At("before").VariableWithValue("w", weight).NodeValue(x)
			step := func(_ *scan.Ctx, carry, x, _ []*Node) ([]*Node, []*Node) {
				return []*Node{next(s, Add(carry[0], x[0]))}, nil
			}
			h := Zeros(x.Graph(), shapes.Make(x.DType(), 2, 3))
			_, final := scan.New(step).Done([]*Node{h}, []*Node{StopGradient(x)}, nil)
			return ReduceAllSum(final[0])
		}, random(rand.New(rand.NewPCG(1, 1)), 4, 2, 3))
		check.Rejected(t, name, err, "scan: the step captures")
	}
}

// What a step puts under StopGradient is taken as it is.
func TestStopGradientInAStep(t *testing.T) {
	out := MustExecOnceN(backends[1], func(x, w *Node) []*Node {
		step := func(_ *scan.Ctx, carry, x, weights []*Node) ([]*Node, []*Node) {
			constant := Mul(StopGradient(w), StopGradient(weights[0])) // captured, and given
			return []*Node{Add(Mul(carry[0], weights[0]), Mul(constant, x[0]))}, nil
		}
		zero := ScalarZero(x.Graph(), x.DType())
		_, final := scan.New(step).Unroll(2).Done([]*Node{zero}, []*Node{StopGradient(x)}, []*Node{w})
		return append(final, Gradient(final[0], w)...)
	}, []float64{1, 1}, 3.)
	// h = w·9 + 9 with the nines held still: 36, and its derivative 9.
	for i, want := range []float64{36, 9} {
		check.Equal(t, tensors.ToScalar[float64](out[i]), want, "result %d", i)
	}
}
