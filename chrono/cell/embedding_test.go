package cell_test

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// A symbol has the vector of its own trial; one beyond the table counts as the nearest of the same trial, also if int32
// does not hold it. The gradient of a vector is the sum over the places of its symbol.
func TestEmbedding(t *testing.T) {
	const n, width = 3, 2
	symbols := [][][]int64{{{0, 2}, {1, 1<<32 + 1}}, {{-1, 7}, {math.MinInt64, math.MaxInt64}}} // [T, R, B]
	store := model.NewStore()
	out := model.MustCallOnceN(goBackend, store, func(s *model.Scope, symbols *Node) []*Node {
		embed := func(symbols *Node) *Node {
			return cell.Embedding(s.ResetVisited(), symbols, n, width, cell.He{}, 5, 6)
		}
		x := embed(symbols)
		out := append([]*Node{x}, s.BuildTrainableVariablesGradientsGraph(ReduceAllSum(x))...)
		for _, last := range []any{[][]uint32{{1 << 31}, {1 << 31}}, [][]uint64{{math.MaxUint64}, {2}}} { // [R, B]
			out = append(out, embed(Const(x.Graph(), last)))
		}
		return out
	}, symbols)
	table := store.GetVariable("/table").MustValue().Value().([][][]float32)
	check.That(t, !slices.Equal(table[0][0], table[1][0]), "trials of different seeds have equal tables")
	x := out[0].Value().([][][][]float32)
	for step, trials := range symbols {
		for r, sequences := range trials {
			for b, symbol := range sequences {
				check.Equal(t, x[step][r][b], table[r][min(max(symbol, 0), n-1)], "symbol %d of trial %d", symbol, r)
			}
		}
	}
	counts := tensors.MustCopyFlatData[float32](out[1])
	check.Equal(t, counts, []float32{2, 2, 0, 0, 2, 2, 1, 1, 1, 1, 2, 2}, "gradient")
	for _, last := range out[2:] {
		check.Equal(t, last.Value().([][][]float32), [][][]float32{table[0][n-1:], table[1][n-1:]}, "without time")
	}
}
