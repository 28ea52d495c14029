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
// The initial b is zero, and bg the input-gate bias of the gates' initialization.
type Gated struct {
	Hidden int // H
}

// Validate implements Cell: Hidden must be positive.
func (n Gated) Validate() error { return checkHidden(n, n.Hidden) }

// Weights implements Cell: candidate and gate side by side. The initial bg is an input gate's bias, b is zero.
func (n Gated) Weights(inputs int) []Weight {
	return affineWeights("", inputs, n.Hidden, zeroBias, inputBias)
}

// StateDims implements Cell: h, [H].
func (n Gated) StateDims() [][]int { return [][]int{{n.Hidden}} }

// Prepare implements Cell: what Wx·x + b takes before the loop.
func (n Gated) Prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	stepXs, weight := prepareAffine(xs[0], weights, "", 2)
	return stepXs, []*Node{weight}
}

// Step implements Cell: W(9) and W(10).
func (n Gated) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	z := affine(s, x, carry[0], weights[0], 2)
	h := blend(s.Sigmoid(z[1]), s.Tanh(z[0]), carry[0]) // (9), (10)
	return []*Node{h}, []*Node{h}
}

// Gates implements Gater: "gate", g.
func (n Gated) Gates(xs []*Node, before *Node, weights map[string]*Node) []Gate {
	return gatesOf(xs[0], before, weights, "", "", "gate") // (9)
}
