package cell

import (
	"cmp"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/given"
	"github.com/warptime/warptime/chrono/scan"
)

// FastWeights is the network of Ba et al. 2016, "Using Fast Weights to Attend to the Recent Past": besides h it
// remembers a matrix A of fast weights, which every step learns by Hebb's rule, decays, and reads S times:
//
//	z = Wx·x + Wh·h + b
//	h₀ = f(z)
//	h ← h_S,  h_s = f(LN[z + A·h_{s−1}])      for s = 1 … S
//	A ← λ·A + η·h·hᵀ
//
// Two orders are published. In Ba et al. a step reads the A of the previous step, and A is updated afterwards with the
// new h, as above. In the code of C's authors (Preliminary), A is updated first, with the preliminary state:
// A ← λ·A + η·h₀·h₀ᵀ precedes the reading. They write h·A for A·h; this is equivalent, with the initial A transposed.
//
// States: h [H] and A [H, H]. Weights: "input" [I, H], "bias" [H], zero at first, "recurrent" [H, H]; and, if layer
// normalization is learned, "gain" [H], one at first, and "shift" [H], zero at first. It has no gates.
type FastWeights struct {
	Hidden      int           // H, 1 or more
	Decay       float64       // λ, from 0 to 1
	Rate        float64       // η, 0 or more
	Inner       int           // S, 1 or more
	Preliminary bool          // A learns from h₀ before it is read, instead of from h_S afterwards
	Activation  Activation    // f, ReLU{} in both papers
	Norm        Normalization // LN
}

// Normalization is layer normalization (Ba, Kiros & Hinton 2016): with mean and variance over the H units of v,
//
//	LN[v] = gain·(v − mean)/√(variance + ε) + shift
type Normalization struct {
	Epsilon float64 // ε, above 0, finite
	Learned bool    // gain and shift are learned; else they are 1 and 0
}

func (f FastWeights) Layer(inputs int) (Layer, error) {
	weights := affineWeights("", inputs, f.Hidden, zeroBias)
	if f.Norm.Learned {
		weights = append(weights, vector("gain", f.Hidden, 1), vector("shift", f.Hidden, 0))
	}
	return Layer{
		Weights: weights, StateDims: [][]int{{f.Hidden}, {f.Hidden, f.Hidden}}, Prepare: f.prepare, Step: f.step,
		others: []string{"leak", "gate input", "gain"},
	}, f.check()
}

func (f FastWeights) check() error {
	return cmp.Or(
		given.Check(f.Decay >= 0 && f.Decay <= 1, "%#v: want Decay from 0 to 1", f),
		given.Check(f.Rate >= 0 && given.Finite(f.Rate), "%#v: want a finite Rate of 0 or more", f),
		given.Check(f.Inner >= 1, "%#v: want Inner of 1 or more", f),
		given.Check(f.Activation != nil, "%#v: want an Activation, such as cell.ReLU{}", f),
		given.Check(f.Norm.Epsilon > 0 && given.Finite(f.Norm.Epsilon), "%#v: want a finite Norm.Epsilon above 0", f),
		checkHidden(f, f.Hidden))
}

// prepare is for Wx·x + Wh·h + b; the matrix [R, H, H] by which a product is a mean over the units; and gain and shift
// [R, B, H].
func (f FastWeights) prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	stepXs, weight := prepareAffine(xs[0], weights, "", 1)
	stepWeights = []*Node{weight, DivScalar(OnesLike(weights["recurrent"]), f.Hidden)}
	if f.Norm.Learned {
		stepWeights = append(stepWeights, copies(weights["gain"], xs), copies(weights["shift"], xs))
	}
	return stepXs, stepWeights
}

func (f FastWeights) step(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h, fast := carry[0], carry[1]
	weight, norm := weights[0], weights[1:]
	z := affine(s, x, h, weight, 1)[0]
	h = f.Activation.Of(z)
	if f.Preliminary {
		fast = f.learn(fast, h)
	}
	for range f.Inner {
		h = f.Activation.Of(normalize(s, Add(z, recall(fast, h)), norm, f.Norm.Epsilon)) // Ba et al. (2)
	}
	if !f.Preliminary {
		fast = f.learn(fast, h)
	}
	return []*Node{h, fast}, []*Node{h}
}

// learn is λ·A + η·h·hᵀ, (1).
func (f FastWeights) learn(fast, h *Node) *Node {
	outer := DotGeneral(MulScalar(h, f.Rate), nil, []int{0, 1}, h, nil, []int{0, 1})
	return Add(MulScalar(fast, f.Decay), outer)
}

// recall is A·h for every sequence, [R, B, H].
func recall(fast, h *Node) *Node {
	return DotGeneral(fast, []int{3}, []int{0, 1}, h, []int{2}, []int{0, 1})
}

// normalize is layer normalization of v [R, B, H]. The weights are the matrix of means, and gain and shift if there are
// any. The means come from a product, already there for every unit, which trained records hold to the last bit.
func normalize(s *scan.Ctx, v *Node, weights []*Node, epsilon float64) *Node {
	average, learned := weights[0], weights[1:]
	v = Sub(v, s.Dot(v, average, 1)[0])
	variance := s.Dot(Square(v), average, 1)[0]
	v = Div(v, Sqrt(AddScalar(variance, epsilon)))
	if len(learned) > 0 {
		gain, shift := learned[0], learned[1]
		v = Add(Mul(v, gain), shift)
	}
	return v
}
