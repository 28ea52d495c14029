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
// The initial b is zero, and bg the input-gate bias of the gates' initialization. Gate: "gate", g.
type Gated struct {
	Hidden int // H, 1 or more
}

func (n Gated) Layer(inputs int) (Layer, error) {
	return Layer{
		Weights: affineWeights("", inputs, n.Hidden, zeroBias, inputBias), StateDims: [][]int{{n.Hidden}},
		Prepare: prepareBlocks(n, n.Hidden, 2), Step: n.step, Gates: gatesOf("", "", "gate"), masked: true,
		others: []string{"recurrent 2"},
	}, checkHidden(n, n.Hidden)
}

func (n Gated) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	z := affine(s, x, recalled(carry[0], weights[1:]), weights[0], 2)
	h := blend(s.Sigmoid(z[1]), s.Tanh(z[0]), carry[0]) // (9), (10)
	return []*Node{h}, []*Node{h}
}
