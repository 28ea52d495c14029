package trial

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/given"
)

// Adam is the method of Kingma & Ba 2015, Algorithm 1. At update n:
//
//	m ← β₁·m + (1−β₁)·g
//	v ← β₂·v + (1−β₂)·g²
//	θ ← θ − rate·m̂/(√v̂ + ε),   m̂ = m/(1−β₁ⁿ), v̂ = v/(1−β₂ⁿ)
type Adam struct {
	Beta1, Beta2 float64 // β₁, β₂; 0.9 and 0.999 in their paper
	Epsilon      float64 // ε; 1e-8 there
}

// DefaultAdam is Adam with the constants of Kingma & Ba 2015, which are PyTorch's too.
func DefaultAdam() Adam { return Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8} }

// Moments implements Method: m and v.
func (Adam) Moments() []string { return []string{"m", "v"} }

func (a Adam) Step(g *graph.Node, moments []*graph.Node, n *graph.Node) (*graph.Node, []*graph.Node) {
	m := running(moments[0], g, a.Beta1)
	v := running(moments[1], graph.Square(g), a.Beta2)
	step := graph.Div(unbiased(m, a.Beta1, n), graph.AddScalar(graph.Sqrt(unbiased(v, a.Beta2, n)), a.Epsilon))
	return step, []*graph.Node{m, v}
}

// unbiased divides a running mean by 1−βⁿ, the part of it that comes from its n values and not from the zero it began
// with. As −expm1(n·log β) it is as exact as the floats are; 1 − β is not, in float32, where β is near 1.
func unbiased(mean *graph.Node, beta float64, n *graph.Node) *graph.Node {
	if beta == 0 {
		return mean // and not a division by 1 that is computed from the logarithm of 0
	}
	return graph.Div(mean, graph.Neg(graph.Expm1(graph.MulScalar(n, math.Log(beta)))))
}

// Validate returns a one-line error unless 0 ≤ β₁, β₂ < 1, ε > 0 and finite.
func (a Adam) Validate() error {
	return given.Check(a.Beta1 >= 0 && a.Beta1 < 1 && a.Beta2 >= 0 && a.Beta2 < 1 && a.Epsilon > 0 &&
		given.Finite(a.Epsilon),
		"trial: Adam with β₁ %g, β₂ %g, ε %g, want 0 ≤ β < 1, ε > 0 and finite", a.Beta1, a.Beta2, a.Epsilon)
}
