package scan

import (
	"slices"

	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
)

// differentiate takes the gradients behind `steps` steps from step t0 on, which began in the state start, and returns
// those before them. start must be leaves.
func (b *backward) differentiate(t0 *Node, steps int, start []*Node, in gradients) (gradients, *chunkGradient) {
	c := &chunkGradient{}
	kept := func(_ int, t *Node) []*Node { return b.readAll(b.kept, t) }
	if b.recompute {
		again := b.recomputed(t0, steps, start)
		kept = func(u int, _ *Node) []*Node { return again[u] }
	}
	carry, dStart := c.noteAll(start, b.want.state)
	weights, dWeights := c.noteAll(b.leaves, b.direct)
	dXs := make([][]*noted, steps)
	for u := range steps {
		t := Add(t0, b.offsets[u])
		var x, y []*Node
		x, dXs[u] = c.noteAll(b.readAll(b.ordered, t), b.want.xs)
		s := &Ctx{weights: own(weights), kept: kept(u, t), back: c}
		carry, y = b.step(s, carry, x, s.weights)
		c.dots = append(c.dots, s.dots...)
		for i, node := range y {
			if b.dOutputs[i] != nil {
				c.arrives(node, b.rows.read(b.dOutputs[i], t))
			}
		}
	}
	for i, node := range carry {
		if in.state[i] != nil {
			c.arrives(node, in.state[i])
		}
	}
	c.last = carry
	if c.surrogate != nil && len(c.noted) > 0 {
		Gradient(c.surrogate, c.noted...) // which notes them
	}

	out := gradients{make([]*Node, len(start)), slices.Clone(in.weights), slices.Clone(in.xs)}
	for i, d := range dStart {
		out.state[i] = d.gradient
	}
	for i, wanted := range b.want.weights {
		if wanted {
			out.weights[i] = sum(out.weights[i], dWeights[i].gradient, c.weightGradient(i))
		}
	}
	for u := range steps {
		t := Add(t0, b.offsets[u])
		for i, d := range dXs[u] {
			if d.gradient == nil {
				continue
			}
			if out.xs[i] == nil {
				out.xs[i] = ZerosLike(b.xs[i])
			}
			out.xs[i] = b.rows.write(out.xs[i], d.gradient, t)
		}
	}
	return out, c
}

// sum adds up what is not nil; nil if nothing is.
func sum(nodes ...*Node) (total *Node) {
	for _, node := range nodes {
		switch {
		case total == nil:
			total = node
		case node != nil:
			total = Add(total, node)
		}
	}
	return total
}

// recomputed is what the steps of a chunk would have kept.
func (b *backward) recomputed(t0 *Node, steps int, start []*Node) [][]*Node {
	kept := make([][]*Node, steps)
	carry := start
	for u := range steps {
		s := &Ctx{weights: own(b.leaves)}
		carry, _ = b.step(s, carry, b.readAll(b.ordered, Add(t0, b.offsets[u])), s.weights)
		kept[u] = leaves(s.keep)
	}
	return kept
}

// leaves are the same values cut off from what they were computed from, so that a chunk's gradient ends there.
func leaves(nodes []*Node) []*Node {
	return xslices.Map(nodes, func(node *Node) *Node { return Identity(StopGradient(node)) })
}

// chunkGradient collects what differentiating a chunk needs.
//
// GoMLX differentiates a scalar. The scalar here is a sum that is never computed: its terms are identities whose
// gradient is replaced by the gradient that arrives from outside the chunk.
type chunkGradient struct {
	surrogate *Node
	outside   []*Node // the gradients that arrive from outside the chunk
	dots      []dot
	noted     []*Node // the values at which gradients are noted
	last      []*Node // the state behind the chunk
}

// noted is a value in the chunk and the gradient that arrives there; nil if none does.
type noted struct {
	value, gradient *Node
}

func (c *chunkGradient) add(term *Node) {
	term = ReduceAllSum(term)
	if c.surrogate == nil {
		c.surrogate = term
		return
	}
	c.surrogate = Add(c.surrogate, ConvertDType(term, c.surrogate.DType()))
}

// arrives states the gradient of the loss with respect to node, as far as it comes from outside the chunk.
func (c *chunkGradient) arrives(node, gradient *Node) {
	c.outside = append(c.outside, gradient)
	c.add(IdentityWithCustomGradient(node, func(_, _ *Node) *Node { return gradient }))
}

// reaches tells whether a gradient from outside reaches node, so that a zero added there makes no difference. It makes
// none in a Where, either, which passes it on as it is, if it makes none in what that chooses from.
func (c *chunkGradient) reaches(node *Node) bool {
	if node.Type() == NodeTypeWhere {
		return c.reaches(node.Inputs()[1]) && c.reaches(node.Inputs()[2])
	}
	return c.surrogate != nil && dependsOn(Gradient(c.surrogate, node)[0],
		func(node *Node) bool { return slices.Contains(c.outside, node) })
}

// note returns a value at which the gradient is noted, and goes on to what the value was computed from.
func (c *chunkGradient) note(n *noted) *Node {
	c.noted = append(c.noted, n.value)
	return IdentityWithCustomGradient(n.value, func(_, v *Node) *Node {
		n.gradient = v
		return v
	})
}

// noteAll notes the gradients of the wanted nodes.
func (c *chunkGradient) noteAll(nodes []*Node, wanted []bool) (values []*Node, all []*noted) {
	values = slices.Clone(nodes)
	for i, node := range nodes {
		all = append(all, &noted{value: node})
		if wanted[i] {
			values[i] = c.note(all[i])
		}
	}
	return values, all
}

// A kept value stands in the backward loop for what it was computed from. The gradient that arrives at the value is
// noted, and sent on: what it was computed from joins the surrogate as a term of its own, made before the value is
// used, so that GoMLX, which goes through the nodes from the last to the first, comes to it when the gradient is
// complete.

// sends states the gradient of the loss with respect to node, once all that follows in the chunk is differentiated; nil
// if none arrives.
func (c *chunkGradient) sends(node *Node, gradient func() *Node) {
	c.add(IdentityWithCustomGradient(node, func(_, _ *Node) *Node { return gradient() }))
}

// keptDot stands for a product in the backward loop: the gradient dz at its kept value is sent on to lhs as dz·wᵀ.
func (c *Ctx) keptDot(lhs *Node, weight, parts int) []*Node {
	d := dot{weight: weight, lhs: lhs, out: c.next()}
	for _, value := range Split(d.out, -1, parts) {
		d.parts = append(d.parts, &noted{value: value})
	}
	w := c.weights[weight]
	c.back.sends(lhs, func() *Node {
		if dz := d.gradient(); dz != nil {
			return productTransposed(dz, w)
		}
		return nil
	})
	c.dots = append(c.dots, d)
	return xslices.Map(d.parts, c.back.note)
}

// gradient joins the gradients of the product's parts; nil if none arrived. Zeros stand for those that did not arrive,
// as in the gradient of a slice.
func (d dot) gradient() *Node {
	if !slices.ContainsFunc(d.parts, func(p *noted) bool { return p.gradient != nil }) {
		return nil
	}
	gradients := make([]*Node, len(d.parts))
	for i, p := range d.parts {
		gradients[i] = p.gradient
		if p.gradient == nil {
			gradients[i] = ZerosLike(p.value)
		}
	}
	return Concatenate(gradients, -1)
}

// weightGradient is the gradient of a weight over the whole chunk, as one product per place in the step where it is
// used; nil if no gradient arrived.
func (c *chunkGradient) weightGradient(weight int) *Node {
	var lhs, dz []*Node
	for _, d := range c.dots {
		if d.weight != weight {
			continue
		}
		if gradient := d.gradient(); gradient != nil {
			lhs, dz = append(lhs, d.lhs), append(dz, gradient)
		}
	}
	if len(lhs) == 0 {
		return nil
	}
	return weightGradient(Concatenate(lhs, -2), Concatenate(dz, -2))
}
