package cell

import (
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/scan"
)

// Every cell is made of Wx·x + Wh·h + b, for a number of gates and candidates side by side: blocks of H columns each in
// the weights "input" [I, blocks·H], "bias" [blocks·H] and "recurrent" [H, blocks·H].

// affineWeights lists the weights of that many blocks, the prefix before their names.
func affineWeights(prefix string, inputs, hidden, blocks int) []Weight {
	return []Weight{
		{prefix + "input", []int{inputs, blocks * hidden}},
		{prefix + "bias", []int{blocks * hidden}},
		{prefix + "recurrent", []int{hidden, blocks * hidden}},
	}
}

// drawAffine draws the start values of affineWeights(…), one block for each of the given biases [H].
func drawAffine(d Draws, prefix string, inputs int, biases ...[]float64) [][]float64 {
	hidden := len(biases[0])
	input := drawBlocks(d, prefix+"input", inputs, hidden, len(biases), d.WeightInit.Input)
	recurrent := drawRecurrent(d, prefix+"recurrent", hidden, len(biases))
	return [][]float64{input, slices.Concat(biases...), recurrent}
}

// drawRecurrent draws the variable of that name, [H, blocks·H].
func drawRecurrent(d Draws, name string, hidden, blocks int) []float64 {
	return drawBlocks(d, name, hidden, hidden, blocks, func(rng *rand.Rand, _, hidden int) []float64 {
		return d.WeightInit.Recurrent(rng, hidden)
	})
}

// drawBlocks draws the variable of that name: blocks [rows, columns] side by side, each as draw does or all at once.
func drawBlocks(d Draws, name string, rows, columns, blocks int,
	draw func(rng *rand.Rand, rows, columns int) []float64) []float64 {
	rng := d.RNG(name)
	if start, joined := d.WeightInit.(JointWeightInit); joined {
		return start.Joint(rng, rows, blocks*columns)
	}
	var out [][]float64
	for range blocks {
		out = append(out, draw(rng, rows, columns))
	}
	return beside(out, columns)
}

// beside joins matrices of the given number of columns, row-major, into one.
func beside(blocks [][]float64, columns int) []float64 {
	var out []float64
	for begin := 0; begin < len(blocks[0]); begin += columns {
		for _, block := range blocks {
			out = append(out, block[begin:begin+columns]...)
		}
	}
	return out
}

// prepareAffine does what can be done for all steps at once, with x [T, R, B, I]. Its results are for affine.
//
// With few features, I < H, the inputs meet their weights in the loop: x joins h in the one product of a step, which
// costs less than to write and read blocks·H numbers for every input. Else it is done here, for all steps in one
// product. Both give the same result but for rounding.
func prepareAffine(x, input, bias, recurrent *Node, blocks int) (stepXs []*Node, weight *Node) {
	features, hidden := x.Shape().Dimensions[3], recurrent.Shape().Dimensions[1]
	x, input = withOne(x), Concatenate([]*Node{input, InsertAxes(bias, 1)}, 1)
	if features < hidden {
		return []*Node{x}, Concatenate([]*Node{input, recurrent}, 1)
	}
	for block := range blocks {
		stepXs = append(stepXs, project(x, column(input, block, hidden)))
	}
	return stepXs, recurrent
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

// column is one block of weights that stand side by side, of the given width.
func column(weights *Node, block, width int) *Node {
	return SliceAxis(weights, -1, AxisRange(block*width, (block+1)*width))
}
