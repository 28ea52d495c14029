package show

import (
	"context"
	"errors"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/replication/warp"
)

// short is a training of a few updates.
func short(t *testing.T) experiment.Task {
	o := experiment.Options{Scale: "quick", Panel: "uniform-warp", Trials: 1, Seed: 1}
	short := check.Got(warp.Fig1.Tasks(o))(t)[0]
	short.Length.Updates, short.Window, short.Schedule = 20, 10, experiment.ConstantRate{}
	return short
}

func TestWatchLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	shown := capture(t)
	r := Watch(short(t))
	check.Equal(t, r.End.Updates, 20, "updates")
	last := (*shown)[len(*shown)-1]
	check.That(t, last.Data[protocol.MIMEImageSVG] != nil && last.Data[protocol.MIMEImagePNG] != nil &&
		last.DisplayID != "", "the last picture is %v, in place %q", last.Data, last.DisplayID)

	// An interrupted one.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := trainAside(ctx, short(t))
	check.That(t, errors.Is(err, run.ErrInterrupted), "error %v, want interrupted", err)
	check.Entries(t, dir, 0)
}

func TestSizesNameThePapers(t *testing.T) {
	check.Contains(t, sizes(short(t)), "warp/fig1 uniform-warp quick rnn:", "32 units (scale paper: 64)",
		"20 updates (scale paper: 4687)")
	decay := check.Got(contextual.Fig5.Tasks(experiment.Options{Scale: record.Quick, Seed: 1}))(t)
	check.Contains(t, sizes(decay[0]), "3 models (scale paper: 10)") // in two runs
	adding := check.Got(warp.Fig4.Tasks(experiment.Options{Scale: record.Quick, Panel: "adding750", Seed: 1}))(t)
	check.Contains(t, sizes(adding[0]), "6 models (scale paper: 12)", "32 units (scale paper: 128)",
		"200 steps (scale paper: 750)", "1000 updates (scale paper: 60000)") // each in a run of its own
	for _, task := range check.Got(warp.Today.Tasks(experiment.Options{Scale: record.Quick, Seed: 1}))(t) {
		check.Contains(t, sizes(task), "models (scale paper: 15)") // those of mingru-2 are none of mingru's
	}
}

func TestFit(t *testing.T) {
	shown := capture(t)
	tasks := []task.Symbols{task.Warp{Length: 20, Min: 1, Max: 1}}
	data := trial.Sampled[task.Symbols]{Tasks: tasks, Split: "train", Batch: 16}
	x, y := Batch(data, 1)
	m := func(scope *model.Scope, x *graph.Node) *graph.Node {
		oneHot := graph.StopGradient(graph.OneHot(x, 10, dtypes.Float32))
		ys, _ := cell.New(scope.In("cell"), cell.Leaky{Hidden: 16}, oneHot).GateInit(chrono.Chrono{Tmax: 3}).Done()
		return cell.Dense(scope.In("readout"), ys[0], 10, cell.Orthogonal{})
	}
	store := NewFitting(200, 1e-2).Fit("short", Red, m, data)
	loss := model.MustCallOnce(Engine(), store, func(scope *model.Scope, x, y *graph.Node) *graph.Node {
		return trial.CrossEntropy(y, m(scope, x))
	}, x, y).Value().([]float32)[0]
	if memoryless := (task.Warp{Length: 20, Min: 1, Max: 1}).Memoryless(); float64(loss) > memoryless/4 {
		t.Errorf("loss %g after training, want far below the memoryless %g", loss, memoryless)
	}
	last := (*shown)[len(*shown)-1]
	check.That(t, last.Data[protocol.MIMEImagePNG] != nil, "the last picture is no final one")
}
