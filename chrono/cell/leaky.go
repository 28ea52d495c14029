package cell

import (
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/scan"
)

// Leaky is the leaky recurrent network of W(5), with a leak of its own for each unit:
//
//	h ← α·tanh(Wx·x + Wh·h + b) + (1 − α)·h
//
// α is learned and stays between 0 and 1: it is σ(a), and a starts as the input-gate bias of the gates' initialization,
// so that 1/α, the unit's forgetting time, is the time scale that was drawn.
//
// State: h. Weights: "input" [I, H], "bias" [H], zero at the start, "recurrent" [H, H], "leak" [H], which is a.
type Leaky struct {
	Hidden int // H
}

func (l Leaky) Weights(inputs int) []Weight {
	return append(gates(inputs, l.Hidden, 1), Weight{"leak", []int{l.Hidden}})
}

func (l Leaky) Init(rng *rand.Rand, inputs int, gates chrono.Init) [][]float64 {
	weights := initGates(rng, inputs, l.Hidden, make([]float64, l.Hidden))
	return append(weights, gates(rng, l.Hidden).Input)
}

func (l Leaky) State() [][]int { return [][]int{{l.Hidden}} }

func (l Leaky) Prepare(xs, weights []*Node) (stepXs, stepWeights []*Node) {
	stepXs, weight := enter(xs[0], weights[0], weights[1], weights[2], 1)
	trials, batch := xs[0].Shape().Dimensions[1], xs[0].Shape().Dimensions[2]
	leak := BroadcastToDims(InsertAxes(Sigmoid(weights[3]), 1), trials, batch, l.Hidden)
	return stepXs, []*Node{weight, leak}
}

func (l Leaky) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h, alpha := carry[0], weights[1]
	candidate := Tanh(affine(s, x, h, weights[0], 1)[0])
	h = blend(alpha, candidate, h) // W(5)
	return []*Node{h}, []*Node{h}
}

// blend is g·candidate + (1 − g)·h, one Euler step of W(7), with one product less.
func blend(g, candidate, h *Node) *Node {
	return Add(h, Mul(g, Sub(candidate, h)))
}
