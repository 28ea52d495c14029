package cell

import (
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/scan"
)

// GRU is the gated recurrent unit of Cho et al. 2014, in the form of Chung et al. 2014:
//
//	r = σ(Wxr·x + Whr·h + br)
//	g = σ(Wxg·x + Whg·h + bg)
//	h ← g·tanh(Wx·x + Wh·(r·h) + b) + (1 − g)·h
//
// g, usually called the update gate z, is the gate of W(10), and its bias is what chrono initialization sets: bg starts as the
// input-gate bias of the gates' initialization; b and br are zero. (Some libraries have g and 1 − g the other way round;
// there the sign of the bias turns.)
//
// State: h. Weights, r and g side by side in this order: "gate input" [I, 2H], "gate bias" [2H], "gate recurrent" [H, 2H];
// and "input" [I, H], "bias" [H], "recurrent" [H, H].
type GRU struct {
	Hidden int // H
}

func (n GRU) Weights(inputs int) []Weight {
	list := gates(inputs, n.Hidden, 2)
	for i := range list {
		list[i].Name = "gate " + list[i].Name
	}
	return append(list, gates(inputs, n.Hidden, 1)...)
}

func (n GRU) Init(rng *rand.Rand, inputs int, gates chrono.Init) [][]float64 {
	zero := make([]float64, n.Hidden)
	return append(initGates(rng, inputs, n.Hidden, zero, gates(rng, n.Hidden).Input),
		initGates(rng, inputs, n.Hidden, zero)...)
}

func (n GRU) State() [][]int { return [][]int{{n.Hidden}} }

func (n GRU) Prepare(xs, weights []*Node) (stepXs, stepWeights []*Node) {
	forGates, gateWeight := enter(xs[0], weights[0], weights[1], weights[2], 2)
	forCandidate, weight := enter(xs[0], weights[3], weights[4], weights[5], 1)
	return append(forGates, forCandidate...), []*Node{gateWeight, weight}
}

func (n GRU) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h := carry[0]
	last := len(x) - 1
	z := affine(s, x[:last], h, weights[0], 2)
	r, g := Sigmoid(z[0]), Sigmoid(z[1])
	h = blend(g, Tanh(affine(s, x[last:], Mul(r, h), weights[1], 1)[0]), h)
	return []*Node{h}, []*Node{h}
}
