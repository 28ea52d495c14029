package warp

import (
	"fmt"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig4 is W Figure 4: LSTMs with standard and with chrono initialization on the adding task.
var Fig4 = figures.Figure{
	Paper: paper, Name: "fig4",
	Title: "Standard and chrono initialization on the adding task",
	Panels: []experiment.Panel{
		addingPanel("adding200", 200, 20_000, scaledDown{150, 4_000}, scaledDown{100, 1_200}),
		addingPanel("adding750", 750, 40_000, scaledDown{400, 5_000}, scaledDown{200, 1_000}),
	},
	Views: []figures.View{figures.TrainingCurves{}},
	Caption: "Mean squared error of LSTMs on the adding task, on fresh sequences at every update; what is above " +
		"the frame is cut off. Memoryless is the error of the best model without memory.",
	Open: append([]figures.Choice{
		{
			Open: "read-out", Chosen: "one number, from the last state, without a squashing function",
			Why: "the task asks for one number at the end",
		}, {
			Open: "number of updates (adding)", Chosen: "20,000 (T = 200) and 40,000 (T = 750)",
			Why: "published replications stop at 10,000 and 30,000; standard initialization is to have time to finish",
		},
	}, lstmChoices...),
}

// addingPanel declares a panel of Figure 4, with T and the number of updates at scale paper and at the smaller ones.
func addingPanel(name string, paper, updates int, reduced, quick scaledDown) experiment.Panel {
	return experiment.Panel{
		Name: name, Title: fmt.Sprintf("adding, T = %d", paper),
		X: "updates", Y: "mean squared error", Arms: initializations,
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {
				Title: fmt.Sprintf("adding, T = %d", quick.t), Trials: 3,
				Declaration: adding(quick.t, training{hidden: 32, updates: quick.updates, rate: 4e-3}),
			},
			record.Reduced: {
				Title: fmt.Sprintf("adding, T = %d", reduced.t), Trials: 3,
				Declaration: adding(reduced.t, training{hidden: 64, updates: reduced.updates, rate: 4e-3}),
			},
			record.Paper: {
				Trials:      3,
				Declaration: adding(paper, training{hidden: 128, updates: updates, rate: paperRate}),
			},
		},
	}
}

// adding is the adding task; W Section 3: Tmax = T.
func adding(t int, r training) comparison {
	a := task.Adding{T: t}
	return comparison{
		data:       trial.Regression{Tasks: []task.Regression{a}, Split: "train", Batch: paperBatch},
		inputs:     experiment.AsIs{},
		readOut:    experiment.ScalarAtEnd{},
		loss:       trial.SquaredError{},
		memoryless: a.Memoryless(), tmax: float64(t), training: r,
	}
}
