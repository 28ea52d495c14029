package warp

import (
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// BeyondLong trains on variable copy for longer than Figure 3, whose trainings end while both arms still learn. W gives
// no number of updates.
var BeyondLong = figures.Figure{
	Paper: paper, Name: "beyond-long",
	Title:  "Beyond the paper: variable copy, trained for longer",
	Panels: []experiment.Panel{longPanel("varcopy500"), longPanel("varcopy1000")},
	Views:  []figures.View{figures.TrainingCurves{}},
	Caption: "Beyond the paper: the lower half of Figure 3, trained for longer. Training loss of LSTMs on the " +
		"variable copy task, on new sequences at every update. Values above the axis are clipped. Memoryless: the " +
		"loss of the best model without memory.",
	Open: []figures.Choice{
		{
			Open: "number of updates", Chosen: "100,000 at scale paper, 40,000 at scale reduced",
			Why: "the paper gives none. In the 30,000 of our Figure 3 (8,000 and 6,000 at scale reduced) the losses " +
				"still fall",
		}, {
			Open: "everything else", Chosen: "as in Figure 3, at each scale",
			Why: "the question is about the length of the training alone",
		},
	},
}

// longUpdates are those of BeyondLong.
var longUpdates = map[record.Scale]int{record.Quick: 1_600, record.Reduced: 40_000, record.Paper: 100_000}

// longPanel is a panel of Figure 3's variable copy, with more updates.
func longPanel(name string) experiment.Panel {
	sizes := map[record.Scale]taskSize{}
	for scale, size := range copySizes[name] {
		sizes[scale] = taskSize{size.t, longUpdates[scale]}
	}
	return comparisonPanel(name, "variable copy", copyLoss, 64, sizes, func(t int, r training) comparison {
		c := variableCopying(t, r)
		c.tests = nil // of the last model, at which there may be a spike
		return c
	})
}
