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
// State: h. Weights: "input" [I, H], "bias" [H], zero at first, "recurrent" [H, H], "leak" [H], which is a.
type Leaky struct {
	Hidden int // H
}

// Validate implements Cell: Hidden must be positive.
func (l Leaky) Validate() error { return checkHidden(l, l.Hidden) }

// Weights implements Cell: those of Wx·x + Wh·h + b, where b is zero at first; and a.
func (l Leaky) Weights(inputs int) []Weight {
	return append(affineWeights("", inputs, l.Hidden, zeroBias), biasVector("leak", l.Hidden, inputBias))
}

// StateDims implements Cell: h, [H].
func (l Leaky) StateDims() [][]int { return [][]int{{l.Hidden}} }

// Prepare implements Cell: what Wx·x + b takes before the loop, and α [R, B, H].
func (l Leaky) Prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	stepXs, weight := prepareAffine(xs[0], weights, "", 1)
	trials, batch := xs[0].Shape().Dimensions[1], xs[0].Shape().Dimensions[2]
	leak := BroadcastToDims(InsertAxes(Sigmoid(weights["leak"]), 1), trials, batch, l.Hidden)
	return stepXs, []*Node{weight, leak}
}

// Step implements Cell: W(5).
func (l Leaky) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h, alpha := carry[0], weights[1]
	candidate := s.Tanh(affine(s, x, h, weights[0], 1)[0])
	h = blend(alpha, candidate, h) // W(5)
	return []*Node{h}, []*Node{h}
}

// Gates implements Gater: "leak", α, the same at every step.
func (l Leaky) Gates(_ []*Node, before *Node, weights map[string]*Node) []Gate {
	alpha := Reshape(Sigmoid(weights["leak"]), 1, -1, 1, l.Hidden)
	return []Gate{{"leak", BroadcastToShape(alpha, before.Shape()), weights["leak"]}}
}

// blend is g·candidate + (1 − g)·h, one Euler step of W(7), with one product less.
func blend(g, candidate, h *Node) *Node {
	return Add(h, Mul(g, Sub(candidate, h)))
}
