package cell

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// GlobalGated is the gated recurrent network of W(8): one gate for all units, which all live in the same warped time.
//
//	g = σ(wgx·x + wgh·h + bg)                            (9)
//	h ← g·tanh(Wx·x + Wh·h + b) + (1 − g)·h              (8)
//
// State: h. Weights: "input" [I, H], "bias" [H], zero at first, "recurrent" [H, H], and for the gate "gate input" [I,
// 1], "gate bias" [1], "gate recurrent" [H, 1]. The initial bg is the input-gate bias that the gates' initialization
// draws for one unit; wgx and wgh are drawn as read-outs to one unit. Gate: "gate", g.
type GlobalGated struct {
	Hidden int // H, 1 or more
}

// Layer is that of a Gated whose gates are all the same.
func (n GlobalGated) Layer(inputs int) (Layer, error) {
	gated, _ := Gated(n).Layer(inputs)
	return Layer{
		Weights: append(affineWeights("", inputs, n.Hidden, zeroBias), matrix("gate input", Output, inputs, 1, 1),
			biasVector("gate bias", 1, inputBias), matrix("gate recurrent", Output, n.Hidden, 1, 1)),
		StateDims: gated.StateDims,
		Prepare: func(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
			return gated.Prepare(xs, n.repeated(weights))
		},
		Step: gated.Step, // W(9) and W(8)
		Gates: func(xs []*Node, before *Node, weights map[string]*Node) []Gate {
			return gated.Gates(xs, before, n.repeated(weights))
		},
		masked: gated.masked,
	}, checkHidden(n, n.Hidden)
}

// repeated are the weights of a Gated with the gate's weights repeated for every unit, so that the step's product gives
// g to all of them.
func (n GlobalGated) repeated(weights map[string]*Node) map[string]*Node {
	joined := make(map[string]*Node)
	for _, name := range []string{"input", "bias", "recurrent"} {
		gate := weights["gate "+name]
		dims := slices.Clone(gate.Shape().Dimensions)
		dims[len(dims)-1] = n.Hidden
		joined[name] = Concatenate([]*Node{weights[name], BroadcastToDims(gate, dims...)}, -1)
	}
	return joined
}
