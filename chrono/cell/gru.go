package cell

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// GRU is the gated recurrent unit of Cho et al. 2014, in the form of Chung et al. 2014:
//
//	r = σ(Wxr·x + Whr·h + br)
//	g = σ(Wxg·x + Whg·h + bg)
//	h ← g·tanh(Wx·x + b + Wh·(r·h)) + (1 − g)·h
//
// or, with ResetAfter, in that of PyTorch's nn.GRU, Keras and cuDNN, where r comes after the product:
//
//	h ← g·tanh(Wx·x + b + r·(Wh·h + bh)) + (1 − g)·h
//
// g, usually called the update gate z, is the gate of W(10), and its bias is the one that chrono initialization sets:
// the initial bg is the input-gate bias of the gates' initialization; the other biases are zero. (PyTorch's and Keras's
// z is 1 − g. To convert weights, negate Wxg, Whg and bg, as [FromTorch] does. For chrono initialization in those
// libraries, set the bias of z to −bg.)
//
// State: h. Weights, r and g side by side in this order: "gate input" [I, 2H], "gate bias" [2H], "gate recurrent"
// [H, 2H]; and "input" [I, H], "bias" [H], "recurrent" [H, H]; with ResetAfter also "recurrent bias" bh [H].
type GRU struct {
	Hidden     int  // H
	ResetAfter bool `json:",omitzero"` // records without it have Chung et al.'s form
}

// Validate implements Cell: Hidden must be positive.
func (n GRU) Validate() error { return checkHidden(n, n.Hidden) }

// Weights implements Cell: r and g side by side, then the candidate's. The initial bg is an input gate's bias; br, b
// and bh are zero.
func (n GRU) Weights(inputs int) []Weight {
	list := append(affineWeights("gate ", inputs, n.Hidden, zeroBias, inputBias),
		affineWeights("", inputs, n.Hidden, zeroBias)...)
	if n.ResetAfter {
		list = append(list, biasVector("recurrent bias", n.Hidden, zeroBias))
	}
	return list
}

// StateDims implements Cell: h, [H].
func (n GRU) StateDims() [][]int { return [][]int{{n.Hidden}} }

// Prepare implements Cell: what Wx·x + b takes before the loop; with ResetAfter all of it, the recurrent weights of r,
// g and the candidate side by side, and bh [R, B, H].
func (n GRU) Prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	if n.ResetAfter {
		dims := xs[0].Shape().Dimensions
		stepXs = append(projectAll(xs[0], weights, "gate ", 2), projectAll(xs[0], weights, "", 1)...)
		recurrent := Concatenate([]*Node{weights["gate recurrent"], weights["recurrent"]}, -1)
		bias := BroadcastToDims(InsertAxes(weights["recurrent bias"], 1), dims[1], dims[2], n.Hidden)
		return stepXs, []*Node{recurrent, bias}
	}
	forGates, gateWeight := prepareAffine(xs[0], weights, "gate ", 2)
	forCandidate, weight := prepareAffine(xs[0], weights, "", 1)
	return append(forGates, forCandidate...), []*Node{gateWeight, weight}
}

// Step implements Cell: r, g, h.
func (n GRU) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h := carry[0]
	if n.ResetAfter {
		z, bias := s.Dot(h, weights[0], 3), weights[1]
		r, g := s.Sigmoid(Add(x[0], z[0])), s.Sigmoid(Add(x[1], z[1]))
		h = blend(g, s.Tanh(Add(x[2], Mul(r, Add(z[2], bias)))), h)
		return []*Node{h}, []*Node{h}
	}
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
