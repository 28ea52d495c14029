package cell_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/regularizer"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// What is added to the loss is the sum of the squares of the matrices of a cell, of a contextual initial state and of
// Dense, as of GoMLX's own. Vectors, learned initial states and embeddings are not regularized, and a trial whose sum
// is not finite is left out, so that GoMLX's loop does not stop. Weights that two runs share count once: the second
// uses the variables of the first, whatever its seeds.
func TestRegularizedCells(t *testing.T) {
	const amount = 0.25
	for _, test := range cells {
		store, rng := model.NewStore(), rand.New(rand.NewPCG(102, 102))
		store.RootScope().SetParam(regularizer.ParamL2, amount)
		initial := cell.Parts{}
		for range layerOf(test.cell, 1).StateDims {
			initial.Of = append(initial.Of, cell.Learned{})
		}
		initial.Of[0] = cell.Contextual{Output: cell.Linear{}, WeightInit: cell.He{}}
		run := func(s *model.Scope, x, context *Node) []*Node {
			symbols := Const(x.Graph(), [][]int32{{0, 1, 2}, {2, 1, 0}})
			theirs := layers.Dense(s.In("theirs"), x, true, 2)
			var ours []*Node
			for i, of := range []func(format string, args ...any) *model.Scope{s.In, s.Shared} {
				seeds := []uint64{1 + 7*uint64(i), 2}
				table := cell.Embedding(of("table"), symbols, 3, 2, cell.He{}, seeds...)
				h := cell.New(of("cell"), test.cell, x).Seeds(seeds...).InitialState(initial, context).Outputs()
				dense := cell.Dense(of("ours"), h, 2, cell.He{}, seeds...)
				values := []*Node{Reshape(ConvertDType(table, h.DType()), -1), Reshape(dense, -1)}
				ours = append(ours, Concatenate(values, 0))
			}
			return append(ours, train.GetRegularizationLoss(x.Graph()), theirs)
		}
		x, context := random(rng, 4, trials, batch, test.inputs), random(rng, trials, batch, 2)
		model.MustCallOnceN(goBackend, store, run, x, context)
		kernels := []string{"/cell/part 0/first state/state 0/weights", "/ours/weights", "/theirs/dense/weights"}
		for _, w := range layerOf(test.cell, test.inputs).Weights {
			if len(w.Dims) == 2 {
				kernels = append(kernels, "/cell/"+w.Name)
			}
		}
		want := 0.
		for _, path := range kernels {
			v := store.GetVariable(path)
			values := flat(t, random(rng, v.Shape().Dimensions...))
			finite := values
			if path == "/ours/weights" {
				finite = trialOf(values, trials, 0)
				trialOf(values, trials, 1)[0] = math.NaN()
			}
			for _, w := range finite {
				want += amount * w * w
			}
			check.OK(t, v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)))
		}
		for v := range store.IterVariables() { // whatever the others are
			if v.DType().String() == "Float64" && !slices.Contains(kernels, v.Path()) {
				check.OK(t, v.SetValue(random(rng, v.Shape().Dimensions...)))
			}
		}
		out := model.MustCallOnceN(goBackend, store, run, x, context)
		check.Near(t, flat(t, out[2]), []float64{want}, 1e-11, "%s", test.name)
		check.Near(t, flat(t, out[1]), flat(t, out[0]), 0, "%s, shared", test.name)
	}
}

// A layer is regularized though its scope is below that of another layer with a weight of the same name.
func TestRegularizedBelow(t *testing.T) {
	store := model.NewStore()
	store.RootScope().SetParam(regularizer.ParamL2, 1.)
	ones := cell.ScaledIdentity{Scale: 1}
	out := model.MustCallOnceN(goBackend, store, func(s *model.Scope, x *Node) []*Node {
		for _, scope := range []*model.Scope{s, s.In("below"), s.At("below").In("below")} {
			x = cell.New(scope, cell.MinGRU{Hidden: 2}, x).WeightInit(ones).Outputs()
		}
		return []*Node{train.GetRegularizationLoss(x.Graph()), x}
	}, [][][]float64{{{1, 1}}})
	check.Equal(t, tensors.ToScalar[float64](out[0]), 12, "three cells with four ones in a matrix")
}

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
