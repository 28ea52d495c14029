package cell

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/given"
	"github.com/warptime/warptime/chrono/scan"
)

// RHN is the recurrent highway network of Zilly et al. 2017, "Recurrent Highway Networks": a step of time goes through
// Depth layers, each of them a [Gated] network whose past is the layer before, and with s(0) = h of the step before
//
//	s(l) = z(l)·t(l) + s(l−1)·c(l),   h ← s(Depth)
//	z(l) = tanh(Wz·x + Rz(l)·s(l−1) + bz(l))
//	t(l) = σ(Wt·x + Rt(l)·s(l−1) + bt(l))
//	c(l) = 1 − t(l)
//
// Only the first layer has Wz·x and Wt·x. The last equation is the coupled form, with which they got their
// results: the carry gate c has no weights of its own.
//
// A transform gate t that stays where it is keeps (1−t)^Depth of the state in one step of time, not 1 − t: time
// scales in steps are those of the gates divided by Depth (W footnote 9).
//
// The carry gate is a forget gate: the initial bt is the negative of the gates' Forget, the same in all layers. So
// chrono.Standard{Forget: 2} makes the transform gates of Zilly et al., whose bias is −2; and
// chrono.Range{Min: 2, Max: 12} has bt = −b in all layers with one b ~ log U(1, 11) for each unit. (W Appendix A says
// "transform gate biases to b". That would close the carry; only your own GateInit with Forget = −b does it.)
//
// An optional second input is a mask, [B, H] or [R, B, H], of your own for [Builder.RecurrentDropout]; put it under
// StopGradient. The products then take mask·s(l−1) in place of s(l−1) at every step and in every layer.
//
// State: h. Weights, z and t side by side in this order: "input" [I, 2H], "bias" [2H], "recurrent" [H, 2H], and for
// each layer l from 2 on "bias l" [2H], "recurrent l" [H, 2H]. Gates: "transform 1", the t of the first layer, to
// "transform Depth". A unit's time scale in steps is 1/(1 − (1−t)^Depth), near 1/(Depth·t) where t is small. From the
// second layer on t is σ of its bias if bz is zero in the layers before, too.
type RHN struct {
	Hidden int     // H, 1 or more
	Depth  int     // layers, 1 or more
	Spread float64 // the initial bz is drawn from U(−Spread, Spread), 0.04 in Zilly et al.; finite, 0 or more
}

func (n RHN) Layer(inputs int) (Layer, error) {
	candidate := func(d Draws, units int) []float64 { return uniform(d.RNG(), units, n.Spread) }
	transform := func(d Draws, units int) []float64 {
		return xslices.Map(forgetBias(d, units), func(bias float64) float64 { return -bias })
	}
	weights := affineWeights("", inputs, n.Hidden, candidate, transform)
	for layer := 2; layer <= n.Depth; layer++ {
		weights = append(weights, biasVector(inLayer("bias", layer), n.Hidden, candidate, transform),
			matrix(inLayer("recurrent", layer), Recurrent, n.Hidden, n.Hidden, 2))
	}
	return Layer{
		Weights: weights, StateDims: [][]int{{n.Hidden}}, Prepare: n.prepare, Step: n.step, Gates: n.gates,
		others: []string{inLayer("recurrent", n.Depth+1)}, masked: true,
	}, n.check()
}

func (n RHN) check() error {
	return cmp.Or(
		given.Check(n.Depth >= 1, "%#v: want Depth of 1 or more", n),
		given.Check(n.Spread >= 0 && given.Finite(n.Spread), "%#v: want a finite Spread of 0 or more", n),
		checkHidden(n, n.Hidden))
}

// inLayer names a weight; those of the first layer are named as other cells' are.
func inLayer(name string, layer int) string {
	if layer == 1 {
		return name
	}
	return fmt.Sprintf("%s %d", name, layer)
}

// prepare is for Wx·x + Wh·h + b; for each further layer its matrix, bz and bt [R, B, H]; and the mask if there is one.
func (n RHN) prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	stepXs, weight := prepareAffine(xs[0], weights, "", 2)
	stepWeights = []*Node{weight}
	for layer := 2; layer <= n.Depth; layer++ {
		recurrent, bias := weights[inLayer("recurrent", layer)], Split(weights[inLayer("bias", layer)], -1, 2)
		stepWeights = append(stepWeights, recurrent, copies(bias[0], xs), copies(bias[1], xs))
	}
	return stepXs, append(stepWeights, maskOf(n, xs, n.Hidden)...)
}

func (n RHN) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h, first, rest := carry[0], weights[0], weights[1:]
	further, mask := rest[:3*(n.Depth-1)], rest[3*(n.Depth-1):] // the mask is one node, or none
	z := affine(s, x, recalled(h, mask), first, 2)
	h = blend(s.Sigmoid(z[1]), s.Tanh(z[0]), h)
	for layer := range slices.Chunk(further, 3) {
		recurrent, bz, bt := layer[0], layer[1], layer[2]
		z = s.Dot(recalled(h, mask), recurrent, 2)
		z[0], z[1] = Add(z[0], bz), Add(z[1], bt)
		h = blend(s.Sigmoid(z[1]), s.Tanh(z[0]), h)
	}
	return []*Node{h}, []*Node{h}
}

func (n RHN) gates(xs []*Node, before *Node, weights map[string]*Node) []Gate {
	var gates []Gate
	s := before
	for layer := 1; layer <= n.Depth; layer++ {
		bias, recurrent := weights[inLayer("bias", layer)], weights[inLayer("recurrent", layer)]
		read, weight := recalled(s, xs[1:]), recurrent
		if layer == 1 {
			read, weight = Concatenate([]*Node{xs[0], read}, -1), Concatenate([]*Node{weights["input"], weight}, 1)
		}
		read, weight = withOne(read), Concatenate([]*Node{weight, InsertAxes(bias, 1)}, 1)
		z := Tanh(project(read, column(weight, 0, n.Hidden)))
		t := Sigmoid(project(read, column(weight, 1, n.Hidden)))
		gates = append(gates, Gate{fmt.Sprintf("transform %d", layer), t, column(bias, 1, n.Hidden)})
		s = blend(t, z, s)
	}
	return gates
}
