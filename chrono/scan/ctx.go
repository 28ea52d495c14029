package scan

import (
	"slices"

	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/internal/require"
)

// Ctx gives a step products and activations whose results the loop keeps for the backward pass.
type Ctx struct {
	weights []*Node
	dots    []dot   // the products made so far in this step
	keep    []*Node // results that the backward loop will need: of products and activations, in the order of the calls
	dry     bool    // this is the dry run

	// In the backward loop only: what was kept of this step, and where the gradients go.
	kept []*Node
	back *chunkGradient
}

// next is the kept value of the call that is made now.
func (c *Ctx) next() *Node {
	node := c.kept[0]
	c.kept = c.kept[1:]
	return node
}

// dot is one product of a step.
type dot struct {
	weight int // index into weights
	lhs    *Node
	out    *Node
	parts  []*noted // the equal parts of its last axis; in the backward loop only
}

// Dot returns the matrix product lhs·w of lhs [R, B, K] and w [R, K, N], split along the last axis into the given
// number of equal parts: each [R, B, N/parts]. There may be any leading axes in place of R. w must be one of the step's
// weights.
//
// Use it for every product with a weight. Its result is stored for the backward loop instead of being recomputed, w's
// gradient is one product per chunk of steps, and the gradients of the parts are concatenated instead of being padded
// and added.
//
// Like all graph-building functions it panics if w is not one of the step's weights, if types, ranks, leading axes or K
// do not match, or if N is not a multiple of parts.
func (c *Ctx) Dot(lhs, w *Node, parts int) []*Node {
	weight := slices.Index(c.weights, w)
	require.That(weight >= 0, "scan: Dot needs one of the weights that the step was given")
	rank := lhs.Rank()
	require.That(rank >= 2 && w.Rank() == rank, "scan: Dot of shapes %s and %s: they need equal rank, at least 2",
		lhs.Shape(), w.Shape())
	left, right := lhs.Shape().Dimensions, w.Shape().Dimensions
	require.That(lhs.DType() == w.DType() && left[rank-1] == right[rank-2] &&
		slices.Equal(left[:rank-2], right[:rank-2]),
		"scan: Dot of shapes %s and %s: want [R, B, K] and [R, K, N] of one type, R and K the same", lhs.Shape(),
		w.Shape())
	require.That(parts >= 1 && right[rank-1]%parts == 0, "scan: Dot cannot cut %d columns into %d equal parts",
		right[rank-1], parts)
	if c.back != nil {
		return c.keptDot(lhs, weight, parts)
	}
	out := product(lhs, w)
	c.keep = append(c.keep, out)
	c.dots = append(c.dots, dot{weight: weight, lhs: lhs, out: out})
	return Split(c.result("Dot", out), -1, parts)
}

// Sigmoid returns 1/(1 + e⁻ˣ) of x, of any shape. Its value is stored for the backward loop instead of being
// recomputed. If a product is used only by such activations, its own value is not needed then, and engines that remove
// dead code do not store it.
func (c *Ctx) Sigmoid(x *Node) *Node {
	return c.activation("Sigmoid", x, Sigmoid, func(dy, y *Node) *Node { return Mul(dy, Mul(y, OneMinus(y))) })
}

// Tanh is the hyperbolic tangent, any shape. As with Sigmoid, its value is kept.
func (c *Ctx) Tanh(x *Node) *Node {
	return c.activation("Tanh", x, Tanh, func(dy, y *Node) *Node { return Mul(dy, OneMinus(Mul(y, y))) })
}

// activation is f(x), whose gradient follows from its value.
func (c *Ctx) activation(method string, x *Node, f func(*Node) *Node, gradient func(dy, y *Node) *Node) *Node {
	if c.back == nil {
		y := f(x)
		c.keep = append(c.keep, y)
		return c.result(method, y)
	}
	y := &noted{value: c.next()}
	c.back.sends(x, func() *Node {
		if y.gradient == nil {
			return nil
		}
		return gradient(y.gradient, y.value)
	})
	return c.back.note(y)
}

// result is what a method returns. In the dry run, it panics when the step itself differentiates it. In the backward
// loop it would be a kept value, at which the step's own gradient ends without a word.
func (c *Ctx) result(method string, node *Node) *Node {
	if !c.dry {
		return node
	}
	return IdentityWithCustomGradient(node, func(_, _ *Node) *Node {
		exceptions.Panicf("scan: the step calls Gradient through Ctx.%s, want GoMLX's own Tanh, Sigmoid and products "+
			"there", method)
		return nil
	})
}

// product is lhs [R, B, K] · w [R, K, N] → [R, B, N].
func product(lhs, w *Node) *Node { return contract(lhs, -1, w, -2) }

// productTransposed is dz [R, B, N] · wᵀ, w [R, K, N] → [R, B, K].
func productTransposed(dz, w *Node) *Node { return contract(dz, -1, w, -1) }

// weightGradient is lhsᵀ · dz, summed over the rows: lhs [R, B, K], dz [R, B, N] → [R, K, N].
func weightGradient(lhs, dz *Node) *Node { return contract(lhs, -2, dz, -2) }

// contract is the product of a and b over one axis of each, for every index of all axes before the last two.
func contract(a *Node, axisOfA int, b *Node, axisOfB int) *Node {
	leading := xslices.Iota(0, a.Rank()-2)
	return DotGeneral(a, []int{axisOfA}, leading, b, []int{axisOfB}, leading)
}
