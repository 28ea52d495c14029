package cell_test

import (
	"fmt"
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
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
)

// regularized is a store whose layers are regularized.
func regularized(name string, amount float64) *model.Store {
	store := model.NewStore()
	store.RootScope().SetParam(name, amount)
	return store
}

// added is what the layers of a graph have added to the loss.
func added(g *Graph) *Node {
	loss := train.GetRegularizationLoss(g)
	if loss == nil {
		exceptions.Panicf("nothing is added to the loss")
	}
	return loss
}

// What is added to the loss is the sum of the squares of the matrices of a cell, of a contextual initial state and of
// Dense, as of GoMLX's own. Vectors, learned initial states and embeddings are not regularized.
func TestRegularizedCells(t *testing.T) {
	const amount = 0.25
	for _, test := range cells {
		store, rng := regularized(regularizer.ParamL2, amount), rand.New(rand.NewPCG(102, 102))
		initial := cell.Parts{}
		for range cell.StateDims(test.cell) {
			initial.Of = append(initial.Of, cell.Learned{})
		}
		initial.Of[0] = cell.Contextual{Output: cell.Linear{}, WeightInit: cell.He{}}
		run := func(s *model.Scope, x, context *Node) []*Node {
			symbols := Const(x.Graph(), [][]int32{{0, 1, 2}, {2, 1, 0}})
			table := cell.Embedding(s.In("table"), symbols, 3, 2, cell.He{}, 1, 2)
			h := cell.New(s.In("cell"), test.cell, x).Seeds(1, 2).InitialState(initial, context).Outputs()
			ours := cell.Dense(s.In("ours"), h, 2, cell.He{}, 1, 2)
			theirs := layers.Dense(s.In("theirs"), x, true, 2)
			return []*Node{added(x.Graph()), table, ours, theirs}
		}
		x, context := firstInputs(test.inputs), random(rng, firstTrials, firstBatch, 2)
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
			set(t, v, random(rng, v.Shape().Dimensions...))
			for _, w := range flat(t, v.MustValue()) {
				want += amount * w * w
			}
		}
		for v := range store.IterVariables() { // whatever the others are
			if v.DType().String() == "Float64" && !slices.Contains(kernels, v.Path()) {
				set(t, v, random(rng, v.Shape().Dimensions...))
			}
		}
		out := model.MustCallOnceN(goBackend, store, run, x, context)
		compare(t, test.name, flat(t, out[0]), []float64{want}, 1e-11)
	}
}

// The regularization of a trial concerns its own weights only: it has the same gradient, bit for bit, alone and beside
// trials that have diverged, and the sum stays finite, so that GoMLX's loop does not stop.
func TestRegularizedTrials(t *testing.T) {
	x := random(rand.New(rand.NewPCG(103, 103)), 4, 1, 3, 2)
	run := func(weight float64, seeds ...uint64) (loss float64, gradients []*tensors.Tensor) {
		store := regularized(regularizer.ParamL2, 0.3)
		network := func(s *model.Scope, x *Node) []*Node {
			dims := x.Shape().Clone().Dimensions
			dims[1] = len(seeds)
			ys, _ := cell.New(s.In("gru"), cell.GRU{Hidden: 4}, BroadcastToDims(x, dims...)).Seeds(seeds...).Done()
			y := cell.Dense(s.In("d"), ys[0], 2, cell.He{}, seeds...)
			total := Add(trial.Total(ReduceMean(Square(y), 0, 2, 3)), added(x.Graph()))
			return append([]*Node{total}, s.BuildTrainableVariablesGradientsGraph(total)...)
		}
		model.MustCallOnceN(goBackend, store, network, x)
		for v := range store.IterVariables() {
			values := flat(t, v.MustValue())
			for i := len(values) / len(seeds); i < len(values); i++ { // all trials but the first
				values[i] = weight
			}
			set(t, v, tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...))
		}
		out := model.MustCallOnceN(goBackend, store, network, x)
		return out[0].Value().(float64), out[1:]
	}
	_, alone := run(0, 7)
	for _, weight := range []float64{1, math.NaN(), math.Inf(1), 1e200, 1e18} {
		loss, among := run(weight, 7, 8, 9)
		if math.IsNaN(loss) || math.Abs(loss) > math.MaxFloat32 {
			t.Errorf("weights of %g: the loss is %g, which float32 does not hold", weight, loss)
		}
		for i, gradient := range among {
			what := fmt.Sprintf("gradient %d, beside weights of %g", i, weight)
			compare(t, what, trialOf(flat(t, gradient), 3, 0), flat(t, alone[i]), 0)
		}
	}
}
