package cell

import (
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/scan"
)

// Gated is the gated recurrent network of W(10), with a gate for each unit and the forget gate tied to it:
//
//	g = σ(Wgx·x + Wgh·h + bg)                            (9)
//	h ← g·tanh(Wx·x + Wh·h + b) + (1 − g)·h              (10)
//
// State: h. Weights, candidate and gate side by side in this order: "input" [I, 2H], "bias" [2H], "recurrent" [H, 2H]. At
// the start b is zero and bg the input-gate bias of the gates' initialization.
type Gated struct {
	Hidden int // H
}

func (n Gated) Weights(inputs int) []Weight { return gates(inputs, n.Hidden, 2) }

func (n Gated) Init(rng *rand.Rand, inputs int, gates chrono.Init) [][]float64 {
	return initGates(rng, inputs, n.Hidden, make([]float64, n.Hidden), gates(rng, n.Hidden).Input)
}

func (n Gated) State() [][]int { return [][]int{{n.Hidden}} }

func (n Gated) Prepare(xs, weights []*Node) (stepXs, stepWeights []*Node) {
	stepXs, weight := enter(xs[0], weights[0], weights[1], weights[2], 2)
	return stepXs, []*Node{weight}
}

func (n Gated) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	z := affine(s, x, carry[0], weights[0], 2)
	h := blend(Sigmoid(z[1]), Tanh(z[0]), carry[0]) // (9), (10)
	return []*Node{h}, []*Node{h}
}

// GlobalGated is the gated recurrent network of W(8): one gate for all units, which all live in the same warped time.
//
//	g = σ(wgx·x + wgh·h + bg)                            (9)
//	h ← g·tanh(Wx·x + Wh·h + b) + (1 − g)·h              (8)
//
// State: h. Weights: "input" [I, H], "bias" [H], zero at the start, "recurrent" [H, H], and for the gate "gate input" [I, 1],
// "gate bias" [1], "gate recurrent" [H, 1]. bg starts as the input-gate bias that the gates' initialization draws for one unit.
type GlobalGated struct {
	Hidden int // H
}

func (n GlobalGated) Weights(inputs int) []Weight {
	return append(gates(inputs, n.Hidden, 1),
		Weight{"gate input", []int{inputs, 1}}, Weight{"gate bias", []int{1}}, Weight{"gate recurrent", []int{n.Hidden, 1}})
}

func (n GlobalGated) Init(rng *rand.Rand, inputs int, gates chrono.Init) [][]float64 {
	weights := initGates(rng, inputs, n.Hidden, make([]float64, n.Hidden))
	return append(weights, glorot(rng, inputs, 1), gates(rng, 1).Input, glorot(rng, n.Hidden, 1))
}

func (n GlobalGated) State() [][]int { return [][]int{{n.Hidden}} }

// Prepare repeats the gate's weights for every unit, so that the step's product gives g to all of them.
func (n GlobalGated) Prepare(xs, weights []*Node) (stepXs, stepWeights []*Node) {
	joined := make([]*Node, 3)
	for i := range joined {
		gate := weights[3+i]
		dims := slices.Clone(gate.Shape().Dimensions)
		dims[len(dims)-1] = n.Hidden
		joined[i] = Concatenate([]*Node{weights[i], BroadcastToDims(gate, dims...)}, -1)
	}
	return Gated{n.Hidden}.Prepare(xs, joined)
}

func (n GlobalGated) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	return Gated{n.Hidden}.Step(s, carry, x, weights)
}
