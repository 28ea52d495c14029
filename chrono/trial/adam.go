package trial

import (
	"cmp"
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/given"
)

// Adam is the method of Kingma & Ba 2015, Algorithm 1. At update n:
//
//	m ← β₁·m + (1−β₁)·g
//	v ← β₂·v + (1−β₂)·g²
//	θ ← θ − rate·m̂/(√v̂ + ε),   m̂ = m/(1−β₁ⁿ), v̂ = v/(1−β₂ⁿ)
//
// Adam{} has the constants of their paper, which are PyTorch's too: 0.9, 0.999 and 1e-8. If any field is set, all three
// count as given: in Adam{Epsilon: 1e-6}, β₁ and β₂ are 0, and the step is g/(|g| + ε).
type Adam struct {
	Beta1, Beta2 float64 // β₁, β₂, 0 or more and below 1
	Epsilon      float64 // ε, above 0, finite
}

// constants are those of the method, or those of the paper if none is set.
func (a Adam) constants() Adam {
	return cmp.Or(a, Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8})
}

func (a Adam) Moments() ([]string, error) {
	a = a.constants()
	valid := a.Beta1 >= 0 && a.Beta1 < 1 && a.Beta2 >= 0 && a.Beta2 < 1 && a.Epsilon > 0 && given.Finite(a.Epsilon)
	return []string{"m", "v"}, given.Check(valid,
		"trial: Adam with β₁ %g, β₂ %g, ε %g, want 0 ≤ β < 1, ε > 0 and finite", a.Beta1, a.Beta2, a.Epsilon)
}

func (a Adam) Step(g *graph.Node, moments []*graph.Node, n *graph.Node) (*graph.Node, []*graph.Node) {
	a = a.constants()
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
