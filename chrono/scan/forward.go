package scan

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// forward builds the loop over all steps, and the steps left over behind it.
func (l *loop) forward() {
	states, outputs := len(l.init), len(l.ys)
	written := make([]*Node, 0, outputs+len(l.keep))
	for _, shape := range l.ys {
		written = append(written, buffer(l.g, l.length, shape))
	}
	for _, node := range l.keep {
		written = append(written, buffer(l.g, l.length, node.Shape()))
	}
	starts := make([]*Node, states)
	for i, node := range l.init {
		starts[i] = buffer(l.g, l.iterations, node.Shape())
	}

	limit, one, size := Const(l.g, int32(l.iterations)), Const(l.g, int32(1)), Const(l.g, int32(l.chunk))
	state := slices.Concat([]*Node{Const(l.g, int32(0))}, l.init, starts, written)
	parameters := func(g *Graph) (i *Node, carry, starts, written []*Node) {
		all := parametersLike(g, state)
		return all[0], all[1 : 1+states], all[1+states : 1+2*states], all[1+2*states:]
	}
	cond := NewClosure(l.g, func(g *Graph) []*Node {
		i, _, _, _ := parameters(g)
		return []*Node{LessThan(i, limit)}
	})
	body := NewClosure(l.g, func(g *Graph) []*Node {
		i, carry, starts, written := parameters(g)
		for s, node := range carry {
			starts[s] = l.rows.write(starts[s], node, i)
		}
		carry, written = l.forwardChunk(Mul(i, size), l.chunk, carry, written)
		return slices.Concat([]*Node{Add(i, one)}, carry, starts, written)
	})
	state = While(cond, body, state...)

	carry, written := state[1:1+states], state[1+2*states:]
	l.starts = state[1+states : 1+2*states]
	l.tailStart = carry
	done := l.iterations * l.chunk
	carry, written = l.forwardChunk(Const(l.g, int32(done)), l.length-done, carry, written)
	l.final, l.outputs, l.kept = carry, written[:outputs], written[outputs:]
	if l.reverse {
		l.outputs = reversed(l.outputs)
	}
}

// forwardChunk takes `steps` steps from step t0 on, and writes their outputs and what is kept.
func (l *loop) forwardChunk(t0 *Node, steps int, carry, written []*Node) (_, _ []*Node) {
	written = slices.Clone(written)
	for u := range steps {
		t := Add(t0, l.offsets[u])
		c := &Ctx{weights: l.weights}
		var y []*Node
		carry, y = l.step(c, carry, l.readAll(l.ordered, t), l.weights)
		if len(c.keep) != len(l.keep) || len(y) != len(l.ys) {
			exceptions.Panicf("scan: the step does not do the same each time it is called: %d kept results and %d "+
				"outputs, then %d and %d", len(l.keep), len(l.ys), len(c.keep), len(y))
		}
		for i, row := range slices.Concat(y, c.keep) {
			written[i] = l.rows.write(written[i], row, t)
		}
	}
	return carry, written
}

func (l *loop) readAll(buffers []*Node, t *Node) []*Node {
	out := make([]*Node, len(buffers))
	for i, all := range buffers {
		out[i] = l.rows.read(all, t)
	}
	return out
}

// parametersLike makes a closure's parameters with the shapes of the given nodes.
func parametersLike(g *Graph, nodes []*Node) []*Node {
	out := make([]*Node, len(nodes))
	for i, node := range nodes {
		out[i] = Parameter(g, parameterName(i), node.Shape())
	}
	return out
}
