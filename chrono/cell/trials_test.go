package cell_test

import (
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

// Where the axis of trials is forgotten, sequences or steps of a batch [B, T, …] stand in its place. Building the graph
// fails with one line, in whatever order the layers come.
func TestForgottenTrials(t *testing.T) {
	init, gru := cell.Orthogonal{}, cell.GRU{Hidden: 4}
	embed := func(s *model.Scope, symbols *Node) *Node { return cell.Embedding(s.In("e"), symbols, 10, 4, init) }
	dense := func(s *model.Scope, x *Node, seeds ...uint64) *Node {
		return cell.Dense(s.In("d"), x, 5, init, seeds...)
	}
	run := func(s *model.Scope, x *Node) *Node { // [T, R, B, 4]
		ys, _ := cell.New(s.In("gru"), gru, x).Done()
		return ys[0]
	}
	batchFirst := func(ys *Node) *Node { return Transpose(Squeeze(ys, 1), 0, 1) } // as GoMLX has it, [B, T, H]
	for _, row := range []struct {
		what     string
		build    func(s *model.Scope, x, symbols *Node) // x [8, 6, 3] and symbols [8, 6]: [B, T, I] and [B, T]
		mentions string
	}{
		// The first call of the graph.
		{"Embedding, then Sequences", func(s *model.Scope, _, symbols *Node) {
			cell.Sequences(embed(s, symbols), 1)
		}, "cell.Embedding under /e…[8, 6]…8 trials…cell.Sequences"},
		{"Dense, then Sequences", func(s *model.Scope, x, _ *Node) {
			cell.Sequences(dense(s, x), 1)
		}, "cell.Dense under /d…[8, 6, 3]…8 trials…cell.Sequences"},
		{"Embedding alone", func(s *model.Scope, _, symbols *Node) { embed(s, symbols) }, "cell.Embedding…8 trials"},
		{"Dense alone, at every step", func(s *model.Scope, x, _ *Node) { dense(s, x) }, "cell.Dense…8 trials"},
		{"Dense alone, time first", func(s *model.Scope, x, _ *Node) {
			dense(s, Transpose(x, 0, 1))
		}, "cell.Dense…6 trials"},
		{"GoMLX's Embedding, then Dense", func(s *model.Scope, _, symbols *Node) {
			dense(s, layers.Embedding(s.In("e"), symbols, dtypes.Float32, 10, 4))
		}, "cell.Dense…8 trials"},
		{"a cell, trials where steps are", func(s *model.Scope, x, _ *Node) {
			run(s, InsertAxes(x, 2)) // [B, T, 1, I]
		}, "GRU{Hidden:4, ResetAfter:false} under /gru…[8, 6, 1, 3]…6 trials"},
		{"a cell, batches where trials are", func(s *model.Scope, x, _ *Node) {
			run(s, InsertAxes(Transpose(x, 0, 1), 2)) // [T, B, 1, I]
		}, "GRU…8 trials"},
		{"a cell, without trials", func(s *model.Scope, x, _ *Node) {
			run(s, Transpose(x, 0, 1))
		}, "GRU…[T, R, B, I]"},

		// After another, which has fixed R: both are named.
		{"Sequences, a cell, then Dense with the batch first", func(s *model.Scope, x, _ *Node) {
			dense(s, batchFirst(run(s, cell.Sequences(x, 1))))
		}, "cell.Dense under /d: R = 8, but cell.Sequences has R = 1"},
		{"Dense with seeds, then Sequences", func(s *model.Scope, x, _ *Node) {
			cell.Sequences(dense(s, x, 1, 2, 3, 4, 5, 6, 7, 8), 1)
		}, "cell.Sequences: R = 1, but cell.Dense under /d has R = 8"},
		{"a decoder's symbols", func(s *model.Scope, x, symbols *Node) {
			run(s, cell.Sequences(x, 1))
			embed(s, symbols)
		}, "cell.Embedding under /e: R = 8, but cell.Sequences has R = 1"},
		{"variables of one's own", func(s *model.Scope, x, _ *Node) {
			run(s, InsertAxes(Transpose(x, 0, 1), 1))
			cell.Variables(s.In("own"), x.Graph(), nil, dtypes.Float32, make([]uint64, 8))
		}, "cell.Variables under /own: R = 8, but cell.GRU{Hidden:4, ResetAfter:false} under /gru has R = 1"},
		{"another cell", func(s *model.Scope, x, _ *Node) {
			run(s, cell.Sequences(x, 2))
			cell.New(s.In("other"), gru, InsertAxes(x, 1)).Seeds(1).Done()
		}, "GRU…under /other: R = 1, but cell.Sequences has R = 2"},

		// Losses and metrics.
		{"labels and logits with the batch first", func(s *model.Scope, x, symbols *Node) {
			logits := layers.Dense(s.In("own"), batchFirst(run(s, cell.Sequences(x, 1))), true, 10)
			trial.CrossEntropy{}.Losses(symbols, logits)
		}, "cross entropy: R = 8, but cell.Sequences has R = 1"},
		{"predictions with the batch first", func(s *model.Scope, x, _ *Node) {
			y := ReduceMean(batchFirst(run(s, cell.Sequences(x, 1))), -1) // [B, T]
			trial.SquaredError{}.Losses(y, y)
		}, "squared error: R = 8, but cell.Sequences has R = 1"},
		{"the accuracy with the batch first", func(s *model.Scope, x, symbols *Node) {
			trial.Metric("accuracy", trial.Accuracy{}.Losses).UpdateGraph(nil, []*Node{symbols},
				[]*Node{batchFirst(run(s, cell.Sequences(x, 1)))})
		}, "accuracy: R = 8, but cell.Sequences has R = 1"},
		{"a loss of each sequence", func(s *model.Scope, x, _ *Node) {
			trial.Total(ReduceMean(batchFirst(run(s, cell.Sequences(x, 1))), 1, 2))
		}, "trial.Total: R = 8, but cell.Sequences has R = 1"},
		{"a metric of each sequence", func(s *model.Scope, x, _ *Node) {
			y := batchFirst(run(s, cell.Sequences(x, 1)))
			trial.Metric("size", func(_, y *Node) *Node { return ReduceMean(y, 1, 2) }).UpdateGraph(nil, []*Node{y},
				[]*Node{y})
		}, `"size": R = 8, but cell.Sequences has R = 1`},
		{"weights without trials", func(s *model.Scope, x, _ *Node) {
			w := s.VariableWithValue("w", make([]float32, 3)).NodeValue(x.Graph()) // one for each input
			losses := ReduceMean(Mul(cell.Sequences(x, 1), Reshape(w, 1, 1, 1, 3)), 0, 2, 3)
			trial.Optimizer{Method: trial.SGD{}, Rates: []float64{1}}.UpdateGraph(s, x.Graph(), trial.Total(losses))
		}, "weights: R = 3, but cell.Sequences has R = 1"},
	} {
		g := NewGraph(goBackend, row.what)
		x, symbols := Parameter(g, "x", shapes.Make(dtypes.Float32, 8, 6, 3)), Parameter(g, "symbols",
			shapes.Make(dtypes.Int32, 8, 6))
		err := exceptions.TryCatch[error](func() { row.build(model.NewStore().RootScope(), x, symbols) })
		check.Rejected(t, row.what, err, row.mentions)
		g.Finalize()
	}
}

// Trials that are asked for once need no seeds elsewhere, and the trials of variables that are there already none.
func TestTrialsAskedForOnce(t *testing.T) {
	store := model.NewStore()
	for _, network := range []func(s *model.Scope, x *Node) *Node{
		func(s *model.Scope, x *Node) *Node {
			ys, _ := cell.New(s.In("gru"), cell.GRU{Hidden: 4}, x).Seeds(7, 8).Done()
			return cell.Dense(s.In("d"), ys[0], 5, cell.He{})
		},
		func(s *model.Scope, x *Node) *Node {
			ys, _ := cell.New(s.In("gru"), cell.GRU{Hidden: 4}, x).Done()
			return cell.Dense(s.In("d"), ys[0], 5, cell.He{})
		},
		func(s *model.Scope, x *Node) *Node {
			x = cell.Sequences(Squeeze(SliceAxis(x, 1, AxisRange(0, 1)), 1), 2)
			ys, _ := cell.New(s.In("new"), cell.GRU{Hidden: 4}, x).Done()
			return cell.Dense(s.In("newer"), ys[0], 5, cell.He{})
		},
	} {
		x := shapes.Make(dtypes.Float32, 6, 2, 6, 3)
		out := model.MustCallOnce(goBackend, store, func(s *model.Scope, seed *Node) *Node {
			return network(s, Zeros(seed.Graph(), x))
		}, float32(0))
		check.Equal(t, out.Shape().Dimensions, []int{6, 2, 6, 5}, "shape")
	}
}
