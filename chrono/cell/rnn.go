package cell

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// RNN is the plain recurrent network of W(2):
//
//	h ← tanh(Wx·x + Wh·h + b)
//
// State: h. Weights: "input" [I, H], "bias" [H], zero at the start, "recurrent" [H, H]. It has no gates.
type RNN struct {
	Hidden int // H
}

// Validate implements Cell: Hidden must be positive.
func (r RNN) Validate() error { return checkHidden(r, r.Hidden) }

// Weights implements Cell: those of Wx·x + Wh·h + b.
func (r RNN) Weights(inputs int) []Weight { return affineWeights("", inputs, r.Hidden, 1) }

// Draw implements Cell: b starts at zero.
func (r RNN) Draw(d Draws, inputs int) [][]float64 {
	return drawAffine(d, "", inputs, make([]float64, r.Hidden))
}

// State implements Cell: h, [H].
func (r RNN) StateDims() [][]int { return [][]int{{r.Hidden}} }

// Prepare implements Cell: what Wx·x + b takes before the loop.
func (r RNN) Prepare(xs, weights []*Node) (stepXs, stepWeights []*Node) {
	stepXs, weight := prepareAffine(xs[0], weights[0], weights[1], weights[2], 1)
	return stepXs, []*Node{weight}
}

// Step implements Cell: W(2).
func (r RNN) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h := s.Tanh(affine(s, x, carry[0], weights[0], 1)[0]) // W(2)
	return []*Node{h}, []*Node{h}
}
