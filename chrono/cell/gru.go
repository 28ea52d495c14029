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
// g, usually called the update gate z, is the gate of W(10), and its bias is what chrono initialization sets: the
// initial bg is the input-gate bias of the gates' initialization; b and br are zero. (PyTorch's and Keras's z is 1 − g:
// weights that move between these libraries and this one change the sign of all of Wxg, Whg and bg, and chrono
// initialization there sets the bias of z to −bg.)
//
// State: h. Weights, r and g side by side in this order: "gate input" [I, 2H], "gate bias" [2H], "gate recurrent"
// [H, 2H]; and "input" [I, H], "bias" [H], "recurrent" [H, H].
type GRU struct {
	Hidden int // H
}

// Validate implements Cell: Hidden must be positive.
func (n GRU) Validate() error { return checkHidden(n, n.Hidden) }

// Weights implements Cell: r and g side by side, then the candidate's. The initial bg is an input gate's bias; br and b
// are zero.
func (n GRU) Weights(inputs int) []Weight {
	return append(affineWeights("gate ", inputs, n.Hidden, zeroBias, inputBias),
		affineWeights("", inputs, n.Hidden, zeroBias)...)
}

// StateDims implements Cell: h, [H].
func (n GRU) StateDims() [][]int { return [][]int{{n.Hidden}} }

// Prepare implements Cell: what Wx·x + b takes before the loop.
func (n GRU) Prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	forGates, gateWeight := prepareAffine(xs[0], weights, "gate ", 2)
	forCandidate, weight := prepareAffine(xs[0], weights, "", 1)
	return append(forGates, forCandidate...), []*Node{gateWeight, weight}
}

// Step implements Cell: r, g, h.
func (n GRU) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h := carry[0]
	gates, candidate := weights[0], weights[1]
	last := len(x) - 1
	z := affine(s, x[:last], h, gates, 2)
	r, g := s.Sigmoid(z[0]), s.Sigmoid(z[1])
	h = blend(g, s.Tanh(affine(s, x[last:], Mul(r, h), candidate, 1)[0]), h)
	return []*Node{h}, []*Node{h}
}

// Gates implements Gater: "update", g.
func (n GRU) Gates(xs []*Node, before *Node, weights map[string]*Node) []Gate {
	return gatesOf(xs[0], before, weights, "gate ", "", "update")
}
