package warp

import (
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// TodayScales asks which time scales a network should begin with. Those of today's networks have the density T^-k, with
// k = 1 or 2 (see [chrono.Scales]); k = 0 is chrono's.
var TodayScales = figures.Figure{
	Paper: paper, Name: "today-scales",
	Title: "Initial time scales",
	Panels: []experiment.Panel{
		scalesPanel(lstmScalesAdding, "LSTM, adding", units[cell.LSTM], onAdding),
		scalesPanel(lstmScalesCopy, "LSTM, copy", units[cell.LSTM], onCopy),
		scalesPanel(minGRUScalesAdding, "minimal GRU, adding", units[cell.MinGRU], onAdding),
		scalesPanel(minGRUScalesCopy, "minimal GRU, copy", units[cell.MinGRU], onCopy),
	},
	Views: []figures.View{figures.TimesToLearn{}},
	Found: "With the right Tmax, k = 0 and 1 learn alike; with one that is ten times too large, an LSTM copies " +
		"sooner with k = 1 (b).",
	Caption: "Initial time scales have the density T^−k between 2 and Tmax steps, or all of 2 steps. Updates until " +
		"the training loss is half of the memoryless loss; fewer are better. The right Tmax is 3/2 of the task's T; " +
		"on the right it is ten times as large. Marks above the grey line: not every trial got there.",
	Layout: figures.Layout{Alike: true},
	Arms:   []string{twoSteps.Name, k0.Name, k1.Name, k2.Name}, // chrono is red here, too
	Conditions: []claim.Condition{{
		Name: "one rate",
		Why:  "one layer; predictions fixed before any run; two rules changed since, without effect",
	}},
	Claims: scalesClaims,
}

var (
	lstmScalesAdding   = timedPanel{"warp/today-scales", "lstm-adding", well}
	lstmScalesCopy     = timedPanel{"warp/today-scales", "lstm-copy", well}
	minGRUScalesAdding = timedPanel{"warp/today-scales", "mingru-adding", well}
	minGRUScalesCopy   = timedPanel{"warp/today-scales", "mingru-copy", well}
)

// Densities of initial time scales, and a time scale of 2 steps in every unit.
var (
	k0       = density("k0", "k = 0 (chrono)", 0)
	k1       = density("k1", "k = 1", 1)
	k2       = density("k2", "k = 2", 2)
	twoSteps = begin("two-steps", "2 steps", forgetBias(0))
)

func density(name, label string, k float64) variant {
	return begin(name, label, func(tmax float64) chrono.GateInit { return chrono.Scales{K: k, Min: 2, Max: tmax} })
}

func scalesPanel(of timedPanel, title string, newCell func(hidden int) cell.Cell, e sweptTask) experiment.Panel {
	arms := []variant{k0.of(newCell), k1.of(newCell), k2.of(newCell), twoSteps.of(newCell)}
	return taskPanel(experiment.Panel{
		Name: of.name, Title: title + ", T = %d", X: "times the right Tmax", Y: "updates to learn",
		Arms: armsOf(arms), Target: of.level.Value,
	}, e.of, e.over(20, 200, 200), func(_ record.Scale, c comparison, seeds []uint64) []experiment.Run {
		c.tmax = 1.5 * float64(c.t)
		if e.name == onCopy.name {
			c.weights = normalInputs(1) // Figure 3's main condition
		}
		all := c.atFactor(seeds, 1, arms...).and(c.atFactor(seeds, 10, arms[:3]...)) // 2 steps are so with any Tmax
		return []experiment.Run{c.timed("", all)}
	})
}

// scalesClaims are predictions: chrono's density suits tasks of which all dependencies are long, and one with as much
// in each decade suffers least from a wrong Tmax, also where gates see the input alone.
var scalesClaims = []claim.Claim{
	carriedOn("Section 2", "lstm-order", "An LSTM learns faster with a smaller k, and slowest with 2 steps.",
		claim.All{lstmScalesAdding.ordered(), lstmScalesCopy.ordered()}),
	carriedOn("Section 2", "lstm-robust", "With a Tmax ten times too large, an LSTM loses least if k = 1.",
		claim.All{lstmScalesAdding.firstLosesLeast(), lstmScalesCopy.firstLosesLeast()}),
	carriedOn("Section 2", "mingru-order", "A minimal GRU learns faster with a smaller k, and slowest with 2 steps.",
		claim.All{minGRUScalesAdding.ordered(), minGRUScalesCopy.ordered()}),
	carriedOn("Section 2", "mingru-robust", "With a Tmax ten times too large, a minimal GRU loses least if k = 1.",
		claim.All{minGRUScalesAdding.firstLosesLeast(), minGRUScalesCopy.firstLosesLeast()}),
}

// ordered is the rule that updates to learn are ordered k = 0 ≤ 1 < 2 < 2 steps.
func (p timedPanel) ordered() claim.Rule {
	of := func(a variant) claim.Reaching { return p.toLearn(a.Name) }
	return claim.AtX{X: 1, Rule: claim.All{
		claim.Ratio{Of: of(k0), To: of(k1), AtMost: claim.Threshold{Value: 1.1, From: 1}},
		claim.Below{A: of(k1), B: of(k2)}, claim.Below{A: of(k2), B: of(twoSteps)},
	}}
}

// firstLosesLeast is the rule that k = 1 loses fewer times its updates than k = 0 and 2, with a Tmax ten times too
// large.
func (p timedPanel) firstLosesLeast() claim.Rule {
	slowed := func(a variant) claim.Quotient {
		at := func(factor claim.X) claim.At { return claim.At{Quantity: p.toLearn(a.Name), X: factor} }
		return claim.Quotient{A: at(10), B: at(1)}
	}
	return claim.All{claim.Below{A: slowed(k1), B: slowed(k0)}, claim.Below{A: slowed(k1), B: slowed(k2)}}
}
