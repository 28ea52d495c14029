package warp

import (
	"fmt"
	"math"
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
		addingPanel("adding200", 200, 20_000, taskSize{150, 4_000}, taskSize{100, 1_200}),
		addingPanel("adding750", 750, 60_000, taskSize{400, 5_000}, taskSize{200, 1_000}),
	},
	Views: []figures.View{figures.TrainingCurves{}},
	Caption: "Mean squared error of LSTMs on the adding task, on fresh sequences at every update; what is above " +
		"the frame is cut off. Memoryless is the error of the best model without memory.",
	Open: append([]figures.Choice{
		{
			Open: "read-out", Chosen: "one number, from the last state, without a squashing function",
			Why: "the task asks for one number at the end",
		}, {
			Open: "number of updates (adding)", Chosen: "20,000 (T = 200) and 60,000 (T = 750)",
			Why: "published replications stop at 10,000 and 30,000; standard is to have time to finish, for which it " +
				"needs 7 times as many as chrono if the paper is right",
		},
	}, lstmChoices...),
}

// addingPanel declares a panel of Figure 4, with T and the number of updates at scale paper and at the smaller ones.
func addingPanel(name string, paper, updates int, reduced, quick taskSize) experiment.Panel {
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

const addingTask = "Section 3, Adding task"

// A trial has converged when its loss is at most solvedShare. How many times faster is enough is our choice.
const (
	fasterRatio   = 2.0 // significantly faster
	about7Ratio   = 5.0 // from here on it is about seven times, or more
	clearlyBelow7 = 3.5 // and up to this ratio it is not
)

func fig4Claims() []claim.Claim {
	adding200, adding750 := Fig4.Panel("adding200"), Fig4.Panel("adding750")
	outperforms200, outperforms750 := outperforms(adding200), outperforms(adding750)
	return []claim.Claim{
		faster(adding200), outperforms200,
		faster(adding750), outperforms750,
		{
			ID: "warp/fig4.adding750.7x", Where: addingTask,
			Says: fmt.Sprintf("In %s, chrono converges 7 times faster.", adding750.Title),
			Criterion: "on average, standard takes at least 5 times as many updates as chrono to a tenth of the " +
				"memoryless error, where every chrono trial gets before any of standard; contradicted only if all " +
				"get there, in less than 3.5 times as many",
			Judge: converging(adding750, sevenTimesFaster),
		}, {
			ID: "warp/fig4.with-fig3.all-synthetic", Where: "Section 3, second paragraph",
			Says: "Chrono heavily outperforms standard on all synthetic tasks.",
			Criterion: "beats-standard in Figure 3, but for variable copy with T = 500, which the paper excepts " +
				"itself, and outperforms in Figure 4 are all reproduced",
			Judge: claim.All(beatsStandard(Fig3.Panel("copy500")), beatsStandard(Fig3.Panel("copy2000")),
				beatsStandard(Fig3.Panel("varcopy1000")), outperforms200, outperforms750),
		},
	}
}

func faster(p experiment.Panel) claim.Claim {
	return claim.Claim{
		ID: "warp/fig4." + p.Name + ".faster", Where: addingTask,
		Says: fmt.Sprintf("In %s, chrono significantly speeds up learning.", p.Title),
		Criterion: "every chrono trial gets to a tenth of the memoryless error before any of standard; and on " +
			"average in at most half of the updates, or before any of standard gets to half of that error",
		Judge: converging(p, func(c convergence) claim.Finding {
			answer, why := c.chrono.Before(c.standard), someOverlap
			switch {
			case !c.any():
				why = tooShort
			case answer == claim.Reproduced && c.ratio().Mean < fasterRatio &&
				c.chrono.Before(c.standardHalf) != claim.Reproduced:
				answer, why = claim.Inconclusive, "not twice as fast, as far as the run goes"
			}
			return claim.Found(answer, why, c.found())
		}),
	}
}

func outperforms(p experiment.Panel) claim.Claim {
	return claim.Claim{
		ID: "warp/fig4." + p.Name + ".outperforms", Where: "Caption of Figure 4",
		Says: fmt.Sprintf("In %s, chrono heavily outperforms standard.", p.Title),
		Criterion: "chrono's error, averaged over all of training, is below standard's in every trial, and on " +
			"average at most half of it",
		Judge: compared(Fig4, p, func(c bothArms) claim.Finding {
			return c.outperforms(c.chrono.mean, c.standard.mean, fmt.Sprintf(
				"%s: mean error in %% of the memoryless error, chrono %v, standard %v", c.about,
				claim.Percent(c.chrono.mean), claim.Percent(c.standard.mean)))
		}),
	}
}

func sevenTimesFaster(c convergence) claim.Finding {
	first, all := c.chrono.Before(c.standard), c.chrono.End() && c.standard.End()
	answer, why := claim.Inconclusive, someOverlap
	switch {
	case first == claim.Contradicted, all && c.ratio().Mean < clearlyBelow7:
		answer = claim.Contradicted
	case first == claim.Reproduced && c.ratio().Mean >= about7Ratio:
		answer = claim.Reproduced
	case !all:
		why = tooShort
	case first == claim.Reproduced:
		why = "more than 3.5 times, but less than 5"
	}
	return claim.Found(answer, why, c.found())
}

const (
	tooShort    = "too short: not all trials converge"
	someOverlap = "some trials of standard are as fast as some of chrono"
)

// convergence is after how many updates the trials of a panel of Figure 4 converge.
type convergence struct {
	chrono, standard claim.Durations
	standardHalf     claim.Durations // to half of the memoryless error
	about            string
}

func converging(p experiment.Panel, judge func(convergence) claim.Finding) func(claim.Evidence) claim.Finding {
	return compared(Fig4, p, func(c bothArms) claim.Finding {
		return judge(convergence{
			claim.DurationsOf(c.chrono.curves, solvedShare), claim.DurationsOf(c.standard.curves, solvedShare),
			claim.DurationsOf(c.standard.curves, wellShare), c.about,
		})
	})
}

// any tells whether any trial converges.
func (c convergence) any() bool {
	return !math.IsInf(min(slices.Min(c.chrono.AtMost), slices.Min(c.standard.AtMost)), 1)
}

// ratio is how many times longer standard takes: a lower bound if only standard does not converge.
func (c convergence) ratio() claim.Ratio { return claim.RatioOf(c.standard, c.chrono) }

func (c convergence) found() string {
	found := fmt.Sprintf("%s: updates to a tenth of the memoryless error, chrono %v, standard %v",
		c.about, c.chrono, c.standard)
	if c.chrono.End() {
		found += fmt.Sprintf(", ratio %v", c.ratio())
	}
	return found
}
