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
// States: h, c. Weights, side by side in the order i, c, o: "input" [I, 3H], "bias" [3H], "recurrent" [H, 3H].
type TiedLSTM struct {
	Hidden int // H
}

const tiedGates = 3

// Validate implements Cell: Hidden must be positive.
func (l TiedLSTM) Validate() error { return checkHidden(l, l.Hidden) }

// Weights implements Cell: i, c, o side by side. The initial bi is an input gate's bias; bc and bo are zero.
func (l TiedLSTM) Weights(inputs int) []Weight {
	return affineWeights("", inputs, l.Hidden, inputBias, zeroBias, zeroBias)
}

// StateDims implements Cell: h and c, [H] each.
func (l TiedLSTM) StateDims() [][]int { return [][]int{{l.Hidden}, {l.Hidden}} }

// Prepare implements Cell: what Wx·x + b takes before the loop.
func (l TiedLSTM) Prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	stepXs, weight := prepareAffine(xs[0], weights, "", tiedGates)
	return stepXs, []*Node{weight}
}

// Step implements Cell.
func (l TiedLSTM) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h, c := carry[0], carry[1]
	z := affine(s, x, h, weights[0], tiedGates)
	c = blend(s.Sigmoid(z[0]), s.Tanh(z[1]), c)
	h = Mul(s.Sigmoid(z[2]), Tanh(c))
	return []*Node{h, c}, []*Node{h}
}

// Gates implements Gater: "input", i.
func (l TiedLSTM) Gates(xs []*Node, before *Node, weights map[string]*Node) []Gate {
	return gatesOf(xs[0], before, weights, "", "input", "", "")
}
