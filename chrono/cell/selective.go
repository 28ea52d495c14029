package cell

import (
	"cmp"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/given"
	"github.com/warptime/warptime/chrono/scan"
)

// Selective is the selective state space layer of Mamba (Gu & Dao 2023), N states for each of H units:
//
//	v = Wv·x + bv,  Δ = softplus(WΔ·x + bΔ)        [H]
//	B = WB·x,  C = WC·x                             [N]
//	h ← exp(Δ·A)·h + Δ·B·v,  A < 0                  [N, H]
//	y = h·C + D·v                                   [H]
//
// With one state and A = −1, exp(−Δ) = 1 − σ(WΔ·x + bΔ): it is W(10) with the gate σ(WΔ·x + bΔ) of the input alone
// (Theorem 1 of that paper). So the bias of a time scale is that of W(16), and bΔ is the input-gate bias of the gates'
// initialization; state n of a unit forgets n times as fast. Mamba's own initialization is about chrono.MambaScales;
// without [Builder.GateInit], the time scale is 2 steps.
//
// Mamba's own has no Wv, since a layer, a convolution and SiLU stand before it ([Dense], [Convolution]), and its WΔ has
// a low rank.
//
// State: h, as [N, H]. Output: y. Weights: "input" [I, 2H] and "bias" [2H], of v and Δ side by side; "in" and
// "out" [I, N], which are WB and WC; "decay" [N·H], log(−A), at first log 1 … log N for each unit; "skip" [H], D, at
// first 1.
type Selective struct {
	Hidden int // H, 1 or more
	States int // N, 1 or more, 16 in Mamba
}

func (c Selective) Layer(inputs int) (Layer, error) {
	return Layer{
		Weights: []Weight{
			matrix("input", Input, inputs, c.Hidden, 2), biasVector("bias", c.Hidden, zeroBias, inputBias),
			matrix("in", Input, inputs, c.States, 1), matrix("out", Input, inputs, c.States, 1),
			{"decay", []int{c.States * c.Hidden}, func(Draws) (rows []float64) {
				for n := range c.States {
					rows = append(rows, slices.Repeat([]float64{math.Log(float64(n + 1))}, c.Hidden)...)
				}
				return rows
			}},
			vector("skip", c.Hidden, 1),
		},
		StateDims: [][]int{{c.States, c.Hidden}}, Prepare: c.prepare, Step: c.step,
	}, cmp.Or(given.Check(c.States >= 1, "%#v: want States of 1 or more", c), checkHidden(c, c.Hidden))
}

// prepare is Δ, Δ·v, B, C and D·v for all steps at once, and A.
func (c Selective) prepare(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
	z := projectAll(xs[0], weights, "", 2)
	v, delta := z[0], Softplus(z[1])
	stepXs = []*Node{ // [T, R, B, 1, H] twice, [T, R, B, N, 1] twice, [T, R, B, H]
		InsertAxes(delta, -2), InsertAxes(Mul(delta, v), -2), InsertAxes(project(xs[0], weights["in"]), -1),
		InsertAxes(project(xs[0], weights["out"]), -1), Mul(Reshape(weights["skip"], 1, -1, 1, c.Hidden), v),
	}
	return stepXs, []*Node{Reshape(Neg(Exp(weights["decay"])), -1, 1, c.States, c.Hidden)}
}

func (c Selective) step(_ *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
	h := Add(Mul(Exp(Mul(x[0], weights[0])), carry[0]), Mul(x[1], x[2]))
	return []*Node{h}, []*Node{Add(ReduceSum(Mul(h, x[3]), -2), x[4])}
}
