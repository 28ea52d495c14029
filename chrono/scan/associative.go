package scan

import (
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/require"
)

// Associative computes a recurrence without a loop, if one step after another is again a step of the same form. xs
// describe the steps, [T, …] each; combine takes the descriptions of equally many earlier and later steps, and returns
// those of both together. The results, of the shapes of xs, describe at t all steps from 0 to t. For h ← a·h + u,
//
//	combine([a0, u0], [a1, u1]) = [a1·a0, a1·u0 + u1]
//
// and the second result is h after each step, from h = 0 at first; see [Affine].
//
// It takes about 2·log₂ T products one after the other, where the loop takes T, and twice the arithmetic (Blelloch
// 1990): it is for devices with many processors. On CPUs [New] is faster. It is plain graph code that GoMLX
// differentiates. It panics if xs are none, differ in T, or have no steps.
func Associative(combine func(earlier, later []*Node) []*Node, xs ...*Node) []*Node {
	require.That(len(xs) > 0, "scan.Associative: no inputs, want one or more")
	steps := xs[0].Shape().Dim(0)
	for i, x := range xs {
		require.That(x.Shape().Dim(0) == steps && steps > 0, "scan.Associative: input %d is %s, want as many steps as "+
			"input 0 has, %d, and 1 or more", i, x.Shape(), steps)
	}
	if steps == 1 {
		return xs
	}
	// every returns steps from, from+2, …
	every := func(xs []*Node, from, to int) []*Node {
		return xslices.Map(xs, func(x *Node) *Node { return SliceAxis(x, 0, AxisRange(from, to).Stride(2)) })
	}
	pairs := steps / 2
	odd := Associative(combine, combine(every(xs, 0, 2*pairs), every(xs, 1, 2*pairs))...) // up to steps 1, 3, …
	even := every(xs, 0, 1)
	if rest := (steps - 1) / 2; rest > 0 { // steps 2, 4, …
		later := combine(first(odd, rest), every(xs, 2, steps))
		for i := range even {
			even[i] = Concatenate([]*Node{even[i], later[i]}, 0)
		}
	}
	out := make([]*Node, len(xs))
	for i := range xs {
		dims := xs[i].Shape().Clone().Dimensions
		dims[0] = 2 * pairs
		out[i] = Reshape(Stack([]*Node{first(even, pairs)[i], odd[i]}, 1), dims...)
		if steps > 2*pairs {
			out[i] = Concatenate([]*Node{out[i], SliceAxis(even[i], 0, AxisRangeToEnd(pairs))}, 0)
		}
	}
	return out
}

// first are the first n steps.
func first(xs []*Node, n int) []*Node {
	return xslices.Map(xs, func(x *Node) *Node { return SliceAxis(x, 0, AxisRange(0, n)) })
}

// Affine is the combine of [Associative] for h ← a·h + u: steps are [a, u].
func Affine(earlier, later []*Node) []*Node {
	a0, u0, a1, u1 := earlier[0], earlier[1], later[0], later[1]
	return []*Node{Mul(a1, a0), Add(Mul(a1, u0), u1)}
}
