package cell

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/internal/axis"
)

// Sequences turns batches as GoMLX's layers take them, x [B, T, …] of any type, into those of this package, [T, R, B,
// …]: every trial gets the same. So [B, T, I] becomes the inputs of [New], and symbols [B, T] those of [Embedding].
// Apply it before [Embedding] and [Dense]: they would take the B sequences for trials, and reject them.
//
// It panics, as graph-building functions do, with one line if x has fewer than two axes, trials is not positive, or the
// graph has another number of trials.
func Sequences(x *Node, trials int) *Node {
	if x.Rank() < 2 || trials < 1 {
		exceptions.Panicf("cell.Sequences: %s for %d trials, want [B, T, …], and 1 trial or more", x.Shape(), trials)
	}
	axis.Agree(x.Graph(), trials, "cell.Sequences")
	x = InsertAxes(Transpose(x, 0, 1), 1)
	dims := x.Shape().Clone().Dimensions
	dims[1] = trials
	return BroadcastToDims(x, dims...)
}
