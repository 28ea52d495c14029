package warp

import (
	"fmt"

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
		copyPanel("copy500", "copy", copying, 500, scaledDown{200, 8_000}, scaledDown{60, 800}),
		copyPanel("copy2000", "copy", copying, 2000, scaledDown{400, 6_000}, scaledDown{120, 300}),
		copyPanel("varcopy500", "variable copy", variableCopying, 500, scaledDown{200, 8_000}, scaledDown{60, 800}),
		copyPanel("varcopy1000", "variable copy", variableCopying, 1000, scaledDown{400, 6_000}, scaledDown{120, 300}),
	},
	Views: []figures.View{figures.TrainingCurves{}},
	Caption: "Training loss of LSTMs on the copy and variable copy tasks, on fresh sequences at every update; " +
		"what is above the frame is cut off. Memoryless is the loss of the best model without memory.",
	Open: append([]figures.Choice{
		{
			Open: "which steps the loss is averaged over", Chosen: "all of them",
			Why: "the memoryless loss that the paper gives, 10·log 8/(T+20), is that average",
		}, {
			Open: "length of a variable copy", Chosen: "T+21 steps for every sequence, dummies after the output",
			Why: "a batch needs one length, and up to T characters stand between the text and the signal",
		}, {
			Open: "number of updates (copy)", Chosen: "30,000", Why: "the least that published replications use",
		},
	}, lstmChoices...),
}

// scaledDown is what a task and its training are at a scale below the paper's.
type scaledDown struct{ t, updates int }

// copyPanel declares a panel of Figure 3, with T as in the paper, and what it is at the smaller scales.
func copyPanel(
	name, title string, of func(t int, r training) comparison, paper int, reduced, quick scaledDown,
) experiment.Panel {
	return experiment.Panel{
		Name: name, Title: fmt.Sprintf("%s, T = %d", title, paper),
		X: "updates", Y: "training loss (nats per step)", Arms: initializations,
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {
				Title: fmt.Sprintf("%s, T = %d", title, quick.t), Trials: 3,
				Declaration: of(quick.t, training{hidden: 64, updates: quick.updates, rate: 4e-3}),
			},
			record.Reduced: {
				Title: fmt.Sprintf("%s, T = %d", title, reduced.t), Trials: 3,
				Declaration: of(reduced.t, training{hidden: 64, updates: reduced.updates, rate: 4e-3}),
			},
			record.Paper: {Trials: 3, Declaration: of(paper, training{hidden: 128, updates: 30_000, rate: paperRate})},
		},
	}
}

// lossBetween is the test loss at a number of characters between the text and the signal.
const lossBetween record.Result = "loss"

// copying is the copy task; W Section 3: Tmax = 3T/2.
func copying(t int, r training) comparison {
	return copyComparison(task.Copy{T: t}, 1.5*float64(t), nil, r)
}

// variableCopying is the variable copy task; W Section 3: Tmax = T. The trained models are asked for their loss at five
// numbers of characters between the text and the signal.
func variableCopying(t int, r training) comparison {
	var tests []experiment.Test
	for fifth := 1; fifth <= 5; fifth++ {
		between := fifth * t / 5
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
