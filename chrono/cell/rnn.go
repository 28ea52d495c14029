package cell

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// RNN is the plain recurrent network of W(2):
//
//	h ← tanh(Wx·x + Wh·h + b)
//
// State: h. Weights: "input" [I, H], "bias" [H], zero at first, "recurrent" [H, H]. It has no gates.
type RNN struct {
	Hidden int // H, 1 or more
}

func (r RNN) Layer(inputs int) (Layer, error) {
	return Layer{
		Weights: affineWeights("", inputs, r.Hidden, zeroBias), StateDims: [][]int{{r.Hidden}},
		Prepare: prepareBlocks(r, r.Hidden, 1), Step: r.step, masked: true,
		others: []string{"leak", "gate input", "gain"},
	}, checkHidden(r, r.Hidden)
}

func (r RNN) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h := s.Tanh(affine(s, x, recalled(carry[0], weights[1:]), weights[0], 1)[0]) // W(2)
	return []*Node{h}, []*Node{h}
}
