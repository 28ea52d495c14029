package warp

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Today asks whether today's recurrent networks can follow a clock. Their gates see the input alone, so that they can
// train by an associative scan; W's proof wants a g that represents dc/dt. Padding shows in the input, so a gate of x
// can follow it. That a letter is a repeated one does not show, unless the gate sees earlier inputs, too. So the
// predictions were made; gates that are open or closed for each letter refute one, since a step with such gates does
// nothing the second time.
var Today = figures.Figure{
	Paper: paper, Name: "today",
	Title:  "Can today's networks warp time?",
	Panels: []experiment.Panel{todayPanel(variableWarp), todayPanel(variablePad)},
	Views:  []figures.View{loggedLosses},
	Found: "Gates of the input alone can follow time: every network with gates solves both tasks at some rate, and " +
		"LRUs, without gates, do not solve warping.",
	Caption: "Minimal GRUs, RG-LRUs, Mamba's selective state spaces and LRUs on Figure 1's variable tasks, beside " +
		"its gated network, at three learning rates. Test loss; 0 % is the best possible loss (drawn at 0.001 %), " +
		"100 % that of the best model without memory; 5 % is what we call solved.",
	Arms: []string{"mingru", "mingru-2", "gated", "mamba", "mamba-4", "rg-lru", "lru"}, // gated as in Figure 1
	Conditions: []claim.Condition{{
		Name: "rates tuned on one grid",
		Why:  "one layer each; predictions fixed before any run of this size",
	}},
	Claims: todayClaims,
}

// Every arm's units begin with a time scale of 2 steps.
var (
	gatedToday = today("gated", "gates of x and h", gated.cell)
	minGRU     = today("mingru", "minimal GRU", units[cell.MinGRU])
	minGRU2    = minGRU.as("mingru-2", "minimal GRU, two inputs").after(lastTwo)
	mamba      = today("mamba", "Mamba's form", selective).after(convolution(1))
	mamba4     = mamba.as("mamba-4", "Mamba's form, convolution").after(convolution(4))
	rgLRU      = today("rg-lru", "RG-LRU", units[cell.RGLRU])
	lru        = today("lru", "LRU", units[cell.LRU])

	todayArms = []variant{gatedToday, minGRU, minGRU2, mamba, mamba4, rgLRU, lru}
)

func today(name, label string, newCell func(hidden int) cell.Cell) variant {
	return begin(name, label, forgetBias(0)).of(newCell).at(1, fig1Normal)
}

func selective(h int) cell.Cell { return cell.Selective{Hidden: h, States: 4} }

// after is the variant with something before its cell.
func (a variant) after(before func(experiment.Recurrent) experiment.Network) variant {
	a.before = before
	return a
}

// lastTwo puts the last two inputs side by side, for the gates to see.
func lastTwo(n experiment.Recurrent) experiment.Network {
	n.Inputs = experiment.Recent{Steps: 2, Of: n.Inputs}
	return n
}

// convolution is Mamba's layers before the recurrence.
func convolution(width int) func(experiment.Recurrent) experiment.Network {
	return func(n experiment.Recurrent) experiment.Network {
		return experiment.Convolved{Features: n.Units(), Width: width, Then: n}
	}
}

func todayPanel(f family) experiment.Panel {
	all := scaled(20, 50, 100)
	p := setupsPanel(experiment.Panel{
		Name: f.name, X: ratesAxis,
	}, todayArms, func(scale record.Scale, c setup, a variant, seeds []uint64) experiment.Run {
		if scale == record.Quick {
			c.updates = 200
		}
		return c.atRates(a, []int{1, 4, 16}, func(int, int) symbolTask { return f.task(c.t, all[scale]) }, seeds)
	})
	return atScales(p, all, func(scale record.Scale, longest int) experiment.Size {
		size := p.Sizes[scale]
		size.Title = fmt.Sprintf("%s, up to %d", f.title, longest)
		return size
	})
}

// todayClaims are predictions, which follow from W's proof; the last was made after the runs that refute them.
var todayClaims = []claim.Claim{
	carriedOn("Section 1", "gates-of-x-follow-padding", "A gate that sees the input alone can follow padding.",
		solvesToday("variable-pad", minGRU)),
	carriedOn("Section 1", "gates-of-x-cannot-follow-warping",
		"A gate that sees the input alone cannot follow warping; one of input and state can.",
		claim.All{solvesToday("variable-warp", gatedToday), claim.Below{
			A: tuned("variable-warp", gatedToday), B: tuned("variable-warp", minGRU), By: visible,
		}}),
	carriedOn("Section 1", "two-inputs-suffice", "A gate that sees the last two inputs follows warping.",
		solvesToday("variable-warp", minGRU2)),
	carriedOn("Section 1", "mamba-needs-its-convolution",
		"Mamba's form follows warping with its convolution, and not without.",
		claim.All{solvesToday("variable-warp", mamba4), claim.Not{Rule: solvesToday("variable-warp", mamba)}}),
	carriedOn("Section 1", "lrus-cannot-follow-warping", "RG-LRUs and LRUs cannot follow warping.",
		claim.All{
			claim.Not{Rule: solvesToday("variable-warp", rgLRU)}, claim.Not{Rule: solvesToday("variable-warp", lru)},
		}),
	carriedOn("Section 1", "gates-of-x-follow-warping", "A gate that sees the input alone can follow warping.",
		solvesToday("variable-warp", minGRU)),
}

// solvesToday is the rule that an arm solves a task at its tuned rate.
func solvesToday(task string, a variant) claim.Rule {
	return claim.AtMost{Q: tuned(task, a), Limit: visible}
}

func tuned(task string, a variant) Tuned {
	return Tuned{testExcess(claim.Arm{Figure: "warp/today", Panel: task, Name: a.Name}), experiment.ValidLoss}
}

// Tuned is a result at that value of x at which another series ends lowest in the mean.
type Tuned struct {
	claim.Result
	By record.Result
}

func (q Tuned) Read(s claim.Source) claim.Sample {
	losses := claim.Series{Of: q.Of, Name: q.By, Stat: claim.Last}.Read(s)
	all := q.Result.Read(s)
	best := all.At(slices.MinFunc(losses.Xs(), func(a, b float64) int {
		return cmp.Compare(losses.At(a).Mean(), losses.At(b).Mean())
	}))
	for i := range best {
		best[i].X = claim.NoX // which differs between arms
	}
	return best
}

func (q Tuned) Named(w claim.Words) claim.Named {
	named := q.Result.Named(w)
	named.Name += ", tuned"
	return named
}
