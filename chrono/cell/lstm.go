package cell

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// LSTM is the long short-term memory of W(11)–(15), without peepholes:
//
//	i = σ(Wxi·x + Whi·h + bi)                 (11)
//	f = σ(Wxf·x + Whf·h + bf)                 (12)
//	c ← f·c + i·tanh(Wxc·x + Whc·h + bc)      (13)
//	o = σ(Wxo·x + Who·h + bo)                 (14)
//	h ← o·tanh(c)                             (15)
//
// States: h, c. Weights, the gates side by side in the order i, f, c, o: "input" [I, 4H], "bias" [4H], "recurrent"
// [H, 4H]. The initial bi and bf come from the gates' initialization; bc and bo are zero. Gates: "input", i, and
// "forget", f.
type LSTM struct {
	Hidden int // H, 1 or more
}

const lstmGates = 4

// lstmBiases are those of i, f, c, o.
var lstmBiases = []biasInit{inputBias, forgetBias, zeroBias, zeroBias}

func (l LSTM) Layer(inputs int) (Layer, error) {
	return Layer{
		Weights: affineWeights("", inputs, l.Hidden, lstmBiases...), StateDims: [][]int{{l.Hidden}, {l.Hidden}},
		Prepare: prepareBlocks(l, l.Hidden, lstmGates), Step: l.step, Gates: gatesOf("", "input", "forget"),
		others: []string{"cell gain"}, masked: true,
	}, checkHidden(l, l.Hidden)
}

func (l LSTM) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h, c := carry[0], carry[1]
	z := affine(s, x, recalled(h, weights[1:]), weights[0], lstmGates)
	i, f := s.Sigmoid(z[0]), s.Sigmoid(z[1]) // (11), (12)
	c = Add(Mul(f, c), Mul(i, s.Tanh(z[2]))) // (13)
	h = Mul(s.Sigmoid(z[3]), Tanh(c))        // (14), (15)
	return []*Node{h, c}, []*Node{h}
}
