package cell

import (
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/internal/given"
	"github.com/warptime/warptime/chrono/internal/require"
)

// NormalState is an initial state drawn from a normal distribution, C(4), around another initial state, with a standard
// deviation that is learned:
//
//	h0 = μ + softplus(σ)·ε,   ε ~ N(0, 1)
//
// so that gradients reach μ and σ through h0 (Kingma & Welling 2013). softplus(σ) = log(1 + exp σ); σ is a variable of
// its own for each unit of each state and each trial, [R, …] under the cell's scope, "first deviation 0" for h and so
// on.
//
// ε [R, B, StateSize] is the last context; those before it are the mean's. The data draw it, as trial.Noise does, so
// that a run is the same when resumed and on every engine. With zeros in its place h0 is the mean.
type NormalState struct {
	Mean      InitialState // μ: Contextual as in C(4), or any other without noise
	Deviation float64      // softplus(σ) before training; above 0, finite
}

func (n NormalState) check() {
	require.That(n.Mean != nil, "%#v: want a mean, such as cell.Contextual{…}", n)
	require.That(!takesNoise(n.Mean), "%#v: want a mean without noise of its own", n)
	require.That(n.Deviation > 0 && given.Finite(n.Deviation), "%#v: want a standard deviation above 0, finite", n)
}

func (n NormalState) Build(scope *model.Scope, g *Graph, want []shapes.Shape, seeds []uint64, context []*Node) []*Node {
	n.check()
	context, noise := splitNoise(n, want, context)
	state := n.Mean.Build(scope, g, want, seeds, context)
	checkStates(n.Mean, state, want)
	sigma := perUnit(scope, g, "first deviation", want, inverseSoftplus(n.Deviation))
	for i := range state {
		state[i] = Add(state[i], Mul(Softplus(sigma[i]), noise[i])) // C(4)
	}
	return state
}

func (NormalState) takesNoise() bool { return true }

// inverseSoftplus is the x with softplus(x) = y, for y > 0.
func inverseSoftplus(y float64) float64 { return y + math.Log(-math.Expm1(-y)) }
