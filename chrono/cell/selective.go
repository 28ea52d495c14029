package cell

import (
	"fmt"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// Selective is the selective state space layer of Mamba (Gu & Dao 2023), N states for each of H units:
//
//	v = Wv·x + bv,  Δ = softplus(WΔ·x + bΔ)        [H]
//	B = WB·x,  C = WC·x                             [N]
//	h ← exp(Δ·A)·h + Δ·B·v,  A < 0                  [H, N]
//	y = h·C + D·v                                   [H]
//
// With one state and A = −1, exp(−Δ) = 1 − σ(WΔ·x + bΔ): it is W(10) with the gate σ(WΔ·x + bΔ) of the input alone
// (Theorem 1 of that paper). So the bias of a time scale is that of W(16), and bΔ is the input-gate bias of the gates'
// initialization; state n of a unit forgets n times as fast. Mamba's own initialization is about chrono.MambaScales.
//
// Mamba's own has no Wv, since a layer, a convolution and SiLU stand before it ([Dense], [Convolution]), and its WΔ has
// a low rank.
//
// States: N of them, [H] each. Output: y. Weights: "input" [I, 2H] and "bias" [2H], of v and Δ side by side; "in" and
// "out" [I, N], which are WB and WC; "decay" [H·N], log(−A), at first log 1 … log N for each unit; "skip" [H], D, at
// first 1.
type Selective struct {
	Hidden int // H
	States int // N, 16 in Mamba
}

// Validate implements Cell: Hidden and States must be positive.
func (c Selective) Validate() error {
	if c.States < 1 {
		return fmt.Errorf("%#v: want States of 1 or more", c)
	}
	return checkHidden(c, c.Hidden)
}

// Weights implements Cell.
func (c Selective) Weights(inputs int) []Weight {
	return []Weight{
		matrix("input", Input, inputs, c.Hidden, 2), biasVector("bias", c.Hidden, zeroBias, inputBias),
		matrix("in", Input, inputs, c.States, 1), matrix("out", Input, inputs, c.States, 1),
		{"decay", []int{c.Hidden * c.States}, func(Draws) []float64 {
			row := make([]float64, c.States)
			for n := range row {
				row[n] = math.Log(float64(n + 1))
			}
			return slices.Repeat(row, c.Hidden)
		}},
		vector("skip", c.Hidden, 1),
	}
}

// StateDims implements Cell: N times [H].
func (c Selective) StateDims() [][]int { return slices.Repeat([][]int{{c.Hidden}}, c.States) }

// Prepare implements Cell: D·v, and for each state exp(Δ·A), Δ·B·v and C, [T, R, B, H] each. The loop broadcasts
// nothing: GoMLX's Go backend (compute v0.1.6) fails in loops that do.
func (c Selective) Prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	z := projectAll(xs[0], weights, "", 2)
	v, delta := z[0], Softplus(z[1])
	in, out := project(xs[0], weights["in"]), project(xs[0], weights["out"])
	rate := Reshape(Exp(weights["decay"]), 1, -1, 1, c.Hidden, c.States)
	stepXs = []*Node{Mul(Reshape(weights["skip"], 1, -1, 1, c.Hidden), v)}
	for n := range c.States {
		of := func(x *Node) *Node { return SliceAxis(x, -1, AxisElem(n)) }
		stepXs = append(stepXs, Exp(Neg(Mul(delta, Squeeze(of(rate), -1)))), Mul(Mul(delta, of(in)), v),
			BroadcastToShape(of(out), v.Shape()))
	}
	return stepXs, nil
}

// Step implements Cell.
func (c Selective) Step(_ *scan.Ctx, carry, x, _ []*Node) (nextCarry, y []*Node) {
	sum := x[0]
	for n, h := range carry {
		h = Add(Mul(x[1+3*n], h), x[2+3*n])
		nextCarry, sum = append(nextCarry, h), Add(sum, Mul(h, x[3+3*n]))
	}
	return nextCarry, []*Node{sum}
}
