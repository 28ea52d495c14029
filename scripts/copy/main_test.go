package main

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

// The update that is written out is that of package trial: after some updates, the losses are the same.
func TestUpdate(t *testing.T) {
	engine := check.Got(backend.New(""))(t)
	method := trial.Optimizer{Method: trial.RMSprop{Alpha: decay, Epsilon: 1e-8}, Rates: []float64{rate}}
	library := func(scope *model.Scope, symbols, targets *graph.Node) *graph.Node {
		x := graph.StopGradient(graph.OneHot(symbols, sequences.Alphabet(), dtypes.Float32))
		h, _ := cell.New(scope.In("lstm"), cell.LSTM{Hidden: hidden}, x).Seeds(seeds...).GateInit(biases...).Done()
		logits := cell.Dense(scope.In("read-out"), h[0], sequences.Classes(), cell.Orthogonal{}, seeds...)
		losses := trial.CrossEntropy(targets, logits)
		method.UpdateGraph(scope, x.Graph(), trial.Total(losses))
		return losses
	}
	ours := model.MustNewExec(engine, model.NewStore(), update)
	theirs := model.MustNewExec(engine, model.NewStore(), library)
	data := trial.Sampled[task.Symbols]{Tasks: []task.Symbols{sequences}, Split: "train", Batch: batch}
	batches := check.Got(data.Open(seeds))(t)
	for n := range 4 {
		x, y, err := batches.Batch(n)
		check.OK(t, err)
		got, want := ours.MustCall(x[0], y[0])[0].Value(), theirs.MustCall(x[0], y[0])[0].Value()
		check.Equal(t, fmt.Sprintf("%.4f", got), fmt.Sprintf("%.4f", want), "losses of update %d", n)
	}
}

func TestPicture(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "copy.svg")
	check.OK(t, train(window, picture, io.Discard))
	check.Contains(t, string(check.Read(t, picture)), "<svg", "copy, T = 100", "chrono")
}
