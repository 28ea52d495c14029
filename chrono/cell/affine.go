package cell

import (
	"slices"

	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/internal/require"
	"github.com/warptime/warptime/chrono/scan"
)

// Every cell is made of Wx·x + Wh·h + b, for a number of gates and candidates side by side: blocks of H columns each in
// the weights "input" [I, blocks·H], "bias" [blocks·H] and "recurrent" [H, blocks·H].

// A biasInit draws the initial values of one block's bias, one for each of its units: [zeroBias], [inputBias] or
// [forgetBias].
type biasInit func(d Draws, units int) []float64

func zeroBias(_ Draws, units int) []float64   { return make([]float64, units) }
func inputBias(d Draws, units int) []float64  { return d.GateBiases(units).Input }
func forgetBias(d Draws, units int) []float64 { return d.GateBiases(units).Forget }

// ofScale is f of each unit's time scale in steps, where that belongs to no gate's bias.
func ofScale(f func(scale float64) float64) biasInit {
	return func(d Draws, units int) []float64 {
		return xslices.Map(inputBias(d, units), func(bias float64) float64 { return f(chrono.TimeScale(-bias)) })
	}
}

// affineWeights lists the weights of one block for each bias, the prefix before their names.
func affineWeights(prefix string, inputs, hidden int, biases ...biasInit) []Weight {
	return []Weight{
		matrix(prefix+"input", Input, inputs, hidden, len(biases)),
		biasVector(prefix+"bias", hidden, biases...),
		matrix(prefix+"recurrent", Recurrent, hidden, hidden, len(biases)),
	}
}

// biasVector is the weight [blocks·H] of that name.
func biasVector(name string, hidden int, biases ...biasInit) Weight {
	return Weight{name, []int{len(biases) * hidden}, func(d Draws) (out []float64) {
		for _, draw := range biases {
			drawn := draw(d, hidden)
			require.That(len(drawn) == hidden, "cell: scope %s, weight %q: %d biases of a gate were drawn, want %d",
				d.Scope, d.Name, len(drawn), hidden)
			out = append(out, drawn...)
		}
		return out
	}}
}

// vector is a weight [n] whose elements all have the same initial value.
func vector(name string, n int, value float64) Weight {
	return Weight{name, []int{n}, func(Draws) []float64 { return slices.Repeat([]float64{value}, n) }}
}

// matrix is the weight [rows, blocks·columns] of that name, drawn block after block, or all blocks together.
func matrix(name string, role Role, rows, columns, blocks int) Weight {
	return Weight{name, []int{rows, blocks * columns}, func(d Draws) []float64 {
		require.That(d.WeightInit != nil, "cell: scope %s, weight %q: WeightInit is nil, want one to draw from",
			d.Scope, d.Name)
		rng := d.RNG()
		switch d.WeightInit.(type) {
		case JointOrthogonal, *JointOrthogonal:
			return d.WeightInit.Draw(rng, role, rows, blocks*columns)
		}
		values := make([]float64, rows*blocks*columns)
		for block := range blocks {
			drawn := d.WeightInit.Draw(rng, role, rows, columns)
			require.That(len(drawn) == rows*columns, "cell: scope %s, weight %q: %#v drew %d values, want %d for %v",
				d.Scope, d.Name, d.WeightInit, len(drawn), rows*columns, []int{rows, columns})
			for i, v := range drawn {
				values[(i/columns*blocks+block)*columns+i%columns] = v
			}
		}
		return values
	}}
}

// prepareAffine does what can be done for all steps at once, with x [T, R, B, I] and the weights that affineWeights
// lists under that prefix. Its results are for affine.
//
// With few features, I < H, the inputs meet their weights in the loop: x joins h in the one product of a step, which
// costs less than to write and read blocks·H numbers for every input. Else it is done here, for all steps in one
// product. Both give the same result but for rounding.
func prepareAffine(x *Node, weights map[string]*Node, prefix string, blocks int) (stepXs []*Node, weight *Node) {
	recurrent := weights[prefix+"recurrent"]
	if features, hidden := x.Shape().Dimensions[3], recurrent.Shape().Dimensions[1]; features < hidden {
		return []*Node{withOne(x)}, Concatenate([]*Node{withBias(weights, prefix), recurrent}, 1)
	}
	return projectAll(x, weights, prefix, blocks), recurrent
}

// prepareBlocks is the Prepare of a cell that is blocks of Wx·x + Wh·h + b and no more.
func prepareBlocks(cell Cell, hidden, blocks int) func([]*Node, map[string]*Node) (stepXs, stepWeights []*Node) {
	return func(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
		stepXs, weight := prepareAffine(xs[0], weights, "", blocks)
		return stepXs, append([]*Node{weight}, maskOf(cell, xs, hidden)...)
	}
}

// projectAll is Wx·x + b for each block and all steps at once, [T, R, B, H].
func projectAll(x *Node, weights map[string]*Node, prefix string, blocks int) []*Node {
	x = withOne(x)
	inputs := Split(withBias(weights, prefix), -1, blocks)
	return xslices.Map(inputs, func(input *Node) *Node { return project(x, input) })
}

// withBias is the input weights [R, I, blocks·H] with the biases as one row more.
func withBias(weights map[string]*Node, prefix string) *Node {
	return Concatenate([]*Node{weights[prefix+"input"], InsertAxes(weights[prefix+"bias"], 1)}, 1)
}

// affine is Wx·x + Wh·h + b for each block, [R, B, H]; x and weight are a step's share of what prepareAffine returned.
func affine(s *scan.Ctx, x []*Node, h, weight *Node, blocks int) []*Node {
	if weight.Shape().Dimensions[1] > h.Shape().Dimensions[2] { // The rows of x stand above those of h.
		return s.Dot(Concatenate([]*Node{x[0], h}, -1), weight, blocks)
	}
	z := s.Dot(h, weight, blocks)
	for block := range z {
		z[block] = Add(z[block], x[block])
	}
	return z
}

// withOne appends a feature that is always 1 to xs [T, R, B, I], so that a bias can be a row of the input weights.
func withOne(xs *Node) *Node {
	shape := xs.Shape().Clone()
	shape.Dimensions[3] = 1
	return Concatenate([]*Node{xs, Ones(xs.Graph(), shape)}, -1)
}

// project is xs [T, R, B, I] · weights [R, I, N] for all steps at once: [T, R, B, N].
func project(xs, weights *Node) *Node {
	out := DotGeneral(xs, []int{3}, []int{1}, weights, []int{1}, []int{0}) // [R, T, B, N]
	return TransposeAllAxes(out, 1, 0, 2, 3)
}

// copies are those of weights [R, N] for all sequences of a batch, [R, B, N].
func copies(weights *Node, xs []*Node) *Node {
	dims := weights.Shape().Dimensions
	return BroadcastToDims(InsertAxes(weights, 1), dims[0], xs[0].Shape().Dimensions[2], dims[1])
}

// column is one block of weights that stand side by side, of the given width.
func column(weights *Node, block, width int) *Node {
	return SliceAxis(weights, -1, AxisRange(block*width, (block+1)*width))
}
