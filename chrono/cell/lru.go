package cell

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// LRU is the linear recurrent unit of Orvieto et al. 2023, H complex numbers that turn and shrink:
//
//	h ← λ·h + γ·(B·x),  λ = exp(−exp(ν) + i·exp(θ)),  γ = √(1 − |λ|²) at first
//
// It is the leaky network W(5) with complex leaks, and without a squashing function: nothing in its clock depends on
// the input. |λ| = 1 − 1/T at first, with the time scale T of each unit as the gates' initialization draws it, or
// T = 2 without [Builder.GateInit]; the angle exp(θ) is uniform in [0, 2π]. Its output is h as 2H real numbers; that
// paper's read-out is affine in these and in x.
//
// States: Re h and Im h, [H] each. Output: both side by side, [2H]. Weights: "input" [I, 2H], Re B and Im B side by
// side; "decay" [H], ν; "angle" [H], θ; "scale" [H], log γ.
type LRU struct {
	Hidden int // H, 1 or more
}

func (l LRU) Layer(inputs int) (Layer, error) {
	logSize := func(scale float64) float64 { return math.Log1p(-1 / scale) } // log |λ|
	angle := func(d Draws, units int) []float64 {
		rng, out := d.RNG(), make([]float64, units)
		for u := range out {
			out[u] = math.Log(2 * math.Pi * (1 - rng.Float64())) // never 0
		}
		return out
	}
	weights := []Weight{
		matrix("input", Input, inputs, l.Hidden, 2),
		biasVector("decay", l.Hidden, ofScale(func(scale float64) float64 { return logOf(-logSize(scale)) })),
		biasVector("angle", l.Hidden, angle),
		biasVector("scale", l.Hidden, ofScale(func(scale float64) float64 {
			return logOf(-math.Expm1(2*logSize(scale))) / 2
		})),
	}
	return Layer{
		Weights: weights, StateDims: [][]int{{l.Hidden}, {l.Hidden}}, Prepare: l.prepare, Step: l.step,
	}, checkHidden(l, l.Hidden)
}

// prepare is γ·(B·x) for all steps at once, and λ [R, B, H].
func (l LRU) prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	scale := Reshape(Exp(weights["scale"]), 1, -1, 1, l.Hidden)
	for _, part := range Split(weights["input"], -1, 2) {
		stepXs = append(stepXs, Mul(scale, project(xs[0], part)))
	}
	size, angle := Exp(Neg(Exp(weights["decay"]))), Exp(weights["angle"])
	return stepXs, []*Node{copies(Mul(size, Cos(angle)), xs), copies(Mul(size, Sin(angle)), xs)}
}

func (l LRU) step(_ *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	re, im, cos, sin := carry[0], carry[1], weights[0], weights[1]
	next := []*Node{
		Add(Sub(Mul(re, cos), Mul(im, sin)), x[0]), Add(Add(Mul(re, sin), Mul(im, cos)), x[1]),
	}
	return next, []*Node{Concatenate(next, -1)}
}
