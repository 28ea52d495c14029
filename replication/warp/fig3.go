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
	Caption: "Training loss of LSTMs on the copy and variable copy tasks, on fresh sequences at every update; " +
		"what is above the frame is cut off. Memoryless is the loss of the best model without memory.",
	Open: append([]figures.Choice{
		{
			Open: "which steps the loss is averaged over", Chosen: "all of them",
			Why: "the memoryless loss that the paper gives, 10·log 8/(T+20), is that average",
		}, {
			Open: "length of a variable copy", Chosen: "T+21 steps for every sequence, dummies after the output",
			Why: "a batch needs one length, and up to T characters stand between the text and the signal",
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

// copyPanel declares a panel of Figure 3.
func copyPanel(name, title string, of func(t int, r training) comparison) experiment.Panel {
	sizes := copySizes[name]
	quick, reduced, paper := sizes[record.Quick], sizes[record.Reduced], sizes[record.Paper]
	return experiment.Panel{
		Name: name, Title: fmt.Sprintf("%s, T = %d", title, paper.t),
		X: "updates", Y: "training loss (nats per step)", Arms: initializations,
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {
				Title: fmt.Sprintf("%s, T = %d", title, quick.t), Trials: 3,
				Declaration: of(quick.t, training{hidden: 64, updates: quick.updates, rate: 4e-3}),
			},
			record.Reduced: {
				Title: fmt.Sprintf("%s, T = %d", title, reduced.t), Trials: 3,
				Declaration: of(reduced.t, training{hidden: 64, updates: reduced.updates, rate: 4e-3}),
			},
			record.Paper: {
				Trials:      3,
				Declaration: of(paper.t, training{hidden: 128, updates: paper.updates, rate: paperRate}),
			},
		},
	}
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

// betterThanRandomShare of the memoryless loss is one of a model that surely does better than a random answer.
const betterThanRandomShare = 0.99

func fig3Claims() []claim.Claim {
	copy500, copy2000 := Fig3.Panel("copy500"), Fig3.Panel("copy2000")
	varcopy500, varcopy1000 := Fig3.Panel("varcopy500"), Fig3.Panel("varcopy1000")
	return []claim.Claim{
		beatsStandard(copy500), noPlateau(copy500),
		beatsStandard(copy2000), noPlateau(copy2000),
		{
			ID: "warp/fig3.copy.standard-beats-memoryless", Where: copyTasks,
			Says: "The baseline, standard initialization, already does better than random prediction.",
			Criterion: "standard's final loss is at least 1 % below the memoryless loss, with one T at least; " +
				"contradicted only if it is not where chrono solves the task",
			Judge: func(e claim.Evidence) claim.Finding {
				return claim.OneOf(compared(Fig3, copy500, standardBeatsMemoryless)(e),
					compared(Fig3, copy2000, standardBeatsMemoryless)(e))
			},
		}, {
			ID: "warp/fig3.varcopy500.even", Where: copyTasks,
			Says: fmt.Sprintf("In %s, chrono is even with standard.", varcopy500.Title),
			Criterion: "the mean final losses differ by at most 5 % of the memoryless loss, and one of them is at " +
				"most half of it in every trial",
			Judge: compared(Fig3, varcopy500, even),
		}, {
			ID: "warp/fig3.varcopy500.both-well", Where: "Caption of Figure 3, bottom left",
			Says:      fmt.Sprintf("In %s, both initializations perform well.", varcopy500.Title),
			Criterion: "both final losses are at most half of the memoryless loss",
			Judge:     compared(Fig3, varcopy500, bothWell),
		},
		beatsStandard(varcopy1000),
		{
			ID: "warp/fig3.varcopy.same-weights", Where: "Footnote 6",
			Says: "A model need not be trained anew for other warpings, as variable copy arguably illustrates.",
			Criterion: "with both T, in the trials that end at 10 % of the memoryless loss or less: the losses at " +
				"the five distances between text and signal differ by at most 5 % of it",
			Judge: claim.Judging(func(r claim.Reader) claim.Finding {
				return sameWeights(r, varcopy500, varcopy1000)
			}),
		}, {
			ID: "warp/fig3.spikes.harmless", Where: "Section 3, Synthetic tasks; Figures 3 and 4",
			Says: "Without gradient clipping there are a few short-lived spikes; they do not affect final performance.",
			Criterion: "there are points above 3 times the median of those around them (10 on each side), by 5 % of " +
				"the memoryless loss; in a curve that has any, they are at most 5 %, and it ends at most 5 % of the " +
				"memoryless loss above its lowest twentieth",
			Judge: claim.Judging(spikes),
		},
	}
}

func beatsStandard(p experiment.Panel) claim.Claim {
	return claim.Claim{
		ID: "warp/fig3." + p.Name + ".beats-standard", Where: copyTasks + "; Figure 3",
		Says:      fmt.Sprintf("In %s, chrono largely outperforms standard.", p.Title),
		Criterion: "chrono's final loss is below standard's in every trial, and on average at most half of it",
		Judge: compared(Fig3, p, func(c bothArms) claim.Finding {
			return c.outperforms(c.chrono.final, c.standard.final, c.finals())
		}),
	}
}

func noPlateau(p experiment.Panel) claim.Claim {
	return claim.Claim{
		ID: "warp/fig3." + p.Name + ".no-plateau", Where: copyTasks + "; Figure 3",
		Says: fmt.Sprintf("In %s, chrono does not plateau at the memoryless loss.", p.Title),
		Criterion: "chrono's final loss is at most 90 % of the memoryless loss; contradicted only if it is 95 % or " +
			"more in every trial, and a trial of standard is at 90 % or less",
		Judge: compared(Fig3, p, func(c bothArms) claim.Finding {
			if !c.learned() {
				return claim.Found(claim.Inconclusive, claim.NothingLearned, c.finals())
			}
			return claim.Found(claim.Not(atLeast(c.chrono.final, plateauShare, learnedShare)), someTrials, c.finals())
		}),
	}
}

func standardBeatsMemoryless(c bothArms) claim.Finding {
	answer, why := claim.AtMost(c.standard.final, betterThanRandomShare), someTrials
	if answer == claim.Contradicted && c.chrono.final.Max > solvedShare {
		answer, why = claim.Inconclusive, "too short: chrono has not solved the task either"
	}
	return claim.Found(answer, why, c.finals())
}

func even(c bothArms) claim.Finding {
	answer, why := claim.Inconclusive, "the trials spread too widely"
	switch {
	case min(c.chrono.final.Max, c.standard.final.Max) > wellShare:
		why = "too short: neither is at half of the memoryless loss"
	case claim.Below(c.chrono.final, c.standard.final, visibleShare) != claim.Inconclusive:
		answer = claim.Contradicted
	case math.Abs(c.chrono.final.Mean-c.standard.final.Mean) <= visibleShare:
		answer = claim.Reproduced
	}
	return claim.Found(answer, why, c.finals())
}

func bothWell(c bothArms) claim.Finding {
	chrono, standard := claim.AtMost(c.chrono.final, wellShare), claim.AtMost(c.standard.final, wellShare)
	if chrono != claim.Reproduced && standard != claim.Reproduced {
		return claim.Found(claim.Inconclusive, "too short: neither is at half of the memoryless loss", c.finals())
	}
	return claim.Found(claim.Every(chrono, standard), someTrials, c.finals())
}

// sameWeights looks at the models of either arm that have learned the task.
func sameWeights(r claim.Reader, panels ...experiment.Panel) claim.Finding {
	var differences []float64
	for _, p := range panels {
		for _, arm := range []string{standardArm, chronoArm} {
			trials := r.Arm(Fig3.ID(), p.Name, arm)
			losses := make([][]float64, len(trials))
			for _, between := range distances(copySizes[p.Name][r.Scale].t) {
				for k, share := range r.Values(trials.Excess(lossBetween.At(float64(between)))) {
					losses[k] = append(losses[k], share)
				}
			}
			for k, final := range r.Values(trials.Excess(record.Loss)) {
				if final <= solvedShare {
					differences = append(differences, slices.Max(losses[k])-slices.Min(losses[k]))
				}
			}
		}
	}
	if len(differences) < r.MinTrials {
		return claim.Found(claim.Inconclusive, "too few trials learn the task",
			fmt.Sprintf("variable copy: %d models have learned it", len(differences)))
	}
	difference := record.SpreadOf(differences)
	return claim.Found(claim.AtMost(difference, visibleShare), someTrials,
		fmt.Sprintf("variable copy: in the %d models that have learned it, losses at five distances differ by %v %% "+
			"of the memoryless loss", len(differences), claim.Percent(difference)))
}

// A spike is a point of a curve above spikeRatio times the median of its neighbours, spikeAround on each side, and
// visibly above it.
const (
	spikeRatio  = 3
	spikeAround = 10
	spikeShare  = 0.05 // "a few" of a curve's points
)

// spikes looks at all curves of Figures 3 and 4 that have one, or that end in divergence.
func spikes(r claim.Reader) claim.Finding {
	var shares, harms []float64
	curves := 0
	for _, f := range []figures.Figure{Fig3, Fig4} {
		for _, p := range f.Panels {
			c := compare(r, f, p)
			for _, curve := range slices.Concat(c.standard.curves, c.chrono.curves) {
				curves++
				n, harm := countSpikes(curve.Values), endAboveLowest(curve)
				if n > 0 || math.IsInf(harm, 1) {
					shares, harms = append(shares, float64(n)/float64(len(curve.Values))), append(harms, harm)
				}
			}
		}
	}
	if len(shares) == 0 {
		return claim.Found(claim.Inconclusive, "there are no spikes",
			fmt.Sprintf("none of %d curves has a spike", curves))
	}
	share, harm := record.SpreadOf(shares), record.SpreadOf(harms)
	return claim.Found(claim.Every(claim.AtMost(share, spikeShare), claim.AtMost(harm, visibleShare)),
		"it is so in some curves only",
		fmt.Sprintf("%d of %d curves have spikes, in %v %% of their points, and end %v %% of the memoryless loss "+
			"above their lowest twentieth", len(shares), curves, claim.Percent(share), claim.Percent(harm)))
}

func countSpikes(losses []float64) int {
	n := 0
	for i, loss := range losses {
		around := min(spikeAround, i, len(losses)-1-i) // as many on each side: a steep fall at the start is none
		median := claim.Median(losses[i-around : i+around+1])
		if loss > spikeRatio*median && loss > median+visibleShare {
			n++
		}
	}
	return n
}

// endAboveLowest is how far a curve ends above its lowest stretch of the same length.
func endAboveLowest(c claim.Curve) float64 {
	points, lowest := c.FinalPoints(), math.Inf(1)
	for i := 0; i+points <= len(c.Values); i++ {
		lowest = min(lowest, claim.Median(c.Values[i:i+points]))
	}
	return c.Final() - lowest
}
