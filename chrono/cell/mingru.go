package cell

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// MinGRU is the minimal GRU of Feng et al. 2024 ("Were RNNs all we needed?"): W(10) with a gate and a candidate that
// see the input alone, so that the step is affine in h.
//
//	z = σ(Wz·x + bz)
//	h ← z·(Wx·x + b) + (1 − z)·h
//
// A gate of x cannot depend on what the network remembers: it can tell padding from letters, and cannot tell whether a
// letter is a repeated one. The paper's layers have no biases; bz is the input-gate bias of the gates' initialization,
// 1/σ(bz) being the unit's time scale, and b is zero at first. Without [Builder.GateInit], that is 2 steps.
//
// State: h. Weights, candidate and gate side by side in this order: "input" [I, 2H], "bias" [2H]. Gate: "gate", z.
type MinGRU struct {
	Hidden int // H, 1 or more
}

func (m MinGRU) Layer(inputs int) (Layer, error) {
	return Layer{
		Weights: []Weight{
			matrix("input", Input, inputs, m.Hidden, 2), biasVector("bias", m.Hidden, zeroBias, inputBias),
		},
		StateDims: [][]int{{m.Hidden}}, Prepare: m.prepare, Step: affineStep, Gates: m.gates,
		others: []string{"recurrent", "in", "decay"},
	}, checkHidden(m, m.Hidden)
}

// prepare is a = 1 − z and u = z·(Wx·x + b) of h ← a·h + u, as scan.Affine takes them.
func (m MinGRU) prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	z := projectAll(xs[0], weights, "", 2)
	gate := Sigmoid(z[1])
	return []*Node{OneMinus(gate), Mul(gate, z[0])}, nil
}

// affineStep is h ← a·h + u.
func affineStep(_ *scan.Ctx, carry, x, _ []*Node) (nextCarry, y []*Node) {
	h := Add(Mul(x[0], carry[0]), x[1])
	return []*Node{h}, []*Node{h}
}

func (m MinGRU) gates(xs []*Node, _ *Node, weights map[string]*Node) []Gate {
	gate := Sigmoid(projectAll(xs[0], weights, "", 2)[1])
	return []Gate{{"gate", gate, column(weights["bias"], 1, m.Hidden)}}
}
