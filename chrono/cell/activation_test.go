package cell_test

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/cell"
)

// Each activation and its derivative, also at 0.
func TestActivations(t *testing.T) {
	x := []float64{-2, 0, 3}
	for _, test := range []struct {
		activation cell.Activation
		want, by   []float64
	}{
		{cell.Linear{}, x, []float64{1, 1, 1}},
		{cell.ReLU{}, []float64{0, 0, 3}, []float64{0, 0, 1}},
		{cell.TanH{}, []float64{math.Tanh(-2), 0, math.Tanh(3)},
			[]float64{1 - math.Pow(math.Tanh(2), 2), 1, 1 - math.Pow(math.Tanh(3), 2)}},
	} {
		out := MustExecOnceN(goBackend, func(x *Node) []*Node {
			y := test.activation.Of(x)
			return []*Node{y, Gradient(ReduceAllSum(y), x)[0]}
		}, x)
		compare(t, "value", flat(t, out[0]), test.want, 1e-15)
		compare(t, "derivative", flat(t, out[1]), test.by, 1e-15)
	}
}
