package cell_test

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// ReLU is NaN where its input is, and its derivative at 0 is 0. (TestInitialStates compares activations elsewhere.)
func TestReLU(t *testing.T) {
	out := MustExecOnceN(goBackend, func(x *Node) []*Node {
		y := cell.ReLU{}.Of(x)
		return []*Node{y, Gradient(ReduceAllSum(y), x)[0]}
	}, []float64{-2, 0, 3, math.NaN()})
	check.Near(t, flat(t, out[0]), []float64{0, 0, 3, math.NaN()}, 0, "value")
	check.Equal(t, flat(t, out[1])[:3], []float64{0, 0, 1}, "derivative")
}
