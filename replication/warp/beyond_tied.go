package warp

import (
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// BeyondTied asks what W leaves open below (10): whether an LSTM's forget gate should be tied to its input gate,
// f = 1 − i, or only begin so, as with chrono initialization. W is "not aware of systematic comparisons".
var BeyondTied = figures.Figure{
	Paper: paper, Name: "beyond-tied",
	Title: "Gates kept tied, or only initialized tied",
	Panels: []experiment.Panel{
		tiedPanel("adding", onAdding, map[record.Scale]int{record.Quick: 50, record.Reduced: 200, record.Paper: 200}),
		tiedPanel("copy", onCopy, map[record.Scale]int{record.Quick: 25, record.Reduced: 200, record.Paper: 500}),
	},
	Views: []figures.View{figures.TrainingCurves{}},
	Found: "Networks with tied gates learn sooner, but not all stay stable.",
	Caption: "Training loss of LSTMs whose forget gate is one minus the input gate, and of LSTMs with both gates, on " +
		"new sequences at every update. Values above the axis are clipped. Memoryless: the loss of the best model " +
		"without memory.",
	Open: choices("beyond-tied"),
}

// The arms of BeyondTied besides those of Figures 3 and 4.
const (
	tiedStandardArm = "tied-standard"
	tiedChronoArm   = "tied-chrono"
)

var tiedStarts = []start{
	standard, withChrono,
	begin(tiedStandardArm, "tied, forget bias 1", always(oneTimeScale)),
	begin(tiedChronoArm, "tied, chrono initialization", chronoOver(1)),
}

// tiedPanel declares a panel with a run for each cell, with both initializations.
func tiedPanel(name string, e sweptTask, ts map[record.Scale]int) experiment.Panel {
	at := e.over(ts)
	for _, scale := range []record.Scale{record.Reduced, record.Paper} {
		r := at[scale]
		r.trials = 5
		at[scale] = r
	}
	at[record.Reduced] = at[record.Reduced].of(3_000)
	return taskPanel(experiment.Panel{
		Name: name, Title: name + ", T = %d", X: "updates", Y: "training loss", Target: e.reached.Value,
		Arms: armsOf(tiedStarts),
	}, e.of, at, func(_ record.Scale, c comparison, seeds []uint64) []experiment.Run {
		return []experiment.Run{
			c.timed("lstm", newLSTM(c.hidden), c.begun(seeds, nil, tiedStarts[:2]...)),
			c.timed("tied", cell.TiedLSTM{Hidden: c.hidden}, c.begun(seeds, nil, tiedStarts[2:]...)),
		}
	})
}

var (
	untilAdding = timedPanel{"warp/beyond-tied", "adding", solved}
	untilCopy   = timedPanel{"warp/beyond-tied", "copy", something}
)

var tiedClaims = []claim.Claim{{
	Name:  "tied-gates",
	Where: "Section 1, below (10)",
	Says:  "Gates that are kept tied save parameters, and can be used with success.",
	Quote: "has been successfully used before",
	Rule:  claim.All{untilAdding.asFast(tiedChronoArm, chronoArm), untilCopy.asFast(tiedChronoArm, chronoArm)},
	Show: []claim.Quantity{
		untilAdding.toLearn(tiedStandardArm), untilCopy.toLearn(tiedStandardArm),
		lossOf(untilCopy.toLearn(tiedChronoArm).Of, claim.Last), lossOf(untilCopy.toLearn(chronoArm).Of, claim.Last),
		lossOf(untilCopy.toLearn(tiedChronoArm).Of, claim.WorstLate),
		lossOf(untilCopy.toLearn(chronoArm).Of, claim.WorstLate),
	},
}}
