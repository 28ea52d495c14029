package cell

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/axis"
	"github.com/warptime/warptime/chrono/internal/require"
)

// layout is how a layer is given its tensors. Inside, all have the layout of trials: sequences [T, R, B, …], and [R, B,
// …] without time. One model has that of GoMLX's layers, [B, T, …] and [B, …]; its methods convert it.
type layout struct{ one bool }

// layoutOf tells how the input of a layer is laid out. A graph has one layout. The first layer of a graph has that of
// trials if it is given seeds, or as many axes as a sequence of trials has.
func layoutOf(x *Node, seeds []uint64, axesOfTrials int) layout {
	if trials, found := axis.Known(x.Graph()); found {
		return layout{trials == axis.None}
	}
	return layout{len(seeds) == 0 && x.Rank() < axesOfTrials}
}

// sequence converts a sequence of one model, [B, T, …], to [T, 1, B, …].
func (l layout) sequence(x *Node) *Node {
	if !l.one {
		return x
	}
	return InsertAxes(Transpose(x, 0, 1), 1)
}

// state converts what each sequence of one model has once, [B, …], to [1, B, …].
func (l layout) state(x *Node) *Node {
	if !l.one {
		return x
	}
	return InsertAxes(x, 0)
}

// further converts an input beyond the first, which is a sequence if it has three axes or more.
func (l layout) further(x *Node) *Node {
	if l.one && x.Rank() < 3 {
		return l.state(x)
	}
	return l.sequence(x)
}

// sequenceOut is the reverse of sequence.
func (l layout) sequenceOut(y *Node) *Node {
	if !l.one {
		return y
	}
	require.That(y.Rank() >= 3 && y.Shape().Dim(1) == 1,
		"cell: an output is %s, want [T, 1, B, …], so that it can be [B, T, …]", y.Shape())
	return Transpose(Squeeze(y, 1), 0, 1)
}

// stateOut is the reverse of state.
func (l layout) stateOut(x *Node) *Node {
	if !l.one {
		return x
	}
	return Squeeze(x, 0)
}
