package warp

import (
	"math"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// At scale paper our runs have the sizes of those in PyTorch.
func TestTorchSizes(t *testing.T) {
	tasks, err := BeyondTorch.Tasks(experiment.Options{Scale: record.Paper, Seed: 1})
	check.OK(t, err)
	for i, task := range []torchTask{torchAdding, torchCopy} {
		ours, theirs := tasks[i], task.result
		batch, steps := ours.Data.Shape()
		network, optimizer := ours.Network.(experiment.Recurrent), ours.Optimizer
		tmax := network.GateInit[len(network.GateInit)-1].(chrono.Chrono).Tmax
		for what, pair := range map[string][2]float64{
			"steps": {float64(steps), float64(theirs.Steps)}, "batch": {float64(batch), float64(theirs.Batch)},
			"units":           {float64(network.Units()), float64(theirs.Hidden)},
			"updates":         {float64(ours.Length.Total()), float64(theirs.Updates)},
			"updates a point": {float64(ours.Window), float64(theirs.Window)},
			"rate":            {optimizer.Rates[0], theirs.Rate},
			"alpha":           {optimizer.Method.(trial.RMSprop).Alpha, theirs.Alpha},
			"Tmax":            {tmax, theirs.Tmax},
			"memoryless":      {*ours.Trials[0].Memoryless, theirs.Memoryless},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("%s: %s is %g, and %g in PyTorch", task.name, what, pair[0], pair[1])
			}
		}
	}
}
