package cell

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/internal/require"
)

// Embedding maps each symbol to a learned vector: symbols [B, T] or [B] of any integer type, 0 … n−1, become float32
// [B, T, width] or [B, width]; those out of range are clamped to it. For trials, which have a table each, symbols are
// [T, R, B] or [R, B]. The variable under scope is "table" [n, width], drawn by init from each trial's seed. The
// default seeds are those of [Builder.Seeds].
//
// As the first layer of a graph, Embedding takes symbols for one model's, unless they have three axes, or seeds are
// given.
func Embedding(scope *model.Scope, symbols *Node, n, width int, init WeightInit, seeds ...uint64) *Node {
	require.That(scope != nil && symbols != nil && init != nil,
		"cell.Embedding: scope, symbols or init is nil, want all three")
	require.That(n >= 1 && width >= 1, "cell.Embedding: %d symbols of width %d, want 1 or more of both", n, width)
	l := layoutOf(symbols, seeds, 3)
	if l.one {
		symbols = InsertAxes(symbols, symbols.Rank()-1) // as if the steps were a batch
	}
	shape := symbols.Shape()
	require.That(shape.DType.IsInt() && (shape.Rank() == 2 || shape.Rank() == 3),
		"cell.Embedding: symbols are %s, want integers [B, T] or [B], or [T, R, B] or [R, B] for R trials", shape)
	axis := shape.Rank() - 2 // of the trials
	draw := func(d Draws) []float64 { return init.Draw(d.RNG(), Output, n, width) }
	list := []Weight{{"table", []int{n, width}, draw}}
	seeds = l.seedsFor("cell.Embedding", scope, list, symbols, seeds, shape.Dimensions[axis])
	table := Variables(scope, symbols.Graph(), list, dtypes.Float32, seeds)["table"]
	// The trials' tables stand one below the other: a symbol must not reach into another trial's.
	if shape.DType != dtypes.Uint64 {
		symbols = ConvertDType(symbols, dtypes.Int64) // n may be too large for the symbols' own type
	}
	nearest := ConvertDType(MinScalar(MaxScalar(symbols, 0), n-1), dtypes.Int32)
	row := Add(nearest, MulScalar(Iota(table.Graph(), nearest.Shape(), axis), n))
	out := Gather(Reshape(table, len(seeds)*n, width), InsertAxes(row, -1))
	if l.one {
		out = Squeeze(out, -3)
	}
	return out
}
