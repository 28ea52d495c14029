package warp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig3 is W Figure 3: LSTMs with standard and with chrono initialization on the copy and variable copy tasks.
var Fig3 = figures.Figure{
	Paper: paper, Name: "fig3",
	Title: "Standard and chrono initialization on the copy and variable copy tasks",
	Panels: []experiment.Panel{
		copyPanel("copy500", "copy", copying),
		copyPanel("copy2000", "copy", copying),
		copyPanel("varcopy500", "variable copy", variableCopying),
		copyPanel("varcopy1000", "variable copy", variableCopying),
	},
	Views: []figures.View{figures.TrainingCurves{}},
	Caption: "Training loss of LSTMs on the copy and variable copy tasks, on new sequences at every update. Values " +
		"above the axis are clipped. Memoryless: the loss of the best model without memory, 10 log 8 / (T + 20) in " +
		"copy. In the paper, chrono initialization heavily outperforms standard initialization in (a), (b) and " +
		"(d), and both perform well in (c).",
	Open: append([]figures.Choice{
		{
			Open: "which steps the loss is averaged over", Chosen: "all of them",
			Why: "the memoryless loss that the paper gives, 10·log 8/(T+20), is that average",
		}, {
			Open: "length of a variable copy", Chosen: "T+21 steps for every sequence, dummies after the output",
			Why: "a batch needs one length, and up to T characters stand between the text and the signal",
		}, {
			Open: "at which T the baseline does better than random prediction", Chosen: "at one T of Figure 3's copy",
			Why: "the paper gives none; the sentence compares with Arjovsky et al., who have no variable copy",
		}, {
			Open: "number of updates (copy)", Chosen: "30,000", Why: "the least that published replications use",
		},
	}, lstmChoices...),
}

// copySizes are those of each panel of Figure 3.
var copySizes = map[string]map[record.Scale]taskSize{
	"copy500":     {record.Quick: {60, 800}, record.Reduced: {200, 8_000}, record.Paper: {500, 30_000}},
	"copy2000":    {record.Quick: {120, 300}, record.Reduced: {400, 6_000}, record.Paper: {2000, 30_000}},
	"varcopy500":  {record.Quick: {60, 800}, record.Reduced: {200, 8_000}, record.Paper: {500, 30_000}},
	"varcopy1000": {record.Quick: {120, 300}, record.Reduced: {400, 6_000}, record.Paper: {1000, 30_000}},
}

const copyLoss = "loss (nats per step)"

// copyPanel declares a panel of Figure 3.
func copyPanel(name, title string, of func(t int, r training) comparison) experiment.Panel {
	return comparisonPanel(name, title, copyLoss, 64, copySizes[name], of)
}

// lossBetween is the test loss at a number of characters between the text and the signal.
const lossBetween record.Result = record.Loss

// copying is the copy task; W Section 3: Tmax = 3T/2.
func copying(t int, r training) comparison {
	return copyComparison(task.Copy{T: t}, 1.5*float64(t), nil, r)
}

// distances are the five numbers of characters between the text and the signal at which trained models are tested.
func distances(t int) []int { return []int{t / 5, 2 * t / 5, 3 * t / 5, 4 * t / 5, t} }

// variableCopying is the variable copy task; W Section 3: Tmax = T.
func variableCopying(t int, r training) comparison {
	var tests []experiment.Test
	for _, between := range distances(t) {
		tests = append(tests, experiment.Test{
			Data: trial.Symbols{
				Tasks: []task.Symbols{task.VariableCopy{T: t, Between: between}}, Split: "test", Batch: validBatch,
			},
			Batches: 1,
			Measures: []experiment.Measure{{Name: lossBetween.At(float64(between)),
				Of: experiment.Mean{Of: trial.CrossEntropy{}}}},
		})
	}
	return copyComparison(task.VariableCopy{T: t}, float64(t), tests, r)
}

// copyComparison is what the two copy tasks share.
func copyComparison(t leveled, tmax float64, tests []experiment.Test, r training) comparison {
	return comparison{
		data:       trial.Symbols{Tasks: []task.Symbols{t}, Split: "train", Batch: paperBatch},
		inputs:     experiment.OneHot{Symbols: t.Alphabet()},
		readOut:    experiment.ClassAtEachStep{Units: t.Classes()},
		loss:       trial.CrossEntropy{},
		memoryless: t.Memoryless(), tmax: tmax, tests: tests, training: r,
	}
}

const copyTasks = "Section 3, Copy tasks"

// betterThanRandom is the loss of a model that surely does better than a random answer.
var betterThanRandom = claim.Threshold{
	Name: "a loss of %s of the memoryless as better than random", Value: 0.99, From: 1, Percent: true,
}

func fig3Claims() []claim.Claim {
	copy500, copy2000 := Fig3.Panel("copy500"), Fig3.Panel("copy2000")
	varcopy500, varcopy1000 := Fig3.Panel("varcopy500"), Fig3.Panel("varcopy1000")
	longer := func(p experiment.Panel, c claim.Claim) claim.Claim {
		return orElse(c, fmt.Sprintf(
			"a longer training of `warp/fig3 %s`, such as that of `warp/beyond-long %[1]s`", p.Name))
	}
	learning := func(c claim.Claim) claim.Claim {
		return orElse(c, "a training of `warp/fig3 copy2000` in which chrono learns, with other choices where the "+
			"paper names none")
	}
	return []claim.Claim{
		beatsStandard(Fig3, copy500), noPlateau(copy500),
		learning(beatsStandard(Fig3, copy2000)), learning(noPlateau(copy2000)),
		{
			ID: "warp/fig3.copy.standard-beats-memoryless", Where: copyTasks,
			Says: "The baseline, standard initialization, already does better than random prediction.",
			Criterion: "in copy, with one T of Figure 3, standard's final loss is at least 1 % below the memoryless " +
				"loss; contradicted if, with every T at which chrono learns something, no trial's loss ever is",
			DecidedBy: []claim.Run{
				{Figure: Fig3.ID(), Panel: copy500.Name, Scale: record.Paper},
				{Figure: Fig3.ID(), Panel: copy2000.Name, Scale: record.Paper},
			},
			Judge: claim.Judging(func(r claim.Reader) claim.Finding {
				return inOneOf(r, standardBeatsMemoryless, Fig3, copy500, copy2000)
			}),
		},
		longer(varcopy500, ofPanel(Fig3, varcopy500, "even", copyTasks, "On %s, chrono is even with standard.",
			"the mean final losses differ by at most 5 % of the memoryless loss, and one of them is at most half of "+
				"it in every trial", even)),
		longer(varcopy500, ofPanel(Fig3, varcopy500, "both-well", "Caption of Figure 3, bottom left",
			"On %s, both initializations perform well.", "both final losses are at most half of the memoryless loss",
			bothWell)),
		longer(varcopy1000, beatsStandard(Fig3, varcopy1000)),
		{
			ID: "warp/fig3.varcopy.same-weights", Where: "Footnote 6",
			Says: "A model need not be trained again for other warpings, as variable copy arguably illustrates.",
			Criterion: "with both T, in the trials whose mean test loss is at most 90 % of the memoryless loss: the " +
				"test losses at the five distances between text and signal differ by at most 5 % of it",
			DecidedBy: []claim.Run{
				{Figure: Fig3.ID(), Panel: varcopy500.Name, Scale: record.Paper},
				{Figure: Fig3.ID(), Panel: varcopy1000.Name, Scale: record.Paper},
			},
			Judge: claim.Judging(func(r claim.Reader) claim.Finding {
				return sameWeights(r, varcopy500, varcopy1000)
			}),
		},
	}
}

// beatsStandard is the claim that chrono's final loss is far lower.
func beatsStandard(f figures.Figure, p experiment.Panel) claim.Claim {
	return ofPanel(f, p, "beats-standard", copyTasks+"; Figure 3; summed up in the Introduction and Section 3",
		"On %s, chrono largely outperforms standard.",
		"chrono's final loss is below standard's in every trial, and on average at most half of it, and standard's "+
			"no longer falls", func(c bothArms) claim.Finding {
			if c.unlearned() {
				return c.finding(claim.Inconclusive, claim.NothingLearned)
			}
			if max(c.chrono.final.Max, c.standard.final.Max) <= c.Threshold(visible) {
				return c.finding(claim.Inconclusive, "both solve the task, and no difference is visible")
			}
			answer, behind := farBelow(c.Reader, c.chrono.final, c.standard.final), chronoArm
			if answer == claim.Reproduced {
				behind = standardArm
			}
			if why := c.stopped(behind); why != "" {
				return c.finding(claim.Inconclusive, why)
			}
			return c.finding(answer, "chrono is not better by half, and in every trial")
		})
}

func noPlateau(p experiment.Panel) claim.Claim {
	return ofPanel(Fig3, p, "no-plateau", copyTasks+"; Figure 3",
		"On %s, chrono does not plateau at the memoryless loss.",
		"chrono's final loss is at most 90 % of the memoryless loss; contradicted only if it is 95 % or more in every "+
			"trial, and no longer falls, and a trial of standard is at 90 % or less",
		func(c bothArms) claim.Finding {
			if c.unlearned() {
				return c.finding(claim.Inconclusive, claim.NothingLearned)
			}
			answer := claim.Not(atLeast(c.chrono.final, c.Threshold(plateau), c.Threshold(something)))
			if why := c.stopped(chronoArm); why != "" && answer != claim.Reproduced {
				return c.finding(claim.Inconclusive, why)
			}
			return c.finding(answer, someTrials)
		})
}

// inOneOf judges each of some panels that was run and in which something was learned. One that reproduces the claim is
// enough; it is contradicted only if all panels were run.
func inOneOf(r claim.Reader, judge func(bothArms) claim.Finding, f figures.Figure, panels ...experiment.Panel,
) claim.Finding {
	var all, learned []claim.Finding
	var numbers, missing []string
	for _, p := range panels {
		found := compared(f, p, judge)(r.Evidence)
		all = append(all, found)
		switch {
		case found.Answer == claim.NotRun:
			missing = append(missing, p.TitleAt(r.Scale))
		case found.Why != claim.NothingLearned:
			learned, numbers = append(learned, found), append(numbers, p.TitleAt(r.Scale)+": "+found.Number)
		}
	}
	switch {
	case len(missing) == len(panels):
		return claim.OneOf(all...)
	case len(learned) == 0:
		return claim.Unlearned(claim.OneOf(all...).Found...).With("%s", claim.NothingLearned)
	}
	found := claim.OneOf(learned...).With("%s", strings.Join(numbers, "; "))
	if found.Answer == claim.Contradicted && len(missing) > 0 {
		found.Answer, found.Why = claim.Inconclusive, "not run: "+strings.Join(missing, ", ")
	}
	return found
}

func standardBeatsMemoryless(c bothArms) claim.Finding {
	limit := c.Threshold(betterThanRandom)
	lowest := claim.SpreadOver(c.standard.curves, math.Inf(1), func(of claim.Curve) float64 {
		return slices.Min(of.Values)
	})
	answer, why := claim.AtMost(c.standard.final, limit), someTrials
	switch {
	case c.unlearned():
		answer, why = claim.Inconclusive, claim.NothingLearned
	case answer == claim.Contradicted && lowest.Min <= limit:
		answer, why = claim.Inconclusive, "some trials are below it for a while"
	}
	f := c.finding(answer, why)
	f.Found = append(f.Found, fmt.Sprintf("%s: standard's lowest loss in %% of the memoryless loss %v", c.about,
		claim.Percent(lowest)))
	return f.With("standard's lowest loss %.2f %% of the memoryless loss", 100*lowest.Min)
}

const neitherWell = "too short: neither is at half of the memoryless loss"

func even(c bothArms) claim.Finding {
	apart, near := math.Abs(c.chrono.final.Mean-c.standard.final.Mean), c.Threshold(visible)
	answer, why := claim.Inconclusive, "the trials spread too widely"
	switch stopped := c.stopped(chronoArm, standardArm); {
	case min(c.chrono.final.Max, c.standard.final.Max) > c.Threshold(well):
		why = neitherWell
	case claim.Below(c.chrono.final, c.standard.final, near) != claim.Inconclusive:
		if answer = claim.Contradicted; stopped != "" {
			answer, why = claim.Inconclusive, stopped
		}
	case apart <= near:
		answer = claim.Reproduced
	}
	return c.finding(answer, why)
}

func bothWell(c bothArms) claim.Finding {
	limit := c.Threshold(well)
	chrono, standard := claim.AtMost(c.chrono.final, limit), claim.AtMost(c.standard.final, limit)
	answer, why := claim.Every(chrono, standard), someTrials
	switch stopped := c.stopped(chronoArm, standardArm); {
	case chrono != claim.Reproduced && standard != claim.Reproduced:
		answer, why = claim.Inconclusive, neitherWell
	case answer == claim.Contradicted && stopped != "":
		answer, why = claim.Inconclusive, stopped
	}
	return c.finding(answer, why)
}

// sameWeights looks at the models of either arm that have learned something.
func sameWeights(r claim.Reader, panels ...experiment.Panel) claim.Finding {
	var differences []float64
	unlearned := false // in some panel
	for _, p := range panels {
		before := len(differences)
		for _, arm := range []string{standardArm, chronoArm} {
			trials := r.Arm(Fig3.ID(), p.Name, arm)
			for _, losses := range atDistances(r, trials) {
				if claim.Mean(losses) <= r.Threshold(something) {
					differences = append(differences, slices.Max(losses)-slices.Min(losses))
				}
			}
		}
		unlearned = unlearned || len(differences) == before
	}
	if unlearned || len(differences) < r.MinTrials {
		return claim.Found(claim.Inconclusive, "too few trials learn something",
			fmt.Sprintf("variable copy: %d models have learned something", len(differences)))
	}
	difference := record.SpreadOf(differences)
	return claim.Found(claim.AtMost(difference, r.Threshold(visible)), someTrials,
		fmt.Sprintf("variable copy: in the %d models that have learned something, losses at five distances differ by "+
			"%v %% of the memoryless loss", len(differences), claim.Percent(difference)),
	).With("losses at five distances at most %.1f %% apart, in %d models", 100*difference.Max, len(differences))
}
