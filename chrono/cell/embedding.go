package cell

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Embedding maps each symbol to a learned vector, with a separate table for each trial: symbols [T, R, B] or [R, B] of
// any integer type, 0 … n−1, become float32 [T, R, B, width] or [R, B, width]; those out of range are clamped to it.
// The variable under scope is "table" [R, n, width], drawn by init from each trial's seed. The default seeds are those
// of [Builder.Seeds].
//
// It panics, as graph-building functions do, with one line if symbols has another shape or type, n or width is not
// positive, init is nil or invalid, the number of seeds is not R, R is not the graph's, or the graph has used the
// scope.
func Embedding(scope *model.Scope, symbols *Node, n, width int, init WeightInit, seeds ...uint64) *Node {
	if scope == nil || symbols == nil || init == nil {
		exceptions.Panicf("cell.Embedding: scope, symbols or init is nil, want all three")
	}
	if err := validateInit(init); err != nil {
		exceptions.Panicf("cell.Embedding: %v", err)
	}
	if n < 1 || width < 1 {
		exceptions.Panicf("cell.Embedding: %d symbols of width %d, want 1 or more of both", n, width)
	}
	shape := symbols.Shape()
	if !shape.DType.IsInt() || shape.Rank() != 2 && shape.Rank() != 3 {
		exceptions.Panicf("cell.Embedding: symbols are %s, want integers [T, R, B] or [R, B]", shape)
	}
	axis := shape.Rank() - 2 // of the trials
	isNew := scope.GetVariable("table") == nil
	seeds = seedsFor(layerIn("cell.Embedding", scope), symbols, seeds, shape.Dimensions[axis], isNew)
	draw := func(d Draws) []float64 { return init.Draw(d.RNG(), Output, n, width) }
	list := []Weight{{"table", []int{n, width}, draw}}
	table := Variables(scope, symbols.Graph(), list, dtypes.Float32, seeds)["table"]
	// The trials' tables stand one below the other: a symbol must not reach into another trial's.
	if shape.DType != dtypes.Uint64 {
		symbols = ConvertDType(symbols, dtypes.Int64) // n may be too large for the symbols' own type
	}
	nearest := ConvertDType(MinScalar(MaxScalar(symbols, 0), n-1), dtypes.Int32)
	row := Add(nearest, MulScalar(Iota(table.Graph(), nearest.Shape(), axis), n))
	return Gather(Reshape(table, len(seeds)*n, width), InsertAxes(row, -1))
}
