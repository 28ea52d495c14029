package cell

import (
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/internal/require"
)

// Dropout sets the share of the inputs of every layer but the first that is dropped in training, as [Gal & Ghahramani
// 2016]: a sequence has one mask for all of its steps. What is kept is scaled so that the mean remains. The random
// numbers are GoMLX's, so that those of trials depend on how many there are. A graph is of training if GoMLX's Trainer
// trains it, or Store.SetTraining says so.
//
// [Gal & Ghahramani 2016]: https://arxiv.org/abs/1512.05287
func (b *Builder) Dropout(rate float64) *Builder {
	b.dropout = b.checkRate(rate)
	return b
}

// RecurrentDropout sets the share of h that the recurrent weights do not see in training, with one mask for all steps
// of a sequence, as Dropout has. What h keeps of itself from step to step is not dropped. The cells that support it are
// [RNN], [LSTM], [TiedLSTM], [GRU], [Gated], [GlobalGated], [Leaky] and [RHN].
func (b *Builder) RecurrentDropout(rate float64) *Builder {
	require.That(layerFor(b.cell, b.inputs[0].Shape().Dim(-1)).masked,
		"%#v: it has no RecurrentDropout, want another cell, such as cell.LSTM", b.cell)
	b.recurrent = b.checkRate(rate)
	return b
}

func (b *Builder) checkRate(rate float64) float64 {
	require.That(rate >= 0 && rate < 1, "%#v: a share of %g is dropped, want 0 or more, and below 1", b.cell, rate)
	return rate
}

// dropped is the input x [T, R, B, F] of a layer.
func (b *Builder) dropped(x *Node) *Node {
	if b.dropout == 0 || !b.root.IsTraining(x.Graph()) {
		return x
	}
	shape := x.Shape().Clone()
	shape.Dimensions[0] = 1
	return Mul(x, keep(b.root, x.Graph(), shape, b.dropout))
}

// withMask appends the mask of h, if there is one, to the inputs of the cell.
func (b *run) withMask(xs []*Node) []*Node {
	if b.recurrent == 0 || !b.scope.IsTraining(xs[0].Graph()) {
		return xs
	}
	shape := shapes.Make(xs[0].DType(), slices.Concat(xs[0].Shape().Dimensions[1:3], b.layer.StateDims[0])...)
	return append(slices.Clip(xs), keep(b.scope, xs[0].Graph(), shape, b.recurrent))
}

// keep draws a mask that drops a share of that rate.
func keep(scope *model.Scope, g *Graph, shape shapes.Shape, rate float64) *Node {
	random := scope.RandomUniform(g, shape)
	kept := MulScalar(OnesLike(random), 1/(1-rate))
	return StopGradient(Where(LessThan(random, MulScalar(OnesLike(random), rate)), ZerosLike(random), kept))
}

// maskOf is the second input of a cell, the mask [R, B, H] of what its recurrent weights see of h. There may be none.
func maskOf(cell Cell, xs []*Node, hidden int) []*Node {
	if len(xs) < 2 {
		return nil
	}
	x := xs[0].Shape()
	want := shapes.Make(x.DType, x.Dimensions[1], x.Dimensions[2], hidden)
	require.That(xs[1].Shape().Equal(want), "%#v: input 1, %s, is no mask: want %s", cell, xs[1].Shape(), want)
	return xs[1:2:2]
}

// recalled is what the recurrent weights see of h, [R, B, H] or of all steps, by the mask of maskOf.
func recalled(h *Node, mask []*Node) *Node {
	if len(mask) == 0 {
		return h
	}
	return Mul(h, ExpandLeftToRank(mask[0], h.Rank()))
}
