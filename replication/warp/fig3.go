package warp

import (
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig3 is W Figure 3: LSTMs with standard and with chrono initialization on the copy and variable copy tasks.
var Fig3 = figures.Figure{
	Paper: paper, Name: "fig3",
	Title: "Standard and chrono initialization on the copy and variable copy tasks",
	Panels: []experiment.Panel{
		copyPanel("copy500", "copy", copying),
		copyPanel("copy2000", "copy", copying),
		copyPanel("varcopy500", "variable copy", variableCopying),
		copyPanel("varcopy1000", "variable copy", variableCopying),
	},
	Views: []figures.View{figures.TrainingCurves{}},
	Caption: "Training loss of LSTMs on the copy and variable copy tasks, on new sequences at every update. Values " +
		"above the axis are clipped. Memoryless: the loss of the best model without memory, 10 log 8 / (T + 20) in " +
		"copy. In the paper, chrono initialization heavily outperforms standard initialization in (a), (b) and " +
		"(d), and both perform well in (c).",
	Open: append([]figures.Choice{
		{
			Open: "which steps the loss is averaged over", Chosen: "all of them",
			Why: "the memoryless loss that the paper gives, 10·log 8/(T+20), is that average",
		}, {
			Open: "length of a variable copy", Chosen: "T+21 steps for every sequence, dummies after the output",
			Why: "a batch needs one length, and up to T characters stand between the text and the signal",
		}, {
			Open: "at which T the baseline does better than random prediction", Chosen: "at one T of Figure 3's copy",
			Why: "the paper gives none; the sentence compares with Arjovsky et al., who have no variable copy",
		}, {
			Open: "number of updates (copy)", Chosen: "30,000", Why: "the least that published replications use",
		},
	}, lstmChoices...),
}

// copySizes are those of each panel of Figure 3.
var copySizes = map[string]map[record.Scale]taskSize{
	"copy500":     {record.Quick: {60, 800}, record.Reduced: {200, 8_000}, record.Paper: {500, 30_000}},
	"copy2000":    {record.Quick: {120, 300}, record.Reduced: {400, 6_000}, record.Paper: {2000, 30_000}},
	"varcopy500":  {record.Quick: {60, 800}, record.Reduced: {200, 8_000}, record.Paper: {500, 30_000}},
	"varcopy1000": {record.Quick: {120, 300}, record.Reduced: {400, 6_000}, record.Paper: {1000, 30_000}},
}

const copyLoss = "loss (nats per step)"

// copyPanel declares a panel of Figure 3.
func copyPanel(name, title string, of func(t int, r training) comparison) experiment.Panel {
	return comparisonPanel(name, title, copyLoss, 64, copySizes[name], of)
}

// lossBetween is the test loss at a number of characters between the text and the signal.
const lossBetween record.Result = record.Loss

// copying is the copy task; W Section 3: Tmax = 3T/2.
func copying(t int, r training) comparison {
	return copyComparison(task.Copy{T: t}, 1.5*float64(t), nil, r)
}

// distances are the five numbers of characters between the text and the signal at which trained models are tested.
func distances(t int) []int { return []int{t / 5, 2 * t / 5, 3 * t / 5, 4 * t / 5, t} }

// variableCopying is the variable copy task; W Section 3: Tmax = T.
func variableCopying(t int, r training) comparison {
	var tests []experiment.Test
	for _, between := range distances(t) {
		tests = append(tests, experiment.Test{
			Data: trial.Symbols{
				Tasks: []task.Symbols{task.VariableCopy{T: t, Between: between}}, Split: "test", Batch: validBatch,
			},
			Batches: 1,
			Measures: []experiment.Measure{{Name: lossBetween.At(float64(between)),
				Of: experiment.Mean{Of: trial.CrossEntropy{}}}},
		})
	}
	return copyComparison(task.VariableCopy{T: t}, float64(t), tests, r)
}

// copyComparison is what the two copy tasks share.
func copyComparison(t leveled, tmax float64, tests []experiment.Test, r training) comparison {
	return comparison{
		data:       trial.Symbols{Tasks: []task.Symbols{t}, Split: "train", Batch: paperBatch},
		inputs:     experiment.OneHot{Symbols: t.Alphabet()},
		readOut:    experiment.ClassAtEachStep{Units: t.Classes()},
		loss:       trial.CrossEntropy{},
		memoryless: t.Memoryless(), tmax: tmax, tests: tests, training: r,
	}
}

const copyTasks = "Section 3, Copy tasks"

const neitherWell = "too short: neither is at half of the memoryless loss"
