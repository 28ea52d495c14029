package warp

import (
	"fmt"

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
		addingPanel("adding200", map[record.Scale]taskSize{
			record.Quick: {100, 1_200}, record.Reduced: {150, 4_000}, record.Paper: {200, 20_000},
		}),
		addingPanel("adding750", map[record.Scale]taskSize{
			record.Quick: {200, 1_000}, record.Reduced: {400, 5_000}, record.Paper: {750, 60_000},
		}),
	},
	Views: []figures.View{figures.TrainingCurves{LogFrom: 5e-5}},
	Caption: "Mean squared error of LSTMs on the adding task, on new sequences at every update. Values above the " +
		"axis are clipped. Memoryless: the error of the best model without memory. In the paper, chrono " +
		"initialization converges 7 times faster than standard initialization at T = 750.",
	Open: append([]figures.Choice{
		{
			Open: "read-out", Chosen: "one number, from the last state, without a squashing function",
			Why: "the task asks for one number at the end",
		}, {
			Open: "number of updates (adding)", Chosen: "20,000 (T = 200) and 60,000 (T = 750)",
			Why: "published replications stop at 10,000 and 30,000; if the paper is right, standard needs 7 times as " +
				"many updates as chrono, and should have time to finish",
		},
	}, lstmChoices...),
}

// addingPanel declares a panel of Figure 4.
func addingPanel(name string, sizes map[record.Scale]taskSize) experiment.Panel {
	return comparisonPanel(name, "adding", "mean squared error", 32, sizes, adding)
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

// How many times faster is enough is our choice; a trial has converged when its loss is at most a tenth.
var (
	faster      = claim.Threshold{Name: "a factor of %s as a significant gain", Value: 2, From: 1}
	about7      = claim.Threshold{Name: "at most %s times too many or too few as about seven", Value: 1.4, From: 1}
	clearlyNot7 = claim.Threshold{Name: "%s times too many or too few as clearly not seven", Value: 2, From: 1}
)

func fig4Claims() []claim.Claim {
	adding200, adding750 := Fig4.Panel("adding200"), Fig4.Panel("adding750")
	return []claim.Claim{
		speedsUp(adding200), outperforms(adding200),
		speedsUp(adding750), outperforms(adding750),
		orElse(ofPanel(Fig4, adding750, "7x", addingTask, "On %s, chrono converges 7 times faster.",
			"on average, standard takes 5 to 9.8 times as many updates as chrono to a tenth of the memoryless error "+
				"(7, over or times 1.4), and every chrono trial gets there before any of standard; contradicted if it "+
				"is less than 3.5 times or at least 14, or if every trial of standard gets there before any of chrono",
			converging(sevenTimesFaster)),
			"a longer training of `warp/fig4 adding750`, such as 120,000 updates (about 14 core-hours)"),
	}
}

func speedsUp(p experiment.Panel) claim.Claim {
	return ofPanel(Fig4, p, "faster", addingTask, "On %s, chrono significantly speeds up learning.",
		"every chrono trial gets to a tenth of the memoryless error before any of standard; and on average in at most "+
			"half of the updates, or before any of standard gets to half of that error",
		converging(func(c convergence) claim.Finding {
			answer, why := c.Before(c.chrono, c.standard), someOverlap
			switch {
			case !c.chrono.End() && !c.standard.End():
				why = tooShort
			case answer == claim.Reproduced && c.ratio().Mean < c.Threshold(faster) &&
				c.Before(c.chrono, c.standardHalf) != claim.Reproduced:
				answer, why = claim.Inconclusive, "not twice as fast so far"
			}
			return c.finding(answer, why)
		}))
}

func outperforms(p experiment.Panel) claim.Claim {
	return ofPanel(Fig4, p, "outperforms", "Caption of Figure 4; summed up in the Introduction and Section 3",
		"On %s, chrono heavily outperforms standard.",
		"chrono's error, averaged over all of training, is below standard's in every trial, and on average at most "+
			"half of it", func(c bothArms) claim.Finding {
			found := fmt.Sprintf("%s: mean error in %% of the memoryless error, chrono %v, standard %v", c.about,
				claim.Percent(c.chrono.mean), claim.Percent(c.standard.mean))
			answer, why := farBelow(c.Reader, c.chrono.mean, c.standard.mean),
				"chrono is not better by half, and in every trial"
			switch {
			case c.unlearned():
				answer, why = claim.Inconclusive, claim.NothingLearned
			case max(c.chrono.mean.Max, c.standard.mean.Max) <= c.Threshold(visible):
				answer, why = claim.Inconclusive, "both solve the task, and no difference is visible"
			}
			return percents(claim.Found(answer, why, found), "mean", c.chrono.mean, c.standard.mean)
		})
}

func sevenTimesFaster(c convergence) claim.Finding {
	const seven = 7
	first, all := c.Before(c.chrono, c.standard), c.chrono.End() && c.standard.End()
	ratio, near, far := c.ratio().Mean, c.Threshold(about7), c.Threshold(clearlyNot7)
	answer, why := claim.Inconclusive, someOverlap
	switch {
	case first == claim.Contradicted, all && ratio < seven/far, c.chrono.End() && ratio >= seven*far:
		answer = claim.Contradicted
	case !all:
		why = tooShort
	case first == claim.Reproduced && (ratio < seven/near || ratio > seven*near):
		why = "neither about seven nor clearly not"
	case first == claim.Reproduced:
		answer = claim.Reproduced
	}
	return c.finding(answer, why)
}

const (
	tooShort    = "too short: not all trials converge"
	someOverlap = "some trials of standard are as fast as some of chrono"
)

// convergence is after how many updates the trials of a panel of Figure 4 converge.
type convergence struct {
	claim.Reader
	chrono, standard claim.Durations
	standardHalf     claim.Durations // to half of the memoryless error
	about            string
}

func converging(judge func(convergence) claim.Finding) func(bothArms) claim.Finding {
	return func(c bothArms) claim.Finding {
		to := c.Threshold(solved)
		return judge(convergence{
			c.Reader, claim.DurationsOf(c.chrono.curves, to), claim.DurationsOf(c.standard.curves, to),
			claim.DurationsOf(c.standard.curves, c.Threshold(well)), c.about,
		})
	}
}

// ratio is how many times longer standard takes: a lower bound if only standard does not converge.
func (c convergence) ratio() claim.Ratio { return c.RatioOf(c.standard, c.chrono) }

func (c convergence) finding(answer claim.Answer, why string) claim.Finding {
	found, number := fmt.Sprintf("%s: updates to a tenth of the memoryless error, chrono %v, standard %v (to half %v)",
		c.about, c.chrono, c.standard, c.standardHalf), "chrono does not converge"
	if c.chrono.End() {
		found += fmt.Sprintf(", ratio %v", c.ratio())
		if number = fmt.Sprintf("%.3g times as fast", c.ratio().Mean); !c.standard.End() {
			number = "at least " + number
		}
	}
	return claim.Found(answer, why, found).With("%s", number)
}
