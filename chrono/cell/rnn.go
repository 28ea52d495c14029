package cell

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// RNN is the plain recurrent network of W(2):
//
//	h ← tanh(Wx·x + Wh·h + b)
//
// State: h. Weights: "input" [I, H], "bias" [H], zero at first, "recurrent" [H, H]. It has no gates.
type RNN struct {
	Hidden int // H
}

// Validate implements Cell: Hidden must be positive.
func (r RNN) Validate() error { return checkHidden(r, r.Hidden) }

// Weights implements Cell: those of Wx·x + Wh·h + b, where b is zero at first.
func (r RNN) Weights(inputs int) []Weight { return affineWeights("", inputs, r.Hidden, zeroBias) }

// StateDims implements Cell: h, [H].
func (r RNN) StateDims() [][]int { return [][]int{{r.Hidden}} }

// Prepare implements Cell: what Wx·x + b takes before the loop.
func (r RNN) Prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	stepXs, weight := prepareAffine(xs[0], weights, "", 1)
	return stepXs, []*Node{weight}
}

// Step implements Cell: W(2).
func (r RNN) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h := s.Tanh(affine(s, x, carry[0], weights[0], 1)[0]) // W(2)
	return []*Node{h}, []*Node{h}
}
