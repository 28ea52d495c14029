package scan

import (
	"slices"

	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
)

// gradients are those of the loss with respect to the state before a step, and to the weights and the inputs [T, …] as
// far as that step and those behind it use them. A node is nil where no gradient arrives. A zero in its place would be
// wrong: on its way back it can meet an infinite derivative, and zero times infinity is NaN.
type gradients struct {
	state, weights, xs []*Node
}

func (g gradients) flat() []*Node {
	return slices.DeleteFunc(slices.Concat(g.state, g.weights, g.xs), func(node *Node) bool { return node == nil })
}

// unflat puts a flat list back into the places that are not nil in g.
func (g gradients) unflat(flat []*Node) gradients {
	place := func(nodes []*Node) []*Node {
		out := slices.Clone(nodes)
		for i := range out {
			if out[i] != nil {
				out[i], flat = flat[0], flat[1:]
			}
		}
		return out
	}
	return gradients{place(g.state), place(g.weights), place(g.xs)}
}

// reach tells at which states, weights and inputs gradients arrive.
type reach struct {
	state, weights, xs []bool
}

func (g gradients) reach() reach {
	arrives := func(node *Node) bool { return node != nil }
	return reach{xslices.Map(g.state, arrives), xslices.Map(g.weights, arrives), xslices.Map(g.xs, arrives)}
}

// backward builds the loop that goes from the last step to the first.
type backward struct {
	*loop
	leaves   []*Node // the weights
	dOutputs []*Node // the gradients that arrive at the outputs, in the loop's order
	reached  []*stepReach
}

// backward returns the gradients with respect to the loop's arguments. dFinal and dOutputs are those with respect to
// the last state and to the outputs [T, …]; nil where none arrives.
func (l *loop) backward(dFinal, dOutputs []*Node) gradients {
	b := &backward{loop: l, leaves: leaves(l.weights), dOutputs: dOutputs}
	if l.reverse {
		b.dOutputs = reversed(dOutputs)
	}
	out := gradients{dFinal, make([]*Node, len(l.weights)), make([]*Node, len(l.xs))}
	if done := l.iterations * l.chunk; done < l.length {
		out, _ = b.differentiate(Const(l.g, int32(done)), l.length-done, leaves(l.tailStart), out)
	} else {
		out.state = only(dFinal, l.want.state) // the others lead nowhere
	}
	for left := l.iterations; left > 0; {
		if period, arrives := b.period(out.reach().state, left); period > 0 {
			out = b.while(left, period, arrives, out)
			left %= period
		} else {
			left--
			out = b.differentiateChunk(Const(l.g, int32(left)), out)
		}
	}
	if l.reverse {
		out.xs = reversed(out.xs)
	}
	return out
}

// while builds the loop over the first `left` chunks, from the last to the first. Each iteration takes `period` of
// them; the first ones, too few for an iteration, are left over. arrives tells what gradients arrive at in an
// iteration.
func (b *backward) while(left, period int, arrives reach, out gradients) gradients {
	fill := func(nodes []*Node, arrives []bool, like []*Node) []*Node {
		nodes = slices.Clone(nodes)
		for i, node := range nodes {
			if node == nil && arrives[i] {
				nodes[i] = Zeros(b.g, like[i].Shape())
			}
		}
		return nodes
	}
	out = gradients{fill(out.state, arrives.state, b.init), fill(out.weights, arrives.weights, b.weights),
		fill(out.xs, arrives.xs, b.xs)}
	first, one := Const(b.g, int32(left%period)), Const(b.g, int32(1))
	state := append([]*Node{Const(b.g, int32(left-1))}, out.flat()...)
	cond := NewClosure(b.g, func(g *Graph) []*Node {
		return []*Node{GreaterOrEqual(parametersLike(g, state)[0], first)}
	})
	body := NewClosure(b.g, func(g *Graph) []*Node {
		parameters := parametersLike(g, state)
		i, in := parameters[0], out.unflat(parameters[1:])
		for range period {
			in = b.differentiateChunk(i, in)
			i = Sub(i, one)
		}
		in.state = fill(in.state, out.reach().state, b.init)
		return append([]*Node{i}, in.flat()...)
	})
	out = out.unflat(While(cond, body, state...)[1:])
	out.state = only(out.state, arrives.state)
	return out
}

func (b *backward) differentiateChunk(i *Node, in gradients) gradients {
	out, _ := b.differentiate(Mul(i, b.size), b.chunk, b.readStarts(i), in)
	return out
}

// period returns after how many chunks a gradient that arrives at the states `behind` arrives at the same ones again,
// so that a loop can repeat these chunks: usually 1, and more where states swap places. It returns 0 if `left` chunks
// are too few, or if the gradient never arrives at just these states again, since a state is used only some steps
// later; then the next chunk is no part of a loop. arrives tells at which states the gradient arrives before these
// chunks, and at which weights and inputs in them.
//
// The same ones, that is, but for states at which a gradient of zero makes no difference. If the loss is of an LSTM's
// outputs, no gradient arrives at the state behind the last step, and one does at all states before. But zeros may
// stand there: the last output passes its gradient on to all that this state is computed from.
func (b *backward) period(behind []bool, left int) (chunks int, arrives reach) {
	arrives = reach{behind, make([]bool, len(b.weights)), make([]bool, len(b.xs))}
	first := b.stepReach(behind)
	seen := make(map[*stepReach]bool)
	for r := first; chunks < left && !seen[r]; {
		seen[r] = true
		for range b.chunk {
			arrives = reach{r.state, either(arrives.weights, r.weights), either(arrives.xs, r.xs)}
			r = b.stepReach(r.state)
		}
		chunks++
		if slices.Equal(r.alike, first.alike) {
			return chunks, arrives
		}
	}
	return 0, arrives
}

// stepReach tells at what a gradient arrives before and in one step, if it comes from the step's outputs and from some
// of the states behind it.
type stepReach struct {
	reach
	behind []bool // these states
	alike  []bool // and those at which a further gradient of zero makes no difference
}

// stepReach differentiates one step outside the loop to find out. Nobody uses the result, so that it costs nothing when
// the graph runs. This also fills GoMLX's cache of scalar constants before the loop does (see dryRun).
func (b *backward) stepReach(behind []bool) *stepReach {
	for _, r := range b.reached {
		if slices.Equal(either(r.behind, behind), behind) && slices.Equal(either(behind, r.alike), r.alike) {
			return r
		}
	}
	in := gradients{only(leaves(b.init), behind), make([]*Node, len(b.weights)), make([]*Node, len(b.xs))}
	out, c := b.differentiate(b.offsets[0], 1, leaves(b.init), in)
	r := &stepReach{out.reach(), behind, slices.Clone(behind)}
	for i, state := range c.last {
		r.alike[i] = behind[i] || b.want.state[i] && c.reaches(state)
	}
	b.reached = append(b.reached, r)
	return r
}

// only drops the nodes that are not wanted.
func only(nodes []*Node, wanted []bool) []*Node {
	out := slices.Clone(nodes)
	for i := range out {
		if !wanted[i] {
			out[i] = nil
		}
	}
	return out
}

func either(a, b []bool) []bool {
	out := slices.Clone(a)
	for i := range out {
		out[i] = a[i] || b[i]
	}
	return out
}
