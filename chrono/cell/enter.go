package cell

import (
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/warptime/warptime/chrono/scan"
)

// enter prepares Wx·x + Wh·h + b for a number of gates side by side: input [R, I, gates·H], bias [R, gates·H] and
// recurrent [R, H, gates·H], with x [T, R, B, I].
//
// With few features, I < H, the inputs meet their weights in the loop: x joins h in the one product of a step, which
// costs less than to write and read gates·H numbers for every input. Else it is done here, for all steps in one product.
// Both give the same result but for rounding. The results are for affine.
func enter(x, input, bias, recurrent *Node, gates int) (stepXs []*Node, weight *Node) {
	features, hidden := x.Shape().Dimensions[3], recurrent.Shape().Dimensions[1]
	x, input = withOne(x), Concatenate([]*Node{input, InsertAxes(bias, 1)}, 1)
	if features < hidden {
		return []*Node{x}, Concatenate([]*Node{input, recurrent}, 1)
	}
	for gate := range gates {
		block := SliceAxis(input, -1, AxisRange(gate*hidden, (gate+1)*hidden))
		stepXs = append(stepXs, project(x, block))
	}
	return stepXs, recurrent
}

// affine is Wx·x + Wh·h + b for each gate, [R, B, H]; x and weight are a step's share of what enter returned.
func affine(s *scan.Ctx, x []*Node, h, weight *Node, gates int) []*Node {
	if weight.Shape().Dimensions[1] > h.Shape().Dimensions[2] { // The rows of x stand above those of h.
		return s.Dot(Concatenate([]*Node{x[0], h}, -1), weight, gates)
	}
	z := s.Dot(h, weight, gates)
	for gate := range z {
		z[gate] = Add(z[gate], x[gate])
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

// gates lists the weights of a number of gates side by side.
func gates(inputs, hidden, count int) []Weight {
	return []Weight{
		{"input", []int{inputs, count * hidden}},
		{"bias", []int{count * hidden}},
		{"recurrent", []int{hidden, count * hidden}},
	}
}

// initGates draws the start values of gates(…), one gate for each of the given biases.
func initGates(rng *rand.Rand, inputs, hidden int, biases ...[]float64) [][]float64 {
	var input, recurrent [][]float64
	for range biases {
		input = append(input, glorot(rng, inputs, hidden))
		recurrent = append(recurrent, orthogonal(rng, hidden))
	}
	return [][]float64{beside(inputs, input...), slices.Concat(biases...), beside(hidden, recurrent...)}
}
