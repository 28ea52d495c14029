package warp

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// BeyondTorch compares our training with that of an independent implementation, a script for PyTorch that was written
// from the paper: replication/torch. Its scale paper has the sizes of that script.
var BeyondTorch = figures.Figure{
	Paper: paper, Name: "beyond-torch",
	Title:  "Beyond the paper: the same trainings in PyTorch",
	Panels: []experiment.Panel{torchAdding.panel(), torchCopy.panel()},
	Views:  []figures.View{figures.TrainingCurves{}},
	Caption: "Does an independent implementation find the same? Training loss of LSTMs with 64 units, here and in " +
		"PyTorch, by a script that was written from the paper and shares no code with ours.",
	Layout: figures.Layout{Columns: 2, Height: 2.5 * vg.Inch},
	Open: []figures.Choice{{
		Open: "sizes", Chosen: "64 units, 2,000 updates, rate 4e-3; three trials",
		Why: "chrono learns in them, and PyTorch takes minutes",
	}, {
		Open: "initial weights", Chosen: "as in Figures 3 and 4, in PyTorch too, but drawn from its own random numbers",
		Why: "the paper gives none",
	}},
}

// A torchTask is a task that was trained here and in PyTorch.
type torchTask struct {
	name, title, axis string
	t                 int
	of                func(t int, r training) comparison
}

var (
	torchAdding = torchTask{"adding200", "adding", "mean squared error", 200, adding}
	torchCopy   = torchTask{"copy50", "copy", "training loss (nats per step)", 50, copying}
)

// torchTraining is that of the script.
var torchTraining = training{hidden: 64, updates: 2_000, rate: 4e-3}

func (t torchTask) panel() experiment.Panel {
	const quick = 20
	title := func(steps int) string { return fmt.Sprintf("%s, T = %d", t.title, steps) }
	return experiment.Panel{
		Name: t.name, Title: title(t.t), X: "updates", Y: t.axis, Arms: initializations,
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {
				Title: title(quick), Trials: 3, Declaration: t.of(quick, training{32, 300, torchTraining.rate}),
			},
			record.Paper: {Trials: 3, Declaration: t.of(t.t, torchTraining)},
		},
	}
}
