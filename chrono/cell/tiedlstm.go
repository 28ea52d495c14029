package cell

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// TiedLSTM is the [LSTM] of W(11)–(15) with its forget gate tied to the input gate, as in W(10):
//
//	i = σ(Wxi·x + Whi·h + bi)
//	c ← i·tanh(Wxc·x + Whc·h + bc) + (1 − i)·c
//	o = σ(Wxo·x + Who·h + bo)
//	h ← o·tanh(c)
//
// i is the gate g of W(10), and its bias is what chrono initialization sets: the initial bi is the input-gate bias of
// the gates' initialization; bc and bo are zero. An LSTM with chrono initialization begins with biases that are tied
// likewise, and may learn to part them.
//
// States: h, c. Weights, side by side in the order i, c, o: "input" [I, 3H], "bias" [3H], "recurrent" [H, 3H]. Gate:
// "input", i.
type TiedLSTM struct {
	Hidden int // H, 1 or more
}

const tiedGates = 3

func (l TiedLSTM) Layer(inputs int) (Layer, error) {
	return Layer{
		Weights:   affineWeights("", inputs, l.Hidden, inputBias, zeroBias, zeroBias),
		StateDims: [][]int{{l.Hidden}, {l.Hidden}},
		Prepare:   prepareBlocks(l, l.Hidden, tiedGates), Step: l.step, Gates: gatesOf("", "input"), masked: true,
	}, checkHidden(l, l.Hidden)
}

func (l TiedLSTM) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h, c := carry[0], carry[1]
	z := affine(s, x, recalled(h, weights[1:]), weights[0], tiedGates)
	c = blend(s.Sigmoid(z[0]), s.Tanh(z[1]), c)
	h = Mul(s.Sigmoid(z[2]), Tanh(c))
	return []*Node{h, c}, []*Node{h}
}
