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
// Gate: "update", g.
type GRU struct {
	Hidden     int  // H, 1 or more
	ResetAfter bool `json:",omitzero"` // records without it have Chung et al.'s form
}

func (n GRU) Layer(inputs int) (Layer, error) {
	weights := append(affineWeights("gate ", inputs, n.Hidden, zeroBias, inputBias),
		affineWeights("", inputs, n.Hidden, zeroBias)...)
	if n.ResetAfter {
		weights = append(weights, biasVector("recurrent bias", n.Hidden, zeroBias))
	}
	return Layer{
		Weights: weights, StateDims: [][]int{{n.Hidden}},
		Prepare: n.prepare, Step: n.step, Gates: gatesOf("gate ", "", "update"),
		others: []string{"recurrent bias", "input gain"}, masked: true,
	}, checkHidden(n, n.Hidden)
}

// prepare is for Wx·x + Wh·h + b of the gates and of the candidate; with ResetAfter, all of Wx·x + b, the recurrent
// weights of r, g and the candidate side by side, and bh [R, B, H].
func (n GRU) prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	if n.ResetAfter {
		stepXs = append(projectAll(xs[0], weights, "gate ", 2), projectAll(xs[0], weights, "", 1)...)
		recurrent := Concatenate([]*Node{weights["gate recurrent"], weights["recurrent"]}, -1)
		bias := copies(weights["recurrent bias"], xs)
		return stepXs, append([]*Node{recurrent, bias}, maskOf(n, xs, n.Hidden)...)
	}
	forGates, gateWeight := prepareAffine(xs[0], weights, "gate ", 2)
	forCandidate, weight := prepareAffine(xs[0], weights, "", 1)
	stepWeights = append([]*Node{gateWeight, weight}, maskOf(n, xs, n.Hidden)...)
	return append(forGates, forCandidate...), stepWeights
}

func (n GRU) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h := recalled(carry[0], weights[2:])
	if n.ResetAfter {
		z, bias := s.Dot(h, weights[0], 3), weights[1]
		r, g := s.Sigmoid(Add(x[0], z[0])), s.Sigmoid(Add(x[1], z[1]))
		h = blend(g, s.Tanh(Add(x[2], Mul(r, Add(z[2], bias)))), carry[0])
		return []*Node{h}, []*Node{h}
	}
	gates, candidate := weights[0], weights[1]
	last := len(x) - 1
	z := affine(s, x[:last], h, gates, 2)
	r, g := s.Sigmoid(z[0]), s.Sigmoid(z[1])
	h = blend(g, s.Tanh(affine(s, x[last:], Mul(r, h), candidate, 1)[0]), carry[0])
	return []*Node{h}, []*Node{h}
}
