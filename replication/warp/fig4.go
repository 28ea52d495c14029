package warp

import (
	"slices"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig4 is W Figure 4: LSTMs with standard and with chrono initialization on the adding task.
var Fig4 = figures.Figure{
	Paper: paper, Name: "fig4",
	Title: "Standard and chrono initialization on the adding task",
	Panels: []experiment.Panel{
		comparisonPanel("adding200", "adding", addingLoss, adding, map[record.Scale]training{
			record.Quick:   {t: 100, hidden: 32, updates: 1_200, rate: 4e-3},
			record.Reduced: {t: 150, hidden: 64, updates: 4_000, rate: 4e-3},
			record.Paper:   {t: 200, hidden: 128, updates: 20_000, rate: paperRate},
		}),
		comparisonPanel("adding750", "adding", addingLoss, adding, map[record.Scale]training{
			record.Quick:   {t: 200, hidden: 32, updates: 1_000, rate: 4e-3},
			record.Reduced: {t: 400, hidden: 64, updates: 5_000, rate: 4e-3},
			// Three networks did not decide.
			record.Paper: {t: 750, hidden: 128, updates: 60_000, rate: paperRate, trials: 6},
		}),
	},
	Views: []figures.View{figures.Curves{Log: true, Low: 5e-5}},
	Found: "Chrono initialization learns first; at T = 750 (b) by a wide margin.",
	Caption: "Mean squared error of LSTMs on the adding task, on new sequences at every update. Values above the " +
		"axis are clipped. Memoryless: the error of the best model without memory. In the paper, chrono " +
		"initialization converges 7 times faster than standard initialization at T = 750. One standard network of " +
		"(b) trained for twice as long as the others, in a second run: by the end of its first it had not learned.",
	Conditions: []claim.Condition{{
		Name: "as declared",
		Why:  "the paper's words; at T = 750 three of six networks added when three left a claim open",
	}},
	Claims: fig4Claims,
}

const addingLoss = "mean squared error"

// adding is the adding task; W Section 3: Tmax = T.
func adding(r training) comparison {
	a := task.Adding{T: r.t}
	return comparison{
		data:    trial.Sampled[task.Regression]{Tasks: []task.Regression{a}, Split: "train", Batch: paperBatch},
		inputs:  experiment.AsIs{},
		readOut: experiment.ScalarAtEnd{},
		loss:    experiment.SquaredError{},
		task:    a, tmax: float64(r.t), training: r,
	}
}

// fig4Claims are what W says of the adding task. A network has learned it when its error is a tenth of the memoryless
// error.
var fig4Claims = slices.Concat(addingClaims("200"), addingClaims("750"), []claim.Claim{{
	Name: "adding750.7x", Where: section3, Says: "On adding, T = 750, chrono converges 7 times faster.",
	Quote: "it converges 7 times faster for T = 750",
	Rule: claim.Ratio{
		Of: adding750.toLearn(standardArm), To: adding750.toLearn(chronoArm), Median: true,
		About: 7, Within: claim.Threshold{Value: 1.4, From: 1},
	},
	// Those of the length that was declared first, in which one standard network did not learn.
	Show: []claim.Quantity{claim.Reaching{
		Of:   claim.Arm{Figure: "warp/fig4", Panel: "adding750", Name: standardArm, Updates: 60_000},
		Name: record.Train, As: claim.OfMemoryless, Level: solved,
	}},
}})

func addingClaims(t string) []claim.Claim {
	panel := "adding" + t
	losses := lossesOf("warp/fig4", panel, claim.MeanOf) // over all of training
	return []claim.Claim{{
		Name: panel + ".faster", Where: section3,
		Says:  "On adding, T = " + t + ", chrono significantly speeds up learning.",
		Quote: "chrono initialization significantly speeds up learning",
		Rule:  learnsFaster(panel),
	}, {
		Name: panel + ".outperforms", Where: "Caption of Figure 4",
		Says:  "On adding, T = " + t + ", chrono heavily outperforms standard.",
		Quote: "heavily outperforms standard initialization",
		Rule:  claim.Below{A: losses[0], B: losses[1], By: visible, Factor: far},
	}}
}

var adding750 = timedPanel{"warp/fig4", "adding750", solved}

// learnsFaster is what we call a significant gain: chrono is always first, and takes half of the updates, or has
// learned before any of standard is half-way.
func learnsFaster(panel string) claim.Rule {
	all, half := timedPanel{"warp/fig4", panel, solved}, timedPanel{"warp/fig4", panel, well}
	chrono, standard := all.toLearn(chronoArm), all.toLearn(standardArm)
	return claim.All{
		claim.Below{A: chrono, B: standard},
		claim.Any{
			claim.Ratio{Of: standard, To: chrono, AtLeast: twice},
			claim.Below{A: chrono, B: half.toLearn(standardArm)},
		},
	}
}
