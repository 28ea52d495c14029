package cell

import (
	"path"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/require"
)

// Gate is one of a cell's gates: its values at every step of a run, and its bias.
type Gate struct {
	Name   string // such as "forget", and in a stack "layer 1/backwards/forget"
	Values *Node  // [B, T, H] or [T, R, B, H], between 0 and 1
	Bias   *Node  // [H] or [R, H]: the gate is σ(Bias) while inputs and states are zero
}

// Gates computes the cell's gates at every step, of all layers and directions, and panics if it is called before Done,
// Outputs or Last. It returns nil for a cell without gates that follow from inputs and outputs. It costs one product
// over all steps for each gate. After the end of a sequence the gates are zero.
//
// A gate g that admits the input ("leak", "gate", "input", "update") gives a unit's time scale, in steps, as 1/g; a
// gate f that keeps the state ("forget") gives it as 1/(1 − f).
func (b *Builder) Gates() (gates []Gate) {
	defer require.Errors(b.cell)
	require.That(len(b.runs) > 0, "%#v: Gates before Done, want it after Done", b.cell)
	for _, r := range b.runs {
		if r.layer.Gates == nil {
			return nil
		}
		under := strings.TrimLeft(strings.TrimPrefix(r.scope.Scope(), b.root.Scope()), "/")
		for _, gate := range r.layer.Gates(r.xs, r.before(), r.weights) {
			if b.lengths != nil {
				gate.Values = r.cleared(gate.Values)
			}
			gates = append(gates, Gate{path.Join(under, gate.Name), b.sequenceOut(gate.Values), b.stateOut(gate.Bias)})
		}
	}
	return gates
}

// before is the output of the step before each, that of the first being the initial state.
func (r *run) before() *Node {
	first := InsertAxes(r.begin[0], 0)
	if !r.reverse {
		return Slice(Concatenate([]*Node{first, r.h}, 0), AxisRangeFromStart(-1))
	}
	before := Slice(Concatenate([]*Node{r.h, first}, 0), AxisRangeToEnd(1))
	if r.lengths != nil { // the last step of each sequence is its first one
		before = Where(r.within(1), before, BroadcastToShape(first, before.Shape()))
	}
	return before
}

// gatesOf is the Gates of a cell: those blocks of Wx·x + Wh·h + b that have a name, "" being no gate. The weights are
// those that affineWeights lists under that prefix.
func gatesOf(prefix string, names ...string) func(xs []*Node, before *Node, weights map[string]*Node) []Gate {
	return func(xs []*Node, before *Node, weights map[string]*Node) []Gate {
		input, bias, recurrent := weights[prefix+"input"], weights[prefix+"bias"], weights[prefix+"recurrent"]
		hidden := before.Shape().Dimensions[3]
		x := withOne(Concatenate([]*Node{xs[0], recalled(before, xs[1:])}, -1))
		weight := Concatenate([]*Node{input, recurrent, InsertAxes(bias, 1)}, 1)
		return named(names, bias, hidden, func(block int) *Node { return project(x, column(weight, block, hidden)) })
	}
}

// named are the sigmoids of the blocks that have a name.
func named(names []string, bias *Node, hidden int, z func(block int) *Node) (gates []Gate) {
	for block, name := range names {
		if name != "" {
			gates = append(gates, Gate{name, Sigmoid(z(block)), column(bias, block, hidden)})
		}
	}
	return gates
}
