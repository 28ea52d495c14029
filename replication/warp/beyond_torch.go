package warp

import (
	"fmt"
	"slices"

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

// Averaged says that a point is the mean over some updates.
func (besideTorch) Averaged() {}

// sameTime is up to how many times longer one implementation may take: our choice.
var sameTime = claim.Threshold{Name: "a factor of %s between the implementations", Value: 1.5, From: 1}

func torchClaims() []claim.Claim {
	return []claim.Claim{{
		ID: "warp/beyond-torch.implementations-agree", Where: "Section 3, adding and copy tasks", Ours: true,
		Says: "Both implementations, ours and an independent one in PyTorch, find the same.",
		Criterion: "LSTMs of 64 units, both initializations: neither takes on average more than 1.5 times as many " +
			"updates as the other to half and a tenth of the memoryless loss (adding, T = 200), and to nine tenths " +
			"of it (copy, T = 50); where in neither all trials get there, the trials of both overlap",
		DecidedBy: []claim.Run{{Figure: BeyondTorch.ID(), Scale: record.Paper}},
		Judge:     claim.Judging(implementationsAgree),
	}}
}

func implementationsAgree(r claim.Reader) claim.Finding {
	var answers []claim.Answer
	var found []string
	furthest := 1.0
	for _, task := range []torchTask{torchAdding, torchCopy} {
		for _, arm := range initializations {
			ours := r.Curves(r.Arm(BeyondTorch.ID(), task.name, arm.Name).Shares(record.Train))
			theirs := r.Cut(task.curves(arm.Name))
			for _, level := range task.levels {
				here, there := claim.DurationsOf(ours, level), claim.DurationsOf(theirs, level)
				ratio := claim.RatioOf(here, there)
				answers = append(answers, sameDurations(here, there, ratio, r.Threshold(sameTime)))
				found = append(found, fmt.Sprintf("%s, T = %d, %s: updates to %g of the memoryless loss, ours %v, "+
					"PyTorch %v, ratio %v", task.title, task.t, arm.Name, level, here, there, ratio))
				if here.End() && there.End() {
					furthest = max(furthest, ratio.Mean, 1/ratio.Mean)
				}
			}
		}
	}
	if r.Scale != record.Paper {
		return claim.Found(claim.Inconclusive, "no training of the sizes of PyTorch's at this scale", found...)
	}
	return claim.Found(claim.Every(answers...), "further apart, but the trials of both overlap", found...).
		With("at most a factor %s apart", record.Number(furthest))
}

// sameDurations answers whether two implementations took as long, up to a factor.
func sameDurations(a, b claim.Durations, ratio claim.Ratio, factor float64) claim.Answer {
	near := max(ratio.Mean, 1/ratio.Mean) <= factor
	overlap := slices.Min(a.AtMost) <= slices.Max(b.AtMost) && slices.Min(b.AtMost) <= slices.Max(a.AtMost)
	switch {
	case near && a.End() && b.End(), overlap && !a.End() && !b.End():
		return claim.Reproduced
	case near || overlap:
		return claim.Inconclusive
	}
	return claim.Contradicted
}
