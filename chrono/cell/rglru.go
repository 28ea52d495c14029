package cell

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// RGLRU is the real-gated linear recurrent unit of Griffin (De et al. 2024), whose gates see the input alone:
//
//	r = σ(Wr·x + br),  i = σ(Wi·x + bi)
//	a = exp(−8·r·softplus(p))
//	h ← a·h + √(1 − a²)·i·(Wx·x + b)
//
// Griffin's own has no Wx, since a layer and a convolution stand before it ([Dense], [Convolution]), and its Wr and Wi
// are block-diagonal. All biases are zero at first, and p is such that a = 1 − 1/T at r = 1/2, with the time scale T of
// each unit as the gates' initialization draws it, or T = 2 without [Builder.GateInit].
//
// State: h. Weights, candidate, r and i side by side: "input" [I, 3H], "bias" [3H]; "decay" [H], which is p.
type RGLRU struct {
	Hidden int // H, 1 or more
}

// sharpness is the constant c of Griffin, the 8 in a.
const sharpness = 8

func (l RGLRU) Layer(inputs int) (Layer, error) {
	return Layer{
		Weights: []Weight{
			matrix("input", Input, inputs, l.Hidden, 3), biasVector("bias", l.Hidden, zeroBias, zeroBias, zeroBias),
			biasVector("decay", l.Hidden, ofScale(func(scale float64) float64 {
				softplus := -2. / sharpness * math.Log1p(-1/scale)
				return logOf(math.Expm1(softplus))
			})),
		},
		StateDims: [][]int{{l.Hidden}}, Prepare: l.prepare, Step: affineStep,
	}, checkHidden(l, l.Hidden)
}

// prepare is a and u of h ← a·h + u, as scan.Affine takes them.
func (l RGLRU) prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	z := projectAll(xs[0], weights, "", 3)
	decay := Reshape(Softplus(weights["decay"]), 1, -1, 1, l.Hidden)
	logA := MulScalar(Mul(Sigmoid(z[1]), decay), -sharpness)
	// 1 − a² without cancellation, which is 2τ/(1 + τ) with τ = tanh(−log a); GoMLX has no gradient of Expm1.
	tau := Tanh(Neg(logA))
	square := Div(MulScalar(tau, 2), OnePlus(tau))
	// Where a is 1, the root has an infinite derivative, and times the zero of what is before it that would be NaN.
	zero := ZerosLike(square)
	still := Equal(square, zero)
	root := Where(still, zero, Sqrt(Where(still, OnesLike(square), square)))
	return []*Node{Exp(logA), Mul(root, Mul(Sigmoid(z[2]), z[0]))}, nil
}

// logOf is log x, finite where x is 0, too, as where a time scale is beyond float64: exp is then 0 in every type.
func logOf(x float64) float64 { return max(math.Log(x), -1000) }
