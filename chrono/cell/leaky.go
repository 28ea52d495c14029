package cell

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// Leaky is the leaky recurrent network of W(5), with a leak of its own for each unit:
//
//	h ← α·tanh(Wx·x + Wh·h + b) + (1 − α)·h
//
// α is learned and stays between 0 and 1: it is σ(a). The initial a is the input-gate bias of the gates'
// initialization, so that 1/α, the unit's forgetting time, is the time scale that was drawn.
//
// State: h. Weights: "input" [I, H], "bias" [H], zero at first, "recurrent" [H, H], "leak" [H], which is a. Gate:
// "leak", α, the same at every step.
type Leaky struct {
	Hidden int // H, 1 or more
}

func (l Leaky) Layer(inputs int) (Layer, error) {
	return Layer{
		Weights:   append(affineWeights("", inputs, l.Hidden, zeroBias), biasVector("leak", l.Hidden, inputBias)),
		StateDims: [][]int{{l.Hidden}}, Prepare: l.prepare, Step: l.step, Gates: l.gates, masked: true,
	}, checkHidden(l, l.Hidden)
}

// prepare is for Wx·x + Wh·h + b, and α [R, B, H].
func (l Leaky) prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	stepXs, weight := prepareAffine(xs[0], weights, "", 1)
	return stepXs, append([]*Node{weight, copies(Sigmoid(weights["leak"]), xs)}, maskOf(l, xs, l.Hidden)...)
}

func (l Leaky) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h, alpha := carry[0], weights[1]
	candidate := s.Tanh(affine(s, x, recalled(h, weights[2:]), weights[0], 1)[0])
	h = blend(alpha, candidate, h) // W(5)
	return []*Node{h}, []*Node{h}
}

func (l Leaky) gates(_ []*Node, before *Node, weights map[string]*Node) []Gate {
	alpha := Reshape(Sigmoid(weights["leak"]), 1, -1, 1, l.Hidden)
	return []Gate{{"leak", BroadcastToShape(alpha, before.Shape()), weights["leak"]}}
}

// blend is g·candidate + (1 − g)·h, one Euler step of W(7), with one product less.
func blend(g, candidate, h *Node) *Node {
	return Add(h, Mul(g, Sub(candidate, h)))
}
