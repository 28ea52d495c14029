package warp

import (
	"slices"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig5 is W Figure 5 (Appendix A): networks trained on short warps and tested on longer ones. A gated network with
// chrono initialization is the paper's third, with one Tmax or the other; the same with gates that start at 1/2 is
// ours, to compare with.
var Fig5 = figures.Figure{
	Paper: paper, Name: "fig5",
	Title: "Generalization from short warps to long ones",
	Panels: []experiment.Panel{
		generalizationPanel("generalization", "rate 1e-3", false),
		generalizationPanel("generalization"+bestRate, "rates 4e-3 and 8e-3", true),
	},
	Views: []figures.View{
		figures.Shares{
			Of: accuracy, Chance: dummy, Trained: accuracy, ChanceAt: dummy, ChanceLabel: "always answering the dummy",
			After: ", length as trained",
		},
		figures.Shares{
			Of: longAccuracy, Chance: longDummy, Trained: accuracy, ChanceAt: dummy,
			ChanceLabel: "always answering the dummy", After: ", length 10 × warp",
		},
	},
	Caption: "Accuracy of networks trained on short warps and tested on longer ones, up to what the horizontal " +
		"axis says. The leftmost points are for the warps trained on. Test sequences are as long as those of " +
		"the training (left), or as ten of the longest warp (right).",
	Open: append([]figures.Choice{
		{
			Open: "uniform or variable warps", Chosen: "variable: every character lasts for a time of its own",
			Why: "the caption says uniform, the text says a variable warping task",
		}, {
			Open: "Tmax of the chrono network", Chosen: "the longest warp trained on, and the longest tested: both",
			Why: "not given; the first is what the training tells, and the second knows of the tests",
		}, {
			Open:   "length of the test sequences",
			Chosen: "that of the training sequences, and ten of the longest warp: both",
			Why: "\"generated similarly\" asks for the first, of which a part is had for nothing: " +
				"always answering the dummy",
		}, {
			Open: "number of test sequences", Chosen: "1,024 of each kind at scale paper",
			Why: "not given here; Figure 1's 10,000 would cost more than the training",
		}, {
			Open: "the maxima", Chosen: "100 to 500, in steps of 50 at scale paper",
			Why: "the text speaks of warps eight to ten times longer than the training set's",
		},
	}, setupChoices...),
}

// generalizationPanel declares a panel of Figure 5.
func generalizationPanel(name, title string, best bool) experiment.Panel {
	return experiment.Panel{
		Name: name, Title: title, X: "longest warp in the test set (steps)", Y: "accuracy (%)",
		Arms: []experiment.Arm{
			{Name: "rnn", Label: "RNN"}, {Name: "leaky", Label: "leaky RNN"},
			{Name: "chrono", Label: "gated RNN, chrono, Tmax as trained"},
			{Name: "gated", Label: "gated RNN, gates from 1/2"},
			{Name: chronoTestedArm, Label: "gated RNN, chrono, Tmax as tested"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: generalization{
				best, quickSetup,
				10, []int{20, 40, 60, 80, 100}, 1,
			}},
			record.Paper: {Trials: 5, Declaration: generalization{
				best, paperSetup,
				50, []int{100, 150, 200, 250, 300, 350, 400, 450, 500}, 8,
			}},
		},
	}
}

// What is measured: on the warps trained on, and swept over the longest warp of a test; on sequences of the training's
// length and on ten of the longest warp. A dummy is the accuracy of always answering it.
const (
	accuracy     record.Result = "accuracy"
	dummy        record.Result = "dummy"
	longAccuracy record.Result = "long_accuracy"
	longDummy    record.Result = "long_dummy"
)

// generalization is a panel of Figure 5 at one scale.
type generalization struct {
	best bool // each architecture at its own rate, not at paperRate
	setup
	trained int   // longest warp in the training set
	tested  []int // longest warps in the test sets; the shortest is twice trained
	test    int   // batches of each test set
}

// Runs implements experiment.Declaration: a run for each cell.
func (g generalization) Runs(seeds []uint64) []experiment.Run {
	chronoAndHalf := gated
	chronoAndHalf.biases = []chrono.GateInit{chrono.Chrono{Tmax: float64(g.trained)}, halfOpen}
	chronoAndHalf.arms = []string{"chrono", "gated"}
	chronoTested := gated
	chronoTested.biases = []chrono.GateInit{chrono.Chrono{Tmax: float64(slices.Max(g.tested))}}
	chronoTested.arms = []string{chronoTestedArm}
	train := task.Warp{Length: g.Length, Min: 1, Max: g.trained}
	var runs []experiment.Run
	for _, t := range []architecture{rnn, leaky, chronoAndHalf, chronoTested} {
		var trials []record.Trial
		var biases []chrono.GateInit
		for i, arm := range t.arms {
			for k, seed := range seeds {
				trials = append(trials, record.Trial{
					Arm: arm, Number: k, Seed: seed,
					Memoryless: experiment.Number(train.Memoryless()), Best: experiment.Number(train.Best()),
				})
				biases = append(biases, t.biases[i])
			}
		}
		rate := paperRate
		if g.best {
			rate = t.rate
		}
		e := g.experiment(t, rate, trials, biases, []task.Symbols{train})
		e.Tests = append(e.Tests, g.tests(t, train)...)
		runs = append(runs, experiment.Run{Part: t.arms[len(t.arms)-1], Experiment: e})
	}
	return runs
}

// tests measure the accuracy on the training range, and on longer warps at both lengths, beside that of always
// answering the dummy.
func (g generalization) tests(t architecture, train task.Warp) []experiment.Test {
	test := func(w task.Warp, split string, measures ...experiment.Measure) experiment.Test {
		return experiment.Test{
			Data:    trial.Symbols{Tasks: []task.Symbols{w}, Split: split, Batch: validBatch},
			Batches: g.test, Measures: measures,
		}
	}
	right, always := experiment.Mean{Of: trial.Accuracy{}}, experiment.Always{Symbol: task.WarpDummy}
	tests := []experiment.Test{test(train, "test", append([]experiment.Measure{
		{Name: accuracy, Of: right}, {Name: dummy, Of: always},
	}, t.gateMeasures()...)...)}
	for _, longest := range g.tested {
		for _, reading := range []struct {
			accuracy, dummy record.Result
			length          int
		}{{accuracy, dummy, g.Length}, {longAccuracy, longDummy, 10 * longest}} {
			at := float64(longest)
			tests = append(tests, test(task.Warp{Length: reading.length, Min: 2 * g.trained, Max: longest}, "test",
				experiment.Measure{Name: reading.accuracy.At(at), Of: right},
				experiment.Measure{Name: reading.dummy.At(at), Of: always}))
		}
	}
	return tests
}
