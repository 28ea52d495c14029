package trial

import (
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
type RMSprop struct {
	Alpha   float64 // α, the decay of the running mean of g²; W uses 0.9
	Epsilon float64 // ε
}

// DefaultRMSprop is RMSprop with the constants of PyTorch, whose α is not W's.
func DefaultRMSprop() RMSprop { return RMSprop{Alpha: 0.99, Epsilon: 1e-8} }

// Moments implements Method: v.
func (RMSprop) Moments() []string { return []string{"v"} }

func (m RMSprop) Step(g *graph.Node, moments []*graph.Node, _ *graph.Node) (*graph.Node, []*graph.Node) {
	v := running(moments[0], graph.Square(g), m.Alpha)
	return graph.Div(g, graph.AddScalar(graph.Sqrt(v), m.Epsilon)), []*graph.Node{v}
}

// Validate returns a one-line error unless 0 ≤ α < 1, ε > 0 and finite.
func (m RMSprop) Validate() error {
	return given.Check(m.Alpha >= 0 && m.Alpha < 1 && m.Epsilon > 0 && given.Finite(m.Epsilon),
		"trial: RMSprop with α %g, ε %g, want 0 ≤ α < 1, ε > 0 and finite", m.Alpha, m.Epsilon)
}

// running is the next value of a running mean: decay·mean + (1−decay)·x.
func running(mean, x *graph.Node, decay float64) *graph.Node {
	return graph.Add(graph.MulScalar(mean, decay), graph.MulScalar(x, 1-decay))
}
