package cell

import (
	"cmp"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/given"
	"github.com/warptime/warptime/chrono/scan"
)

// NetworkGated is the gated recurrent network of W(10) whose gates are computed by a network of their own, the first of
// the two forms that W names below (9). ([Gated] has the other, which reuses h.)
//
//	g = σ(Wgx·x + Wgk·k + bg)                            (9), k is W's h^g
//	k ← tanh(Wkx·x + Wkk·k + bk)                         (2)
//	h ← g·tanh(Wx·x + Wh·h + b) + (1 − g)·h              (10)
//
// The network with state k sees the inputs alone, so that Network says how much of their past the gates can know.
//
// States: h, k. Weights: "input" [I, H], "bias" [H], "recurrent" [H, H]; for k "network input" [I, G], "network bias"
// [G], "network recurrent" [G, G]; and for the gates "gate input" [I, H], "gate bias" [H], "gate recurrent" [G, H]. The
// initial b and bk are zero, bg is the input-gate bias of the gates' initialization, and Wgk is drawn as a read-out's
// matrix. [Builder.Gates] has no gates, which do not follow from x and h.
type NetworkGated struct {
	Hidden  int // H, 1 or more
	Network int // G, 1 or more units of the network that computes the gates
}

func (n NetworkGated) Layer(inputs int) (Layer, error) {
	return Layer{
		Weights: slices.Concat(affineWeights("", inputs, n.Hidden, zeroBias),
			affineWeights("network ", inputs, n.Network, zeroBias),
			[]Weight{
				matrix("gate input", Input, inputs, n.Hidden, 1), biasVector("gate bias", n.Hidden, inputBias),
				matrix("gate recurrent", Output, n.Network, n.Hidden, 1),
			}),
		StateDims: [][]int{{n.Hidden}, {n.Network}}, Prepare: n.prepare, Step: n.step,
	}, cmp.Or(given.Check(n.Network >= 1, "%#v: want Network of 1 or more", n), checkHidden(n, n.Hidden))
}

// prepare is for Wx·x + Wh·h + b and Wkx·x + Wkk·k + bk, and Wgx·x + bg.
func (n NetworkGated) prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	candidate, weight := prepareAffine(xs[0], weights, "", 1)
	network, networkWeight := prepareAffine(xs[0], weights, "network ", 1)
	gate := projectAll(xs[0], weights, "gate ", 1)
	return slices.Concat(candidate, network, gate), []*Node{weight, networkWeight, weights["gate recurrent"]}
}

func (n NetworkGated) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h, k := carry[0], carry[1]
	candidate, network, gate := weights[0], weights[1], weights[2]
	g := s.Sigmoid(Add(x[2], s.Dot(k, gate, 1)[0]))                            // (9)
	h = blend(g, s.Tanh(affine(s, x[:1], h, candidate, 1)[0]), h)              // (10)
	return []*Node{h, s.Tanh(affine(s, x[1:2], k, network, 1)[0])}, []*Node{h} // (2)
}
