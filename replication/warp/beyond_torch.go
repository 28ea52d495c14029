package warp

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/torch"
)

// BeyondTorch compares our training with that of an independent implementation, a script for PyTorch that was written
// from the paper: replication/torch. Its scale paper has the sizes of that script.
var BeyondTorch = figures.Figure{
	Paper: paper, Name: "beyond-torch",
	Title:  "Beyond the paper: the same trainings in PyTorch",
	Panels: []experiment.Panel{torchAdding.panel(), torchCopy.panel()},
	Views:  []figures.View{besideTorch{}},
	Caption: "Beyond the paper: does an independent implementation find the same? Training loss of LSTMs with 64 " +
		"units, here and in PyTorch, by a script that was written from the paper and shares no code with ours.",
	Layout: figures.Layout{Columns: 2, Height: 2.5 * vg.Inch},
	Arms:   []string{"standard", "chrono", "standard" + inTorch, "chrono" + inTorch},
	Open: []figures.Choice{{
		Open: "sizes", Chosen: "64 units, 2,000 updates, rate 4e-3; three trials",
		Why: "chrono learns in them, and PyTorch takes minutes",
	}, {
		Open: "initial weights", Chosen: "as in Figures 3 and 4, in PyTorch too, but drawn from its own random numbers",
		Why: "the paper gives none",
	}},
}

// inTorch ends the name of an arm of PyTorch.
const inTorch = "-torch"

// A torchTask is a task that was trained here and in PyTorch.
type torchTask struct {
	name, title, axis string
	t                 int
	of                func(t int, r training) comparison
	result            torch.Result
	levels            []float64 // shares of the memoryless loss: how long it takes to get there is compared
}

var (
	torchAdding = torchTask{"adding200", "adding", "mean squared error", 200, adding, torch.Adding, []float64{0.5, 0.1}}
	torchCopy   = torchTask{
		"copy50", "copy", "loss (nats per step)", 50, copying, torch.Copy, []float64{0.9},
	}
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
				Title: title(quick), Trials: 3,
				Declaration: t.of(quick, training{hidden: 32, updates: 300, rate: torchTraining.rate}),
			},
			record.Paper: {Trials: 3, Declaration: t.of(t.t, torchTraining)},
		},
	}
}

// besideTorch shows training losses beside those of PyTorch, where both were trained alike.
type besideTorch struct{}

// Chart implements figures.View.
func (besideTorch) Chart(title string, p figures.Panel) figures.Chart {
	c := figures.TrainingCurves{}.Chart(title, p).(figures.CurveChart)
	if p.Records[0].Scale != record.Paper {
		return c
	}
	task := torchAdding
	if p.Name == torchCopy.name {
		task = torchCopy
	}
	for _, arm := range p.Arms {
		line := figures.Line{Label: arm.Label + ", PyTorch", Style: p.Style(arm.Name + inTorch)}
		curves := task.curves(arm.Name)
		for i, update := range curves[0].Updates {
			var losses []float64
			for _, curve := range curves {
				losses = append(losses, task.result.Memoryless*curve.Values[i])
			}
			line.X = append(line.X, float64(update)-float64(task.result.Window)/2)
			line.Y, line.Trials = append(line.Y, record.SpreadOf(losses)), append(line.Trials, losses)
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// Averaged says that a point is the mean over some updates.
func (besideTorch) Averaged() {}

// curves are the losses of an arm in PyTorch, as shares of the memoryless loss.
func (t torchTask) curves(arm string) []claim.Curve {
	var curves []claim.Curve
	for _, losses := range t.result.Curves(arm) {
		var c claim.Curve
		for i, loss := range losses {
			c.Updates = append(c.Updates, (i+1)*t.result.Window)
			c.Values = append(c.Values, loss/t.result.Memoryless)
		}
		curves = append(curves, c)
	}
	return curves
}
