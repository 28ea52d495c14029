package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
)

// A symbol has the vector of its own trial; one beyond the table counts as the nearest of the same trial. The gradient
// of a vector is the sum over the places of its symbol.
func TestEmbedding(t *testing.T) {
	const n, width = 3, 2
	symbols := [][][]int32{{{0, 2}, {1, 1}}, {{-1, 7}, {-1, 7}}} // [T, R, B]
	store := model.NewStore()
	out := model.MustCallOnceN(goBackend, store, func(s *model.Scope, symbols *Node) []*Node {
		x := cell.Embedding(s, symbols, n, width, cell.He{}, 5, 6)
		last := cell.Embedding(s.ResetVisited(), Squeeze(Slice(symbols, AxisRange(1, 2)), 0), n, width, cell.He{}, 5, 6)
		return append([]*Node{x, last}, s.BuildTrainableVariablesGradientsGraph(ReduceAllSum(x))...)
	}, symbols)
	table := store.GetVariable("/table").MustValue().Value().([][][]float32)
	if slices.Equal(table[0][0], table[1][0]) {
		t.Error("trials of different seeds have equal tables")
	}
	x := out[0].Value().([][][][]float32)
	for step, trials := range symbols {
		for r, sequences := range trials {
			for b, symbol := range sequences {
				if want := table[r][min(max(symbol, 0), n-1)]; !slices.Equal(x[step][r][b], want) {
					t.Errorf("symbol %d of trial %d: %v, want %v", symbol, r, x[step][r][b], want)
				}
			}
		}
	}
	if last := out[1].Value().([][][]float32); !slices.Equal(last[1][1], x[1][1][1]) {
		t.Errorf("without time %v, want %v", last[1][1], x[1][1][1])
	}
	counts := tensors.MustCopyFlatData[float32](out[2])
	if want := []float32{2, 2, 0, 0, 2, 2, 1, 1, 2, 2, 1, 1}; !slices.Equal(counts, want) {
		t.Errorf("gradient %v, want %v", counts, want)
	}
}

// Numbers that int32 does not hold are beyond the table, too.
func TestEmbeddingBeyondInt32(t *testing.T) {
	row := func(symbols any) []float64 {
		return flat(t, model.MustCallOnce(goBackend, model.NewStore(), func(s *model.Scope, symbols *Node) *Node {
			return ConvertDType(cell.Embedding(s, symbols, 3, 2, cell.He{}), dtypes.Float64)
		}, symbols))
	}
	first, last := row([][]int32{{0}}), row([][]int32{{2}})
	for _, symbols := range []any{
		[][]uint32{{1 << 31}}, [][]int64{{1<<32 + 1}}, [][]int64{{math.MaxInt64}}, [][]uint64{{math.MaxUint64}},
	} {
		compare(t, fmt.Sprintf("%T %v", symbols, symbols), row(symbols), last, 0)
	}
	compare(t, "far below", row([][]int64{{math.MinInt64}}), first, 0)
}

// What is computed again instead of being kept has the same bits: outputs, states and gradients.
func TestRecompute(t *testing.T) {
	x := random(rand.New(rand.NewPCG(92, 92)), 23, 2, 3, 2)
	for _, test := range cells {
		x := x
		if test.inputs != 2 || test.name == "bn-lstm" {
			continue
		}
		run := func(recompute bool) (all [][]float64) {
			for _, out := range model.MustCallOnceN(goBackend, model.NewStore(), func(s *model.Scope, x *Node) []*Node {
				b := cell.New(s, test.cell, x).Seeds(1, 2).InitialState(cell.Learned{}).Unroll(5)
				if recompute {
					b.Recompute()
				}
				ys, final := b.Done()
				results := append(ys, final...)
				return append(results, s.BuildTrainableVariablesGradientsGraph(conformance.Weighted(results))...)
			}, x) {
				all = append(all, flat(t, out))
			}
			return all
		}
		want := run(false)
		for i, got := range run(true) {
			compare(t, test.name, got, want[i], 0)
		}
	}
}
