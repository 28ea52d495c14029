package scan

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/require"
)

// forward builds the loop over all steps, and the steps left over behind it.
func (l *loop) forward() {
	outputs := len(l.ys)
	rows := l.ys // what a step writes
	if !l.recompute {
		rows = slices.Concat(l.ys, l.keep)
	}
	written := xslices.Map(rows, func(shape shapes.Shape) *Node { return l.rows.buffer(l.g, l.length, shape) })
	carry := own(l.init)
	if l.iterations > 0 {
		carry, written = l.while(written)
	}
	l.tailStart = carry
	done := l.iterations * l.chunk
	carry, written = l.forwardChunk(Const(l.g, int32(done)), l.length-done, carry, written)
	l.final, l.outputs, l.kept = carry, written[:outputs], written[outputs:]
	for i, shape := range l.ys {
		l.outputs[i] = ConvertDType(l.outputs[i], shape.DType)
	}
	if l.reverse {
		l.outputs = reversed(l.outputs)
	}
}

// while builds the loop of whole chunks, and returns the state behind them and what they have written.
func (l *loop) while(written []*Node) (carry, _ []*Node) {
	states := len(l.init)
	starts := xslices.Map(l.init, func(node *Node) *Node { return l.rows.buffer(l.g, l.iterations, node.Shape()) })
	limit, one := Const(l.g, int32(l.iterations)), Const(l.g, int32(1))
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
		carry, written = l.forwardChunk(Mul(i, l.size), l.chunk, carry, written)
		return slices.Concat([]*Node{Add(i, one)}, carry, starts, written)
	})
	state = While(cond, body, state...)
	l.starts = state[1+states : 1+2*states]
	return state[1 : 1+states], state[1+2*states:]
}

// forwardChunk takes `steps` steps from step t0 on, and writes their outputs and what is kept.
func (l *loop) forwardChunk(t0 *Node, steps int, carry, written []*Node) (_, _ []*Node) {
	written = slices.Clone(written)
	for u := range steps {
		t := Add(t0, l.offsets[u])
		c := &Ctx{weights: own(l.weights)}
		var y []*Node
		carry, y = l.step(c, carry, l.readAll(l.ordered, t), c.weights)
		require.That(len(c.keep) == len(l.keep) && len(y) == len(l.ys), "scan: the step does not do the same each "+
			"time it is called: %d kept results and %d outputs, then %d and %d", len(l.keep), len(l.ys), len(c.keep),
			len(y))
		rows := y
		if !l.recompute {
			rows = slices.Concat(y, c.keep)
		}
		for i, row := range rows {
			written[i] = l.rows.write(written[i], row, t)
		}
	}
	return carry, written
}

// readStarts reads the state in which chunk i began.
func (l *loop) readStarts(i *Node) []*Node {
	out := l.readAll(l.starts, i)
	for s, node := range l.init {
		out[s] = ConvertDType(out[s], node.DType())
	}
	return out
}

func (l *loop) readAll(buffers []*Node, t *Node) []*Node {
	return xslices.Map(buffers, func(all *Node) *Node { return l.rows.read(all, t) })
}

// parametersLike makes a closure's parameters with the shapes of the given nodes.
func parametersLike(g *Graph, nodes []*Node) []*Node {
	out := make([]*Node, len(nodes))
	for i, node := range nodes {
		out[i] = Parameter(g, fmt.Sprintf("state%d", i), node.Shape())
	}
	return out
}
