package warp

import (
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"gonum.org/v1/plot/vg"
)

// Fig1 is W Figure 1: plain, leaky and gated RNNs, W(2), W(5) and W(10), on warped and padded sequences, the loss
// against maximum_warping.
var Fig1 = figures.Figure{
	Paper: paper, Name: "fig1",
	Title: "Three recurrent architectures on warped and padded sequences",
	Panels: []experiment.Panel{
		warpPanel("uniform-warp", "uniform warping", uniformWarp{}, false),
		warpPanel("uniform-pad", "uniform padding", uniformPad{}, false),
		warpPanel("variable-warp", "variable warping", variableWarp{}, false),
		warpPanel("variable-pad", "variable padding", variablePad{}, false),
		warpPanel("uniform-warp"+bestRate, "uniform warping", uniformWarp{}, true),
		warpPanel("uniform-pad"+bestRate, "uniform padding", uniformPad{}, true),
		warpPanel("variable-warp"+bestRate, "variable warping", variableWarp{}, true),
		warpPanel("variable-pad"+bestRate, "variable padding", variablePad{}, true),
	},
	Views: []figures.View{figures.Finals{Of: testLoss, Low: 1e-4, High: 3}},
	Caption: "Test loss of three architectures on warped and padded sequences, whose warping is (uniform), or " +
		"is at most (variable), what the horizontal axis says. All vertical axes are alike, and logarithmic; " +
		"an arrow is a mean below 0.0001, and arrows at one value stand side by side. The best possible loss " +
		"is 0, and memoryless is that of the best model without memory.",
	Layout: figures.Layout{Columns: 2, Down: true, Height: 2 * vg.Inch},
	Open: append([]figures.Choice{
		{
			Open: "values of maximum_warping", Chosen: "1 and seven from 10 to 100 at scale paper",
			Why: "our choice: the sources that we have show no axis",
		}, {
			Open: "what is smaller at scale reduced",
			Chosen: "maximum_warping of 1, 10 and 50 on sequences of 250 steps, 3 trials; networks and updates are " +
				"the paper's",
			Why: "half an hour a panel on one core; the longest warping is, as at scale paper, a fifth of a sequence",
		}, {
			Open: "targets at the padding's zeros", Chosen: "zero, and they count in the loss",
			Why: "the target is then the unwarped task's, padded as the input is",
		}, {
			Open: "padding of length n", Chosen: "n zeros after each character, which comes every n+1 steps",
			Why: "the paper speaks of a number of zeros that pad each character",
		}, {
			Open: "the padding's 0", Chosen: "the dummy",
			Why: "the paper's alphabet of 10 includes a dummy, and no other zero",
		},
	}, setupChoices...),
}

// bestRate ends the names of the panels whose architectures train at higher rates, the best of those tried at first.
const bestRate = "-best"

// warpPanel declares a panel of Figure 1.
func warpPanel(name, title string, family family, best bool) experiment.Panel {
	size := func(trials int, test int, max []int, c setup) experiment.Size {
		return experiment.Size{Trials: trials, Declaration: warping{family, best, c, test, max}}
	}
	if best {
		title += ", rates 4e-3 and 8e-3"
	} else {
		title += ", rate 1e-3"
	}
	return experiment.Panel{
		Name: name, Title: title, X: "maximum warping (steps)", Y: "test loss (nats per step)",
		Arms: []experiment.Arm{{Name: "rnn", Label: "RNN"}, {Name: "leaky", Label: "leaky RNN"},
			{Name: "gated", Label: "gated RNN"}},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick:   size(3, 1, []int{1, 5, 20}, quickSetup),
			record.Reduced: size(3, 10, []int{1, 10, 50}, reducedSetup),
			record.Paper:   size(5, 100, []int{1, 10, 25, 40, 55, 70, 85, 100}, paperSetup), // 10,000 test sequences
		},
	}
}

// testBatch divides the paper's 10,000 test sequences.
const testBatch = 100

// warping is a panel of Figure 1 at one scale.
type warping struct {
	family family
	best   bool // each architecture at its own rate, not at paperRate
	setup
	test int   // batches of the test set
	max  []int // the swept maximum_warping
}

// Runs implements experiment.Declaration: a run for each architecture, with every value of maximum_warping and seed.
func (w warping) Runs(seeds []uint64) []experiment.Run { return w.runs(seeds, rnn, leaky, gated) }

func (w warping) runs(seeds []uint64, architectures ...architecture) []experiment.Run {
	var runs []experiment.Run
	for _, t := range architectures {
		var trials []record.Trial
		var tasks []task.Symbols
		for _, longest := range w.max {
			each := w.family.task(w.Length, longest)
			for k, seed := range seeds {
				trials = append(trials, record.Trial{
					Arm: t.arms[0], X: experiment.Number(float64(longest)), Number: k, Seed: seed,
					Memoryless: experiment.Number(each.Memoryless()), Best: experiment.Number(each.Best()),
				})
				tasks = append(tasks, each)
			}
		}
		rate := paperRate
		if w.best {
			rate = t.rate
		}
		e := w.experiment(t, rate, trials, []chrono.GateInit{t.biases[0]}, tasks)
		e.Tests = append(e.Tests, experiment.Test{
			Data:    trial.Symbols{Tasks: tasks, Split: "test", Batch: testBatch},
			Batches: w.test,
			Measures: append([]experiment.Measure{
				{Name: testLoss, Of: experiment.Mean{Of: trial.CrossEntropy{}}},
				{Name: testAccuracy, Of: experiment.Mean{Of: trial.Accuracy{}}},
			}, t.gateMeasures()...),
		})
		runs = append(runs, experiment.Run{Part: t.arms[0], Experiment: e})
	}
	return runs
}

// A family is a task for each value of maximum_warping.
type family interface {
	task(length, longest int) leveled
}

// A leveled task knows the losses to compare with.
type leveled interface {
	task.Symbols
	Memoryless() float64 // of the best model without memory
	Best() float64       // of the best model
}

type (
	uniformWarp  struct{}
	uniformPad   struct{}
	variableWarp struct{}
	variablePad  struct{}
)

func (uniformWarp) task(length, n int) leveled  { return task.Warp{Length: length, Min: n, Max: n} }
func (uniformPad) task(length, n int) leveled   { return task.Pad{Length: length, Min: n, Max: n} }
func (variableWarp) task(length, n int) leveled { return task.Warp{Length: length, Min: 1, Max: n} }
func (variablePad) task(length, n int) leveled  { return task.Pad{Length: length, Min: 1, Max: n} }
