package cell

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/internal/require"
	"github.com/warptime/warptime/chrono/scan"
)

// Lengths sets the number of steps of each sequence: lengths [B], or [R, B] for trials, of any integer type, from 0 to
// T. A negative length counts as 0, and one above T as T. The steps after the end of a sequence are padding. Padding in
// the first input affects no state, output or gradient of the cell, even if it is NaN. It must be finite in further
// inputs, which some cells have, and in the inputs of a layer before the cell, such as [Dense] or [Convolution]: the
// gradient of its weights is NaN otherwise. The final states are those after each sequence's own last step, the outputs
// after it are zero, and with Reverse a sequence begins at its own last step. The results are those of PyTorch's packed
// sequences.
//
// Pad T to a few sizes: GoMLX compiles a graph for each T, keeps them all, and fails at the 33rd (see its SetMaxCache).
//
// [BNLSTM] does not support lengths: its statistics are computed over all sequences of a batch. A cell of your own must
// not let sequences depend on each other either, nor a step on later inputs, or padding counts in its results: behind
// its end, a sequence's last input is repeated. One of no steps has zeros, where the cell's derivative must be finite.
func (b *Builder) Lengths(lengths *Node) *Builder {
	require.That(lengths != nil, "%#v: lengths are nil, want a node", b.cell)
	lengths = b.state(lengths)
	require.That(!layerFor(b.cell, b.inputs[0].Shape().Dim(-1)).coupled,
		"%#v: its sequences depend on each other, so they cannot have Lengths", b.cell)
	shape, want := lengths.Shape(), b.inputs[0].Shape().Dimensions[1:3]
	require.That(shape.DType.IsInt() && slices.Equal(shape.Dimensions, want), "%#v: lengths are %s, want integers %v, "+
		"one for each trial and sequence of the inputs [T, R, B, I], %s", b.cell, shape, want, b.inputs[0].Shape())
	dtype, steps := b.inputs[0].DType(), b.inputs[0].Shape().Dim(0)
	require.That(dtype != dtypes.Float32 || steps <= 1<<24,
		"%#v: Lengths of %d steps in float32, which counts to %d, want float64", b.cell, steps, 1<<24)
	if shape.DType != dtypes.Uint64 {
		lengths = ConvertDType(lengths, dtypes.Int64) // T may be too large for the lengths' own type
	}
	b.lengths = ConvertDType(MinScalar(MaxScalar(lengths, 0), steps), dtypes.Int32)
	return b
}

// within is true at the steps of each sequence, and false behind its end: [T, R, B]. The step's number plus ahead is
// what is compared with the length.
func (b *run) within(ahead int) *Node {
	dims := b.xs[0].Shape().Dimensions[:3]
	steps := Iota(b.lengths.Graph(), shapes.Make(dtypes.Int32, dims...), 0)
	return LessThan(AddScalar(steps, ahead), BroadcastToDims(InsertAxes(b.lengths, 0), dims...))
}

// repeated is x [T, R, B, …] with the last step of each sequence behind its end too, where no gradient passes: zeros
// would make NaN of a cell's derivative that is infinite there.
func (b *run) repeated(x *Node) *Node {
	shape := b.lengths.Shape()
	at := []*Node{MaxScalar(AddScalar(b.lengths, -1), 0), Iota(x.Graph(), shape, 0), Iota(x.Graph(), shape, 1)}
	last := Gather(StopGradient(x), Stack(at, -1))
	last = Where(GreaterThan(b.lengths, ZerosLike(b.lengths)), last, ZerosLike(last))
	return Where(b.within(0), x, BroadcastToShape(InsertAxes(last, 0), x.Shape()))
}

// cleared is x [T, R, B, …] with zeros behind the end of each sequence. Where passes no gradient there.
func (b *run) cleared(x *Node) *Node { return Where(b.within(0), x, ZerosLike(x)) }

// held makes a step keep the states of sequences that have ended, and clear the outputs that are shaped as a state:
// that costs less here than behind the loop, where clearOutputs clears the others. It appends what that takes to what
// the step is given: the step's number to the inputs, and to the weights the lengths in each state's shape, so that the
// loop broadcasts nothing.
func (b *run) held(step scan.Step, xs, weights []*Node) (scan.Step, []*Node, []*Node) {
	dtype, own := b.xs[0].DType(), len(weights)
	lengths := StopGradient(ConvertDType(b.lengths, dtype))
	for _, state := range b.begin {
		axes := slices.Repeat([]int{-1}, state.Rank()-lengths.Rank())
		weights = append(weights, BroadcastToShape(InsertAxes(lengths, axes...), state.Shape()))
	}
	t := Iota(lengths.Graph(), shapes.Make(dtype, b.xs[0].Shape().Dimensions[0]), 0)
	return func(s *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
		last := len(x) - 1
		// Clones: a step may change its slices.
		nextCarry, y = step(s, slices.Clone(carry), slices.Clone(x[:last]), slices.Clone(weights[:own]))
		var goesOn []*Node
		for _, lengths := range weights[own:] {
			goesOn = append(goesOn, LessThan(x[last], lengths))
		}
		nextCarry = slices.Clone(nextCarry)
		for i, next := range nextCarry {
			nextCarry[i] = Where(goesOn[i], next, carry[i])
		}
		y = slices.Clone(y)
		for i, output := range y {
			same := func(m *Node) bool { return slices.Equal(m.Shape().Dimensions, output.Shape().Dimensions) }
			if j := slices.IndexFunc(goesOn, same); j >= 0 {
				y[i] = Where(goesOn[j], output, ZerosLike(output))
			}
		}
		return nextCarry, y
	}, append(slices.Clone(xs), t), weights
}

// clearOutputs puts zeros behind the end of each sequence, where held has not. It panics if an output is not one for
// each sequence.
func (b *run) clearOutputs(ys []*Node) {
	for i, y := range ys {
		asState := func(s *Node) bool { return slices.Equal(s.Shape().Dimensions, y.Shape().Dimensions[1:]) }
		if y.Rank() > 0 && slices.ContainsFunc(b.begin, asState) {
			continue
		}
		want := b.xs[0].Shape().Dimensions[:3]
		require.That(y.Rank() >= 3 && slices.Equal(y.Shape().Dimensions[:3], want),
			"%#v: output %d is %s, want [T, R, B, …] = %v and more axes for Lengths", b.cell, i, y.Shape(), want)
		ys[i] = b.cleared(y)
	}
}
