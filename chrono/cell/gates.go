package cell

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Gate is one of a cell's gates: its values at every step of a run, and its bias.
type Gate struct {
	Name   string // such as "forget"
	Values *Node  // [B, T, H] or [T, R, B, H], between 0 and 1
	Bias   *Node  // [H] or [R, H]: the gate is σ(Bias) while inputs and states are zero
}

// Gates computes the cell's gates at every step. h is Done's first output. Gates returns nil for a cell without gates
// that follow from inputs and outputs, and panics if it is called before Done, or with several layers or directions. It
// costs one product over all steps for each gate. After the end of a sequence the gates are zero.
//
// A gate g that admits the input ("leak", "gate", "input", "update") gives a unit's time scale, in steps, as 1/g; a
// gate f that keeps the state ("forget") gives it as 1/(1 − f).
func (b *Builder) Gates(h *Node) []Gate {
	defer errorsOnly(b.cell)
	if len(b.runs) != 1 {
		exceptions.Panicf("%#v: Gates after %d runs, want it after Done of one layer in one direction", b.cell,
			len(b.runs))
	}
	r := b.runs[0]
	if r.layer.Gates == nil {
		return nil
	}
	first := InsertAxes(r.begin[0], 0)
	want := first.Shape().Clone()
	want.Dimensions[0] = r.xs[0].Shape().Dimensions[0]
	if h != nil && h.Rank() == want.Rank()-1 {
		h = b.sequence(h)
	}
	if h == nil || !h.Shape().Equal(want) {
		given := "nil"
		if h != nil {
			given = h.Shape().String()
		}
		exceptions.Panicf("%#v: Gates is given %s, want Done's first output, %s", b.cell, given, want)
	}
	var before *Node
	if r.reverse {
		before = Slice(Concatenate([]*Node{h, first}, 0), AxisRangeToEnd(1))
		if b.lengths != nil { // the last step of each sequence is its first one
			before = Where(r.within(1), before, BroadcastToShape(first, want))
		}
	} else {
		before = Slice(Concatenate([]*Node{first, h}, 0), AxisRangeFromStart(-1))
	}
	gates := r.layer.Gates(r.xs, before, r.weights)
	for i, gate := range gates {
		if b.lengths != nil {
			gate.Values = r.cleared(gate.Values)
		}
		gates[i] = Gate{gate.Name, b.sequenceOut(gate.Values), b.stateOut(gate.Bias)}
	}
	return gates
}

// gatesOf is the Gates of a cell: those blocks of Wx·x + Wh·h + b that have a name, "" being no gate. The weights are
// those that affineWeights lists under that prefix.
func gatesOf(prefix string, names ...string) func(xs []*Node, before *Node, weights map[string]*Node) []Gate {
	return func(xs []*Node, before *Node, weights map[string]*Node) (gates []Gate) {
		input, bias, recurrent := weights[prefix+"input"], weights[prefix+"bias"], weights[prefix+"recurrent"]
		hidden := before.Shape().Dimensions[3]
		if len(xs) > 1 {
			before = Mul(before, InsertAxes(xs[1], 0))
		}
		x := withOne(Concatenate([]*Node{xs[0], before}, -1))
		weight := Concatenate([]*Node{input, recurrent, InsertAxes(bias, 1)}, 1)
		for block, name := range names {
			if name != "" {
				values := Sigmoid(project(x, column(weight, block, hidden)))
				gates = append(gates, Gate{name, values, column(bias, block, hidden)})
			}
		}
		return gates
	}
}
