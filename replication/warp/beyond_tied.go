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
		tiedPanel("adding", onAdding, 50, 200, 200), tiedPanel("copy", onCopy, 25, 200, 500),
	},
	Views: []figures.View{figures.Curves{}},
	Found: "Networks with tied gates learn sooner, but not all stay stable.",
	Caption: "Training loss of LSTMs whose forget gate is one minus the input gate, and of LSTMs with both gates, on " +
		"new sequences at every update. Values above the axis are clipped. Memoryless: the loss of the best model " +
		"without memory.",
}

// The arms of BeyondTied besides those of Figures 3 and 4.
var (
	tiedStandard = begin("tied-standard", "tied, forget bias 1", always(oneTimeScale)).of(units[cell.TiedLSTM])
	tiedChrono   = begin("tied-chrono", "tied, chrono initialization", chronoOver(1)).of(units[cell.TiedLSTM])
)

// tiedPanel declares a panel with a run for each cell, with both initializations.
func tiedPanel(name string, e sweptTask, quick, reduced, paper int) experiment.Panel {
	at := changed(e.over(quick, reduced, paper), scaled(3, 5, 5), func(r *training, trials int) { r.trials = trials })
	shorter := map[record.Scale]int{record.Reduced: 3_000}
	at = changed(at, shorter, func(r *training, updates int) { r.updates = updates })
	return taskPanel(experiment.Panel{
		Name: name, Title: name + ", T = %d", X: "updates", Y: "training loss", Target: e.reached.Value,
		Arms: armsOf([]variant{standard, withChrono, tiedStandard, tiedChrono}),
	}, e.of, at, func(_ record.Scale, c comparison, seeds []uint64) []experiment.Run {
		return []experiment.Run{
			c.timed("lstm", c.begun(seeds, nil, standard, withChrono)),
			c.timed("tied", c.begun(seeds, nil, tiedStandard, tiedChrono)),
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
	Rule:  claim.All{untilAdding.asFast(tiedChrono.Name, chronoArm), untilCopy.asFast(tiedChrono.Name, chronoArm)},
	Show: []claim.Quantity{
		untilAdding.toLearn(tiedStandard.Name), untilCopy.toLearn(tiedStandard.Name),
		lossOf(untilCopy.toLearn(tiedChrono.Name).Of, claim.Last), lossOf(untilCopy.toLearn(chronoArm).Of, claim.Last),
		lossOf(untilCopy.toLearn(tiedChrono.Name).Of, claim.WorstLate),
		lossOf(untilCopy.toLearn(chronoArm).Of, claim.WorstLate),
	},
}}
