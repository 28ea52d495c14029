package cell

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// GRU is the gated recurrent unit of Cho et al. 2014, in the form of Chung et al. 2014:
//
//	r = σ(Wxr·x + Whr·h + br)
//	g = σ(Wxg·x + Whg·h + bg)
//	h ← g·tanh(Wx·x + Wh·(r·h) + b) + (1 − g)·h
//
// g, usually called the update gate z, is the gate of W(10), and its bias is what chrono initialization sets: bg starts
// as the input-gate bias of the gates' initialization; b and br are zero. (Some libraries have g and 1 − g the other
// way round; there the sign of the bias turns.)
//
// State: h. Weights, r and g side by side in this order: "gate input" [I, 2H], "gate bias" [2H], "gate recurrent"
// [H, 2H]; and "input" [I, H], "bias" [H], "recurrent" [H, H].
type GRU struct {
	Hidden int // H
}

// Validate implements Cell: Hidden must be positive.
func (n GRU) Validate() error { return checkHidden(n, n.Hidden) }

// Weights implements Cell: r and g side by side, then the candidate's.
func (n GRU) Weights(inputs int) []Weight {
	return append(affineWeights("gate ", inputs, n.Hidden, 2), affineWeights("", inputs, n.Hidden, 1)...)
}

// Draw implements Cell: bg starts as an input gate's bias, br and b at zero.
func (n GRU) Draw(d Draws, inputs int) [][]float64 {
	zero := make([]float64, n.Hidden)
	return append(drawAffine(d, "gate ", inputs, zero, d.GateBiases(n.Hidden).Input),
		drawAffine(d, "", inputs, zero)...)
}

// State implements Cell: h, [H].
func (n GRU) StateDims() [][]int { return [][]int{{n.Hidden}} }

// Prepare implements Cell: what Wx·x + b takes before the loop.
func (n GRU) Prepare(xs, weights []*Node) (stepXs, stepWeights []*Node) {
	forGates, gateWeight := prepareAffine(xs[0], weights[0], weights[1], weights[2], 2)
	forCandidate, weight := prepareAffine(xs[0], weights[3], weights[4], weights[5], 1)
	return append(forGates, forCandidate...), []*Node{gateWeight, weight}
}

// Step implements Cell: r, g, h.
func (n GRU) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h := carry[0]
	last := len(x) - 1
	z := affine(s, x[:last], h, weights[0], 2)
	r, g := s.Sigmoid(z[0]), s.Sigmoid(z[1])
	h = blend(g, s.Tanh(affine(s, x[last:], Mul(r, h), weights[1], 1)[0]), h)
	return []*Node{h}, []*Node{h}
}

// Gates implements Gater: "update", g.
func (n GRU) Gates(xs []*Node, before *Node, weights []*Node) []Gate {
	return gatesOf(xs[0], before, weights, "", "update")
}
