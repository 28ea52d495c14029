package warp

import (
	"maps"
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
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
	Views: []figures.View{warpingLosses},
	Caption: "Test loss of three architectures on warped and padded sequences, against the warping factor or the " +
		"number of zeros (uniform), or their maximum (variable). 0 % is the best possible loss, 100 % that of the " +
		"best model without memory; we call a task solved at up to 5 %. (a-d) are in the paper's order, at the " +
		"only learning rate that it names; (e-h) are the same at the best of the few rates that we tried for each " +
		"architecture. In the paper, leaky and gated RNNs reach loss 0 in both uniform tasks.",
	Layout: figures.Layout{Columns: 2, Height: 2 * vg.Inch},
	Open: append([]figures.Choice{
		smallPadding, whichLeak, ungatedTraining,
		{
			Open: "where gates are said to regulate time constants", Chosen: "in variable padding",
			Why: "not given. A gate's mean is compared between steps at which the input changes and all others. In " +
				"warping gates follow single characters, which does not show in such means; the notebook on this " +
				"figure shows it for one network",
		}, {
			Open:   "whether a class of networks is invariant to rescaling (Section 1)",
			Chosen: "tried on instances only: the networks trained here, and those of the notebook on the derivation",
			Why: "that no weights of a plain RNN do what others do at another speed is a statement on all weights, " +
				"which no number of trainings shows; that trained ones fail is what the claims on this figure say",
		}, {
			Open: "values of maximum_warping", Chosen: "1, 10, 25, 50, 75 and 100 at scale paper; in uniform padding " +
				"1 and seven from 10 to 100",
			Why: "our choice: the sources that we have show no axis. Uniform padding was trained first, with more " +
				"values",
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

// warpingLosses shows test losses in the quantity that the claims use.
var warpingLosses = figures.Finals{Of: experiment.TestLoss, High: 105, Levels: []figures.Level{
	{Label: "memoryless (100 %)", Value: 100}, {Label: "solved (5 %)", Value: 100 * visible.Value},
}}

// excessAxis is what Finals shows.
const excessAxis = "excess loss (%)"

// sweptAxis names what a panel sweeps.
func sweptAxis(f family) string {
	switch f.(type) {
	case uniformPad:
		return "zeros between characters"
	case variablePad:
		return "zeros between characters (at most)"
	}
	return "maximum warping (steps)"
}

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
		Name: name, Title: title, X: sweptAxis(family), Y: excessAxis,
		Arms: []experiment.Arm{{Name: "rnn", Label: "RNN"}, {Name: "leaky", Label: "leaky RNN"},
			{Name: "gated", Label: "gated RNN"}},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick:   size(3, 1, []int{1, 5, 20}, quickSetup),
			record.Reduced: size(3, 10, []int{1, 10, 50}, reducedSetup),
			record.Paper:   size(5, 100, paperWarpings(family), paperSetup), // 10,000 test sequences
		},
	}
}

// paperWarpings are the swept values of maximum_warping at the paper's size.
func paperWarpings(f family) []int {
	if f == (uniformPad{}) {
		return []int{1, 10, 25, 40, 55, 70, 85, 100} // what its records have
	}
	return []int{1, 10, 25, 50, 75, 100}
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
			trials = append(trials, experiment.Trials(record.Trial{
				Arm: t.arms[0], X: experiment.Number(float64(longest)),
				Memoryless: experiment.Number(each.Memoryless()), Best: experiment.Number(each.Best()),
			}, seeds)...)
			tasks = append(tasks, slices.Repeat([]task.Symbols{each}, len(seeds))...)
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
				{Name: experiment.TestLoss, Of: experiment.Mean{Of: trial.CrossEntropy{}}},
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

// somePairsShare is half: time scales do not rise with the warping if they do in no larger share of pairs of trials.
const somePairsShare = 0.5

const (
	pureWarpings = "Section 3, Pure warpings and paddings"
	alwaysSolved = "excess loss of at most 5 % at every maximum_warping"
)

// fig1Places are where the paper has the first four panels of Fig1. The other four are the same at another rate.
var fig1Places = []string{"top left", "top right", "bottom left", "bottom right"}

// smallPadding is open in Section 1: what is read is the largest number of zeros that is small.
var smallPadding = figures.Choice{
	Open: "how many zeros are a small number", Chosen: "up to 10, and up to 50",
	Why: "not given; the paper's example of a rescaling is by 10, and 50 is half of the longest padding of " +
		"Figure 1",
}

// whichLeak is open in Section 1, where α is one number: our leaky RNNs have one for each unit.
var whichLeak = figures.Choice{
	Open: "which unit's 1/α is the time scale of a leaky RNN", Chosen: "that of the median unit, and of the slowest",
	Why: "the paper's (4) has one α; with one for each unit, trained networks have both fast and slow units. Only " +
		"the median was judged until runs of the paper's size showed this",
}

const slowestUnit = "slowest"

// ungatedTraining is open where a claim is about plain or leaky RNNs: a reading is one of firstRate's, or an arm of
// BeyondPlain that begins with other weights.
var ungatedTraining = figures.Choice{
	Open: "initial weights of plain and leaky RNNs",
	Chosen: "those of all networks, at both rates; and in warp/beyond-plain, in two tasks, orthogonal matrices and " +
		"the identity, at rate 1e-3 (plain) and 8e-3 (leaky)",
	Why: "not given; from some weights plain RNNs learn what they do not learn from others",
}

// A sweep is an architecture's excess loss at each maximum_warping. It is a share, since a loss in nats per step means
// less the longer the warping.
type sweep map[float64]record.Spread

func (s sweep) xs() []float64 { return slices.Sorted(maps.Keys(s)) }

// from returns the values from a share of the largest on.
func (s sweep) from(share float64) []float64 {
	xs := s.xs()
	return slices.DeleteFunc(slices.Clone(xs), func(x float64) bool { return x < share*xs[len(xs)-1] })
}
