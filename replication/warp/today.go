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
	Open: choices("today"),
	Conditions: []claim.Condition{{
		Name: "rates tuned on one grid",
		Why:  "one layer each; predictions fixed before any run",
	}},
	Claims: todayClaims,
}

// A todayArm is an architecture, and what stands before it.
type todayArm struct {
	architecture
	steps int // the gates' inputs: the last steps, side by side
	width int // of the convolution before the cell; 0: none
}

var (
	gatedToday = todayArm{of("gated", "gates of x and h", gated.cell), 1, 0}
	minGRU     = todayArm{of("mingru", "minimal GRU", newMinGRU), 1, 0}
	minGRU2    = todayArm{of("mingru-2", "minimal GRU, two inputs", newMinGRU), 2, 0}
	mamba      = todayArm{of("mamba", "Mamba's form", selective), 1, 1}
	mamba4     = todayArm{of("mamba-4", "Mamba's form, convolution", selective), 1, 4}
	rgLRU      = todayArm{of("rg-lru", "RG-LRU", func(h int) cell.Cell { return cell.RGLRU{Hidden: h} }), 1, 0}
	lru        = todayArm{of("lru", "LRU", func(h int) cell.Cell { return cell.LRU{Hidden: h} }), 1, 0}

	todayArms = []todayArm{gatedToday, minGRU, minGRU2, mamba, mamba4, rgLRU, lru}
)

func newMinGRU(h int) cell.Cell { return cell.MinGRU{Hidden: h} }

func selective(h int) cell.Cell { return cell.Selective{Hidden: h, States: 4} }

// of is an architecture whose units begin with a time scale of 2 steps.
func of(name, label string, of func(hidden int) cell.Cell) architecture {
	return architecture{Arm: experiment.Arm{Name: name, Label: label}, cell: of, init: halfOpen}
}

var todayRates = []int{1, 4, 16} // thousandths

func todayPanel(f family) experiment.Panel {
	size := func(trials, longest, tests int, c setup) experiment.Size {
		return experiment.Size{
			Title: fmt.Sprintf("%s, up to %d", f.title, longest), Trials: trials,
			Runs: func(seeds []uint64) (runs []experiment.Run) {
				for _, arm := range todayArms {
					runs = append(runs, arm.run(c, f.task(c.Length, longest), seeds, tests))
				}
				return runs
			},
		}
	}
	quick := quickSetup
	quick.Updates = 200
	return experiment.Panel{
		Name: f.name, Title: f.title + ", up to 100", X: ratesAxis, Y: excessAxis, Arms: armsOf(todayArms),
		Sizes: map[record.Scale]experiment.Size{
			record.Quick:   size(3, 20, 1, quick),
			record.Reduced: size(3, 50, 10, reducedSetup),
			record.Paper:   size(5, 100, 100, paperSetup),
		},
	}
}

// run is the run of an arm on a task, at every rate and with every seed.
func (arm todayArm) run(c setup, each leveled, seeds []uint64, tests int) experiment.Run {
	run := c.atRates(arm.normal(), todayRates, func(int, int) leveled { return each }, seeds, tests)
	network := run.Network.(experiment.Recurrent)
	if arm.steps > 1 {
		network.Inputs = experiment.Recent{Steps: arm.steps, Of: network.Inputs}
	}
	run.Network = network
	if arm.width > 0 {
		run.Network = experiment.Convolved{Features: c.Hidden, Width: arm.width, Then: network}
	}
	return run
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
func solvesToday(task string, arm todayArm) claim.Rule {
	return claim.AtMost{Q: tuned(task, arm), Limit: visible}
}

func tuned(task string, arm todayArm) Tuned {
	return Tuned{testExcess(claim.Arm{Figure: "warp/today", Panel: task, Name: arm.Name}), experiment.ValidLoss}
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
