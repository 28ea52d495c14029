package cell

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Sequences turns batches as GoMLX's layers take them, x [B, T, …] of any type, into those of this package, [T, R, B,
// …]: every trial gets the same. So [B, T, I] becomes the inputs of [New], and symbols [B, T] those of [Embedding].
// Apply it before [Embedding] and [Dense]: they would take the B sequences for trials, each with weights of its own.
//
// It panics, as graph-building functions do, with one line if x has fewer than two axes or trials is not positive.
func Sequences(x *Node, trials int) *Node {
	if x == nil || x.Rank() < 2 || trials < 1 {
		exceptions.Panicf("cell.Sequences: %v for %d trials, want [B, T, …], and 1 trial or more", x, trials)
	}
	x = InsertAxes(Transpose(x, 0, 1), 1)
	dims := x.Shape().Clone().Dimensions
	dims[1] = trials
	return BroadcastToDims(x, dims...)
}
