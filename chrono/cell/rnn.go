package cell

import (
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/scan"
)

// RNN is the plain recurrent network of W(2):
//
//	h ← tanh(Wx·x + Wh·h + b)
//
// State: h. Weights: "input" [I, H], "bias" [H], zero at the start, "recurrent" [H, H]. It has no gates, so their
// initialization is not used.
type RNN struct {
	Hidden int // H
}

func (r RNN) Weights(inputs int) []Weight { return gates(inputs, r.Hidden, 1) }

func (r RNN) Init(rng *rand.Rand, inputs int, _ chrono.Init) [][]float64 {
	return initGates(rng, inputs, r.Hidden, make([]float64, r.Hidden))
}

func (r RNN) State() [][]int { return [][]int{{r.Hidden}} }

func (r RNN) Prepare(xs, weights []*Node) (stepXs, stepWeights []*Node) {
	stepXs, weight := enter(xs[0], weights[0], weights[1], weights[2], 1)
	return stepXs, []*Node{weight}
}

func (r RNN) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h := Tanh(affine(s, x, carry[0], weights[0], 1)[0]) // W(2)
	return []*Node{h}, []*Node{h}
}
