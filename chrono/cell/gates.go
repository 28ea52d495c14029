package cell

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Gate is one of a cell's gates: its values at every step of a run, and its bias.
type Gate struct {
	Name   string // such as "forget"
	Values *Node  // [T, R, B, H], between 0 and 1
	Bias   *Node  // [R, H]: the gate is σ(Bias) while inputs and states are zero
}

// Gater is a cell whose gates follow from its inputs and outputs.
type Gater interface {
	// Gates computes the gates outside of the loop, from the inputs [T, R, B, I], the outputs h of the step before
	// each step [T, R, B, H], and the weights [R, …] by their names.
	Gates(xs []*Node, before *Node, weights map[string]*Node) []Gate
}

// Gates computes the cell's gates at every step. h is Done's first output, [T, R, B, H]. Gates returns nil if the cell
// is not a [Gater], and panics if it is called before Done. It costs one product over all steps for each gate. After
// the end of a sequence the gates are zero.
//
// A gate g that admits the input ("leak", "gate", "input", "update") gives a unit's time scale, in steps, as 1/g; a
// gate f that keeps the state ("forget") gives it as 1/(1 − f).
func (b *Builder) Gates(h *Node) []Gate {
	gater, ok := b.cell.(Gater)
	if !ok {
		return nil
	}
	defer errorsOnly(b.cell)
	if b.begin == nil {
		exceptions.Panicf("%#v: Gates is called before Done, want it after", b.cell)
	}
	first := InsertAxes(b.begin[0], 0)
	want := first.Shape().Clone()
	want.Dimensions[0] = b.xs[0].Shape().Dimensions[0]
	if h == nil {
		exceptions.Panicf("%#v: Gates is given nil, want Done's first output, %s", b.cell, want)
	}
	if !h.Shape().Equal(want) {
		exceptions.Panicf("%#v: Gates is given %s, want Done's first output, %s", b.cell, h.Shape(), want)
	}
	var before *Node
	if b.reverse {
		before = Slice(Concatenate([]*Node{h, first}, 0), AxisRangeToEnd(1))
		if b.lengths != nil { // the last step of each sequence is its first one
			before = Where(b.within(1), before, BroadcastToShape(first, want))
		}
	} else {
		before = Slice(Concatenate([]*Node{first, h}, 0), AxisRangeFromStart(-1))
	}
	gates := gater.Gates(b.xs, before, b.weights)
	for i := range gates {
		if b.lengths != nil {
			gates[i].Values = b.cleared(gates[i].Values)
		}
	}
	return gates
}

// gatesOf computes those blocks of Wx·x + Wh·h + b that have a name, "" being no gate. The weights are those that
// affineWeights lists under that prefix.
func gatesOf(x, before *Node, weights map[string]*Node, prefix string, names ...string) []Gate {
	input, bias, recurrent := weights[prefix+"input"], weights[prefix+"bias"], weights[prefix+"recurrent"]
	hidden := before.Shape().Dimensions[3]
	x = withOne(Concatenate([]*Node{x, before}, -1))
	weight := Concatenate([]*Node{input, recurrent, InsertAxes(bias, 1)}, 1)
	var out []Gate
	for block, name := range names {
		if name != "" {
			values := Sigmoid(project(x, column(weight, block, hidden)))
			out = append(out, Gate{name, values, column(bias, block, hidden)})
		}
	}
	return out
}
