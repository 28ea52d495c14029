package cell

import (
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/warptime/warptime/chrono"
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
// [H, 4H]. At the start bi and bf come from the gates' initialization; bc and bo are zero.
type LSTM struct {
	Hidden int // H
}

const lstmBlocks = 4

func (l LSTM) Weights(inputs int) []Weight {
	return []Weight{
		{"input", []int{inputs, lstmBlocks * l.Hidden}},
		{"bias", []int{lstmBlocks * l.Hidden}},
		{"recurrent", []int{l.Hidden, lstmBlocks * l.Hidden}},
	}
}

func (l LSTM) Init(rng *rand.Rand, inputs int, gates chrono.Init) [][]float64 {
	var input, recurrent [][]float64
	for range lstmBlocks {
		input = append(input, glorot(rng, inputs, l.Hidden))
		recurrent = append(recurrent, orthogonal(rng, l.Hidden))
	}
	biases := gates(rng, l.Hidden)
	zero := make([]float64, l.Hidden)
	return [][]float64{
		beside(inputs, input...),
		slices.Concat(biases.Input, biases.Forget, zero, zero),
		beside(l.Hidden, recurrent...),
	}
}

func (l LSTM) State() [][]int { return [][]int{{l.Hidden}, {l.Hidden}} }

// Prepare chooses where the inputs meet their weights. With few features, I < H, that is the loop: x joins h in the one
// product of a step, which costs less than to write and read 4H numbers for every input. Else it is here, for all steps in
// one product. Both give the same result but for rounding.
func (l LSTM) Prepare(xs, weights []*Node) (stepXs, stepWeights []*Node) {
	x, input, recurrent := withOne(xs[0]), withBias(weights[0], weights[1]), weights[2]
	if xs[0].Shape().Dimensions[3] < l.Hidden {
		return []*Node{x}, []*Node{Concatenate([]*Node{input, recurrent}, 1)}
	}
	for gate := range lstmBlocks {
		block := SliceAxis(input, -1, AxisRange(gate*l.Hidden, (gate+1)*l.Hidden))
		stepXs = append(stepXs, project(x, block))
	}
	return stepXs, []*Node{recurrent}
}

func (l LSTM) Step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h, c := carry[0], carry[1]
	var z []*Node
	if len(x) == 1 {
		z = s.Dot(Concatenate([]*Node{x[0], h}, -1), weights[0], lstmBlocks)
	} else {
		z = s.Dot(h, weights[0], lstmBlocks)
		for gate := range z {
			z[gate] = Add(z[gate], x[gate])
		}
	}
	i, f := Sigmoid(z[0]), Sigmoid(z[1])   // (11), (12)
	c = Add(Mul(f, c), Mul(i, Tanh(z[2]))) // (13)
	h = Mul(Sigmoid(z[3]), Tanh(c))        // (14), (15)
	return []*Node{h, c}, []*Node{h}
}
