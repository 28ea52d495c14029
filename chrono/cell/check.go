package cell

import (
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/internal/given"
	"github.com/warptime/warptime/chrono/internal/require"
)

// checkHidden is the error of a cell without units.
func checkHidden(cell Cell, hidden int) error {
	return given.Check(hidden >= 1, "%#v: want Hidden of 1 or more", cell)
}

// checkInputs rejects what is not float32 or float64, has another rank, or an empty axis.
func checkInputs(name string, x *Node, want string, ranks ...int) {
	shape := x.Shape()
	require.That((shape.DType == dtypes.Float32 || shape.DType == dtypes.Float64) &&
		slices.Contains(ranks, shape.Rank()) &&
		!slices.ContainsFunc(shape.Dimensions, func(dim int) bool { return dim < 1 }),
		"%s: inputs are %s, want float32 or float64 %s, no axis empty", name, shape, want)
}

// unused returns the index of the first of the given nodes on which no result depends, or −1. What a result depends on
// by way of another given node does not count: the input x·mask is made of the mask, but does not hand it to the cell.
func unused(given, results []*Node) int {
	reached := make(map[*Node]bool)
	var walk func(node *Node)
	walk = func(node *Node) {
		if node == nil || reached[node] {
			return
		}
		reached[node] = true
		if slices.Contains(given, node) {
			return
		}
		for _, input := range node.Inputs() {
			walk(input)
		}
	}
	for _, node := range results {
		walk(node)
	}
	return slices.IndexFunc(given, func(node *Node) bool { return !reached[node] })
}

// watched is an initialization that notes whether it was drawn from.
type watched struct {
	chrono.GateInit
	used *bool
}

func (w watched) Draw(rng *rand.Rand, units int) chrono.Biases {
	*w.used = true
	return w.GateInit.Draw(rng, units)
}
