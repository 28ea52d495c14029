package trial

import (
	"cmp"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/given"
)

// RMSprop is the method of Tieleman & Hinton 2012 in the form in which PyTorch computes it, ε outside the root:
//
//	v ← α·v + (1−α)·g²
//	θ ← θ − rate·g/(√v + ε)
//
// GoMLX's RMSProp differs: it divides v by 1−αⁿ at update n, so that its first steps are up to 1/√(1−α) = 3.2 times
// shorter at α = 0.9.
//
// RMSprop{} has the constants of PyTorch, 0.99 and 1e-8. If one field is set, both count as given: in
// RMSprop{Epsilon: 1e-6}, α is 0, and the step is g/(|g| + ε).
type RMSprop struct {
	Alpha   float64 // α, the decay of the running mean of g², 0 or more and below 1; W uses 0.9
	Epsilon float64 // ε, above 0, finite
}

// constants are those of the method, or PyTorch's if none is set.
func (m RMSprop) constants() RMSprop {
	return cmp.Or(m, RMSprop{Alpha: 0.99, Epsilon: 1e-8})
}

func (m RMSprop) Moments() ([]string, error) {
	m = m.constants()
	return []string{"v"}, given.Check(m.Alpha >= 0 && m.Alpha < 1 && m.Epsilon > 0 && given.Finite(m.Epsilon),
		"trial: RMSprop with α %g, ε %g, want 0 ≤ α < 1, ε > 0 and finite", m.Alpha, m.Epsilon)
}

func (m RMSprop) Step(g *graph.Node, moments []*graph.Node, _ *graph.Node) (*graph.Node, []*graph.Node) {
	m = m.constants()
	v := running(moments[0], graph.Square(g), m.Alpha)
	return graph.Div(g, graph.AddScalar(graph.Sqrt(v), m.Epsilon)), []*graph.Node{v}
}

// running is the next value of a running mean: decay·mean + (1−decay)·x.
func running(mean, x *graph.Node, decay float64) *graph.Node {
	return graph.Add(graph.MulScalar(mean, decay), graph.MulScalar(x, 1-decay))
}
