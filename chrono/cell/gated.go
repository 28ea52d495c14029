package cell

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// Gated is the gated recurrent network of W(10), with a gate for each unit and the forget gate tied to it:
//
//	g = σ(Wgx·x + Wgh·h + bg)                            (9)
//	h ← g·tanh(Wx·x + Wh·h + b) + (1 − g)·h              (10)
//
// State: h. Weights, candidate and gate side by side in this order: "input" [I, 2H], "bias" [2H], "recurrent" [H, 2H].
// At the start b is zero and bg the input-gate bias of the gates' initialization.
type Gated struct {
	Hidden int // H
}

// Validate implements Cell: Hidden must be positive.
func (n Gated) Validate() error { return checkHidden(n, n.Hidden) }

// Weights implements Cell: candidate and gate side by side.
func (n Gated) Weights(inputs int) []Weight { return affineWeights("", inputs, n.Hidden, 2) }

// Draw implements Cell: bg starts as an input gate's bias, b at zero.
func (n Gated) Draw(d Draws, inputs int) [][]float64 {
	return drawAffine(d, "", inputs, make([]float64, n.Hidden), d.GateBiases(n.Hidden).Input)
}

// State implements Cell: h, [H].
func (n Gated) StateDims() [][]int { return [][]int{{n.Hidden}} }

// Prepare implements Cell: what Wx·x + b takes before the loop.
func (n Gated) Prepare(xs, weights []*Node) (stepXs, stepWeights []*Node) {
	stepXs, weight := prepareAffine(xs[0], weights[0], weights[1], weights[2], 2)
	return stepXs, []*Node{weight}
}

// Step implements Cell: W(9) and W(10).
func (n Gated) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	z := affine(s, x, carry[0], weights[0], 2)
	h := blend(s.Sigmoid(z[1]), s.Tanh(z[0]), carry[0]) // (9), (10)
	return []*Node{h}, []*Node{h}
}

// Gates implements Gater: "gate", g.
func (n Gated) Gates(xs []*Node, before *Node, weights []*Node) []Gate {
	return gatesOf(xs[0], before, weights, "", "gate") // (9)
}
