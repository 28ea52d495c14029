package scan

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// wants tells for which arguments the backward loop computes gradients.
type wants struct {
	carry, xs, weights []bool
}

func (l *loop) wants() wants {
	return wants{each(l.init, isFloat), each(l.xs, needsGradient), each(l.weights, needsGradient)}
}

func each(nodes []*Node, predicate func(*Node) bool) []bool {
	out := make([]bool, len(nodes))
	for i, node := range nodes {
		out[i] = predicate(node)
	}
	return out
}

func isFloat(node *Node) bool { return node.DType().IsFloat() }

// needsGradient tells whether a gradient with respect to node could lead anywhere.
func needsGradient(node *Node) bool {
	return isFloat(node) && dependsOnParameter(node, make(map[*Node]bool))
}

// gradients are those of the loss with respect to the loop's arguments; nil where none was wanted.
type gradients struct {
	init, xs, weights []*Node
}

// backward builds the loop that goes from the last step to the first. dFinal and dOutputs are the gradients of the loss
// with respect to the last state and to the outputs [T, …]; nil stands for zero.
func (l *loop) backward(dFinal, dOutputs []*Node) gradients {
	want := l.wants()
	if l.reverse {
		dOutputs = slices.Clone(dOutputs)
		for i, node := range dOutputs {
			if node != nil {
				dOutputs[i] = Reverse(node, 0)
			}
		}
	}
	weights := leaves(l.weights)
	var out accumulated
	for i, node := range l.init {
		switch {
		case !want.carry[i]:
			out.carry = append(out.carry, nil)
		case dFinal[i] != nil:
			out.carry = append(out.carry, dFinal[i])
		default:
			out.carry = append(out.carry, ZerosLike(node))
		}
	}
	out.weights = zerosWhere(l.weights, want.weights)
	out.xs = zerosWhere(l.xs, want.xs)

	if done := l.iterations * l.chunk; done < l.length {
		out = l.backwardChunk(Const(l.g, int32(done)), l.length-done, leaves(l.tailStart), weights, out, dOutputs, want)
	} else {
		// Fills the cache of scalar constants before the closure does (see dryRun); nobody uses the result.
		l.backwardChunk(l.offsets[0], 1, leaves(l.init), weights, out, dOutputs, want)
	}
	if l.iterations > 0 {
		out = l.backwardWhile(weights, out, dOutputs, want)
	}
	if l.reverse {
		for i, node := range out.xs {
			if node != nil {
				out.xs[i] = Reverse(node, 0)
			}
		}
	}
	return gradients{init: out.carry, xs: out.xs, weights: out.weights}
}

// backwardWhile builds the loop over the whole chunks, from the last to the first.
func (l *loop) backwardWhile(weights []*Node, out accumulated, dOutputs []*Node, want wants) accumulated {
	zero, one, size := Const(l.g, int32(0)), Const(l.g, int32(1)), Const(l.g, int32(l.chunk))
	state := append([]*Node{Const(l.g, int32(l.iterations-1))}, out.flat()...)
	cond := NewClosure(l.g, func(g *Graph) []*Node {
		return []*Node{GreaterOrEqual(parametersLike(g, state)[0], zero)}
	})
	body := NewClosure(l.g, func(g *Graph) []*Node {
		parameters := parametersLike(g, state)
		i := parameters[0]
		chunk := l.backwardChunk(Mul(i, size), l.chunk, l.readStarts(i), weights, out.unflat(parameters[1:]),
			dOutputs, want)
		return append([]*Node{Sub(i, one)}, chunk.flat()...)
	})
	return out.unflat(While(cond, body, state...)[1:])
}

// accumulated is what the backward loop carries; nil where no gradient is wanted.
type accumulated struct {
	carry   []*Node // with respect to the state between two chunks
	weights []*Node // summed over the chunks so far
	xs      []*Node // [T, …], rows written so far
}

func (a accumulated) flat() []*Node {
	return slices.DeleteFunc(slices.Concat(a.carry, a.weights, a.xs), func(node *Node) bool { return node == nil })
}

// unflat puts a flat list back into the places that are not nil in a.
func (a accumulated) unflat(flat []*Node) accumulated {
	place := func(nodes []*Node) []*Node {
		out := slices.Clone(nodes)
		for i := range out {
			if out[i] != nil {
				out[i], flat = flat[0], flat[1:]
			}
		}
		return out
	}
	return accumulated{carry: place(a.carry), weights: place(a.weights), xs: place(a.xs)}
}

func zerosWhere(nodes []*Node, want []bool) []*Node {
	out := make([]*Node, len(nodes))
	for i, node := range nodes {
		if want[i] {
			out[i] = ZerosLike(node)
		}
	}
	return out
}

// leaves are the same values cut off from what they were computed from, so that a chunk's gradient ends there.
func leaves(nodes []*Node) []*Node {
	out := make([]*Node, len(nodes))
	for i, node := range nodes {
		out[i] = Identity(StopGradient(node))
	}
	return out
}

// backwardChunk differentiates `steps` steps from step t0 on, which began in the state start. It takes the gradient
// with respect to the state behind them, and returns it with respect to start. start and weights must be leaves.
func (l *loop) backwardChunk(t0 *Node, steps int, start, weights []*Node, in accumulated, dOutputs []*Node,
	want wants) accumulated {
	b := &chunkGradient{}
	kept := func(_ int, t *Node) []*Node { return l.readAll(l.kept, t) }
	if l.recompute {
		again := l.recomputed(t0, steps, start, weights)
		kept = func(u int, _ *Node) []*Node { return again[u] }
	}
	carry := start
	x := make([][]*Node, steps)
	for u := range steps {
		t := Add(t0, l.offsets[u])
		x[u] = l.readAll(l.ordered, t)
		c := &Ctx{weights: weights, kept: kept(u, t), back: b}
		var y []*Node
		carry, y = l.step(c, carry, x[u], weights)
		b.dots = append(b.dots, c.dots...)
		for i, node := range y {
			if dOutputs[i] != nil && isFloat(node) {
				b.arrives(node, l.rows.read(dOutputs[i], t))
			}
		}
	}
	for i, node := range carry {
		if want.carry[i] {
			b.arrives(node, in.carry[i])
		}
	}

	var targets []*Node
	take := func(nodes []*Node, wanted []bool) {
		for i, node := range nodes {
			if wanted[i] {
				targets = append(targets, node)
			}
		}
	}
	directly := make([]bool, len(l.weights))
	for i := range directly {
		directly[i] = want.weights[i] && l.direct[i]
	}
	take(start, want.carry)
	take(weights, directly)
	for u := range steps {
		take(x[u], want.xs)
	}
	result := b.differentiate(targets)
	next := func() *Node {
		node := result[0]
		result = result[1:]
		return node
	}

	out := accumulated{carry: slices.Clone(in.carry), weights: slices.Clone(in.weights), xs: slices.Clone(in.xs)}
	for i := range out.carry {
		if want.carry[i] {
			out.carry[i] = next()
		}
	}
	for i := range out.weights {
		if directly[i] {
			out.weights[i] = Add(out.weights[i], next())
		}
		if want.weights[i] {
			if gradient := b.weightGradient(i); gradient != nil {
				out.weights[i] = Add(out.weights[i], gradient)
			}
		}
	}
	for u := range steps {
		t := Add(t0, l.offsets[u])
		for i := range out.xs {
			if want.xs[i] {
				out.xs[i] = l.rows.write(out.xs[i], next(), t)
			}
		}
	}
	return out
}

// recomputed is what the steps of a chunk would have kept.
func (l *loop) recomputed(t0 *Node, steps int, start, weights []*Node) [][]*Node {
	kept := make([][]*Node, steps)
	carry := start
	for u := range steps {
		c := &Ctx{weights: weights}
		carry, _ = l.step(c, carry, l.readAll(l.ordered, Add(t0, l.offsets[u])), weights)
		kept[u] = leaves(c.keep)
	}
	return kept
}

// chunkGradient collects what differentiating a chunk needs.
//
// GoMLX differentiates a scalar. The scalar here is a sum that is never computed: its terms are identities whose
// gradient is replaced by the gradient that arrives from outside the chunk.
type chunkGradient struct {
	surrogate *Node
	dots      []dot
	parts     []*part // kept values in the chunk, whose gradients are noted
}

func (b *chunkGradient) add(term *Node) {
	term = ReduceAllSum(term)
	if b.surrogate == nil {
		b.surrogate = term
		return
	}
	b.surrogate = Add(b.surrogate, ConvertDType(term, b.surrogate.DType()))
}

// arrives states the gradient of the loss with respect to node, as far as it comes from outside the chunk.
func (b *chunkGradient) arrives(node, gradient *Node) {
	b.add(IdentityWithCustomGradient(node, func(_, _ *Node) *Node { return gradient }))
}

func (b *chunkGradient) differentiate(targets []*Node) []*Node {
	selected := slices.Clone(targets)
	for _, p := range b.parts {
		selected = append(selected, p.value)
	}
	if b.surrogate == nil || len(selected) == 0 { // No gradient arrives, or nothing wants one.
		out := make([]*Node, len(targets))
		for i, node := range targets {
			out[i] = ZerosLike(node)
		}
		return out
	}
	return Gradient(b.surrogate, selected...)[:len(targets)]
}

// A kept value stands in the backward loop for what it was computed from. The gradient that arrives at the value is
// noted, and sent on: what it was computed from joins the surrogate as a term of its own, made before the value is
// used, so that GoMLX, which goes through the nodes from the last to the first, comes to it when the gradient is
// complete.

// sends states the gradient of the loss with respect to node, once all that follows in the chunk is differentiated.
func (b *chunkGradient) sends(node *Node, gradient func() *Node) {
	b.add(IdentityWithCustomGradient(node, func(_, _ *Node) *Node { return gradient() }))
}

// notes returns a kept value at which the gradient is noted.
func (b *chunkGradient) notes(p *part) *Node {
	b.parts = append(b.parts, p)
	return IdentityWithCustomGradient(p.value, func(_, v *Node) *Node {
		p.gradient = v
		return v
	})
}

// keptDot stands for a product in the backward loop: the gradient dz at its kept value is sent on to lhs as dz·wᵀ.
func (c *Ctx) keptDot(lhs *Node, weight, parts int) []*Node {
	d := dot{weight: weight, lhs: lhs, out: c.next()}
	for _, value := range split(d.out, parts) {
		d.parts = append(d.parts, &part{value: value})
	}
	w := c.weights[weight]
	c.back.sends(lhs, func() *Node {
		if dz := d.gradient(); dz != nil {
			return productTransposed(dz, w)
		}
		return ZerosLike(lhs)
	})
	out := make([]*Node, parts)
	for i, p := range d.parts {
		out[i] = c.back.notes(p)
	}
	c.dots = append(c.dots, d)
	return out
}

// gradient joins the gradients of the product's parts; nil if none arrived.
func (d dot) gradient() *Node {
	if !slices.ContainsFunc(d.parts, func(p *part) bool { return p.gradient != nil }) {
		return nil
	}
	gradients := make([]*Node, len(d.parts))
	for i, p := range d.parts {
		gradients[i] = p.gradient
		if p.gradient == nil {
			gradients[i] = ZerosLike(p.value)
		}
	}
	if len(gradients) == 1 {
		return gradients[0]
	}
	return Concatenate(gradients, -1)
}

// weightGradient is the gradient of a weight over the whole chunk, as one product per place in the step where it is
// used; nil if no gradient arrived.
func (b *chunkGradient) weightGradient(weight int) *Node {
	var lhs, dz []*Node
	for _, d := range b.dots {
		if d.weight != weight {
			continue
		}
		if gradient := d.gradient(); gradient != nil {
			lhs, dz = append(lhs, d.lhs), append(dz, gradient)
		}
	}
	switch len(lhs) {
	case 0:
		return nil
	case 1:
		return weightGradient(lhs[0], dz[0])
	}
	return weightGradient(Concatenate(lhs, -2), Concatenate(dz, -2))
}

func parameterName(i int) string { return fmt.Sprintf("state%d", i) }
