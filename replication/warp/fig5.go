package warp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
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
		generalizationPanel("generalization", "rate 1e-3", generalization{}),
		generalizationPanel("generalization"+bestRate, "rates 4e-3 and 8e-3", generalization{best: true}),
		generalizationPanel("uniform", "uniform, rate 1e-3", generalization{uniform: true}),
		generalizationPanel("uniform"+bestRate, "uniform, rates 4e-3 and 8e-3",
			generalization{uniform: true, best: true}),
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
			Open: "uniform or variable warps", Chosen: "variable, where every character lasts for a time of its own, " +
				"and uniform, where a sequence has one warp for all: both",
			Why: "the text says a variable warping task, the caption says uniform warps",
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
func generalizationPanel(name, title string, g generalization) experiment.Panel {
	size := func(scale record.Scale, c setup, tests int) experiment.Declaration {
		g.setup, g.trainedAndTested, g.test = c, longestWarps[scale], tests
		return g
	}
	return experiment.Panel{
		Name: name, Title: title, X: "longest warp in the test set (steps)", Y: "accuracy (%)",
		Arms: []experiment.Arm{
			{Name: "rnn", Label: "RNN"}, {Name: "leaky", Label: "leaky RNN"},
			{Name: "chrono", Label: "gated RNN, chrono, Tmax as trained"},
			{Name: "gated", Label: "gated RNN, gates from 1/2"},
			{Name: chronoTestedArm, Label: "gated RNN, chrono, Tmax as tested"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: size(record.Quick, quickSetup, 1)},
			record.Paper: {Trials: 5, Declaration: size(record.Paper, paperSetup, 8)},
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

// longestWarps are those of Figure 5 at each scale.
var longestWarps = map[record.Scale]trainedAndTested{
	record.Quick: {10, []int{20, 40, 60, 80, 100}},
	record.Paper: {50, []int{100, 150, 200, 250, 300, 350, 400, 450, 500}},
}

type trainedAndTested struct {
	trained int   // longest warp in the training set
	tested  []int // longest warps in the test sets; the shortest is twice trained
}

// generalization is a panel of Figure 5 at one scale.
type generalization struct {
	uniform bool // one warp for all characters of a sequence
	best    bool // each architecture at its own rate, not at paperRate
	setup
	trainedAndTested
	test int // batches of each test set
}

// warp is the task with these warps.
func (g generalization) warp(length, shortest, longest int) leveled {
	w := task.Warp{Length: length, Min: shortest, Max: longest}
	if g.uniform {
		return task.UniformWarp(w)
	}
	return w
}

// Runs implements experiment.Declaration: a run for each cell.
func (g generalization) Runs(seeds []uint64) []experiment.Run {
	chronoAndHalf := gated
	chronoAndHalf.biases = []chrono.GateInit{chrono.Chrono{Tmax: float64(g.trained)}, halfOpen}
	chronoAndHalf.arms = []string{"chrono", "gated"}
	chronoTested := gated
	chronoTested.biases = []chrono.GateInit{chrono.Chrono{Tmax: float64(slices.Max(g.tested))}}
	chronoTested.arms = []string{chronoTestedArm}
	train := g.warp(g.Length, 1, g.trained)
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
func (g generalization) tests(t architecture, train task.Symbols) []experiment.Test {
	test := func(w task.Symbols, split string, measures ...experiment.Measure) experiment.Test {
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
			tests = append(tests, test(g.warp(reading.length, 2*g.trained, longest), "test",
				experiment.Measure{Name: reading.accuracy.At(at), Of: right},
				experiment.Measure{Name: reading.dummy.At(at), Of: always}))
		}
	}
	return tests
}

// Our choices of what is decent, "around 75 %", "100 %" and visible.
const (
	decentAccuracy  = 0.65
	around75Low     = 0.65
	around75High    = 0.85
	decentShare     = 0.5 // of the steps that always answering the dummy gets wrong
	accuracy100     = 0.995
	accuracy80      = 0.8
	learnedAccuracy = 0.9 // a network has learned something if its accuracy is at least this
)

const (
	generalizing = "Appendix A, On the generalization capacity of recurrent architectures"
	shortAndLong = bothRates + ", in short tests (as long as in training) and in long ones (ten of the longest warp)" +
		", with chrono's Tmax as trained and as tested"
	shared = "accuracies as shares of what always answering the dummy gets wrong: "
)

func fig5Claims() []claim.Claim {
	return []claim.Claim{
		{
			ID: "warp/fig5.networks.decent", Where: generalizing,
			Says: "Even with warps 10 times longer than trained on, all networks still have decent accuracy.",
			Criterion: "plain, leaky and chrono RNNs: at 10 times, accuracy of at least 65 %, and at least half of " +
				"what always answering the dummy gets wrong is right (its share)" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, decent),
		}, {
			ID: "warp/fig5.networks.not-perfect", Where: generalizing,
			Says:      "No network generalizes perfectly.",
			Criterion: "plain, leaky and chrono RNNs: at 10 times, accuracy of at most 99.5 %" + shortAndLong,
			Judge:     underEveryReading(lengths, tmaxes, notPerfect),
		}, {
			ID: "warp/fig5.chrono.from-100-to-75", Where: generalizing,
			Says: "Accuracy decreases from 100 % to around 75 %.",
			Criterion: "chrono, since plain RNNs are said never to be perfect: at least 99.5 % on the warps trained " +
				"on, and 65 to 85 % at 10 times" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, from100To75),
		}, {
			ID: "warp/fig5.rnn.below-80", Where: generalizing,
			Says:      "Plain RNNs are below 80 % even within the training range.",
			Criterion: "rnn: accuracy of at most 80 % on the warps trained on" + bothRates,
			Judge:     underEveryReading(lengths[:1], tmaxes[:1], below80),
		}, {
			ID: "warp/fig5.chrono.better-than-rnn", Where: generalizing,
			Says: "Overall, gated RNNs perform better than plain ones.",
			Criterion: shared + "averaged over all test warps, every chrono trial is above every plain RNN, on " +
				"average by a point" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, chronoAbovePlain(overall)),
		}, {
			ID: "warp/fig5.chrono.falls-faster", Where: generalizing,
			Says: "With warps 8 to 10 times longer than trained on, gated RNNs lose accuracy faster than plain ones.",
			Criterion: shared + "from 8 to 10 times, every chrono trial loses more than every plain RNN, on average " +
				"by a point" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, chronoAbovePlain(lostFrom8)),
		}, {
			ID: "warp/fig5.rnn.flatter", Where: generalizing,
			Says: "Beyond the training range, plain RNNs have a flatter performance.",
			Criterion: shared + "from the warps trained on to 10 times, every plain RNN loses less than every chrono " +
				"trial, on average by a point" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, chronoAbovePlain(lost)),
		},
	}
}

func decent(n networks) claim.Finding {
	var answers []claim.Answer
	for _, arm := range n.theirs() {
		of := n.arms[arm]
		answers = append(answers, claim.AtLeast(of.at10, decentAccuracy), claim.AtLeast(of.share10, decentShare))
	}
	return claim.Found(claim.Every(answers...), someTrials, n.found(at10, share10)...)
}

func notPerfect(n networks) claim.Finding {
	var answers []claim.Answer
	for _, arm := range n.theirs() {
		answers = append(answers, claim.AtMost(n.arms[arm].at10, accuracy100))
	}
	return claim.Found(claim.Every(answers...), someTrials, n.found(at10)...)
}

func from100To75(n networks) claim.Finding {
	of := n.arms[n.chrono]
	around75 := claim.Every(claim.AtLeast(of.at10, around75Low), claim.AtMost(of.at10, around75High))
	return claim.Found(claim.Every(claim.AtLeast(of.trained, accuracy100), around75), someTrials,
		n.found(trained, at10)...)
}

func below80(n networks) claim.Finding {
	return claim.Found(claim.AtMost(n.arms[plain].trained, accuracy80), someTrials, n.found(trained)...)
}

// chronoAbovePlain judges that a quantity of the chrono network is visibly above the plain RNN's.
func chronoAbovePlain(q quantity) func(networks) claim.Finding {
	return func(n networks) claim.Finding {
		answer := claim.Below(q.of(n.arms[plain]), q.of(n.arms[n.chrono]), onePoint)
		return claim.Found(answer, "less than one point apart, or their trials overlap", n.found(q)...)
	}
}

var (
	plain    = rnn.arms[0]
	everyArm = []string{plain, leaky.arms[0], chronoArm, chronoTestedArm, gated.arms[0]}
)

// chronoTestedArm names the chrono network whose Tmax is the longest warp tested.
const chronoTestedArm = "chrono-tested"

// A tmax is a reading of which chrono network is the paper's: its arm, and what its Tmax is.
type tmax struct{ arm, name string }

var tmaxes = []tmax{{chronoArm, "Tmax as trained"}, {chronoTestedArm, "Tmax as tested"}}

// A length is a reading of how long the test sequences are: what is measured on them, and its name.
type length struct {
	accuracy, dummy record.Result
	name            string
}

var lengths = []length{{accuracy, dummy, "short tests"}, {longAccuracy, longDummy, "long tests"}}

// networks are what a panel of Figure 5 shows of each arm under one reading.
type networks struct {
	rate, under string // what the numbers are found under: the rate, and the rate with the length
	chrono      string // the arm that is read as the paper's chrono network
	arms        map[string]network
}

// A network is what is measured of an arm. A share is the part of the steps answered rightly among those that always
// answering the dummy gets wrong.
type network struct {
	trained, at10                     record.Spread // accuracies
	share10, overall, lostFrom8, lost record.Spread // shares
}

// A quantity is one of these, and what it is called in a statement.
type quantity struct {
	name string
	of   func(network) record.Spread
}

var (
	trained   = quantity{"accuracy on the warps trained on", func(n network) record.Spread { return n.trained }}
	at10      = quantity{"accuracy at 10 times", func(n network) record.Spread { return n.at10 }}
	share10   = quantity{"share right at 10 times", func(n network) record.Spread { return n.share10 }}
	overall   = quantity{"mean share right over all test warps", func(n network) record.Spread { return n.overall }}
	lostFrom8 = quantity{"share lost from 8 to 10 times", func(n network) record.Spread { return n.lostFrom8 }}
	lost      = quantity{"share lost since the warps trained on", func(n network) record.Spread { return n.lost }}
)

// underEveryReading judges Figure 5 at both rates, at these lengths and with these Tmax: the paper names none of them.
func underEveryReading(lengths []length, tmaxes []tmax, predicate func(networks) claim.Finding,
) func(claim.Evidence) claim.Finding {
	return claim.Judging(func(r claim.Reader) claim.Finding {
		var readings []claim.Reading
		for _, p := range Fig5.Panels[:2] {
			for _, l := range lengths {
				n := networks{p.Title, p.Title, "", map[string]network{}}
				if len(lengths) > 1 {
					n.under += ", " + l.name
				}
				for _, arm := range everyArm {
					n.arms[arm] = networkOf(r, p, arm, l)
				}
				var each []claim.Reading
				for _, m := range tmaxes {
					n.chrono = m.arm
					each = append(each, claim.Reading{
						Name: n.under + ", " + m.name, Learned: n.learned(), Finding: predicate(n),
					})
				}
				readings = append(readings, claim.Merged(n.under, each...)...)
			}
		}
		return claim.UnderEvery(readings...)
	})
}

func networkOf(r claim.Reader, p experiment.Panel, arm string, l length) network {
	longest := longestWarps[r.Scale]
	trials := r.Arm(Fig5.ID(), p.Name, arm)
	shares := func(accuracy, dummy record.Result) []float64 {
		shares, dummies := r.Values(trials.Accuracies(accuracy)), r.Values(trials.Accuracies(dummy))
		for k := range shares {
			shares[k] = (shares[k] - dummies[k]) / (1 - dummies[k])
		}
		return shares
	}
	at := func(tested int) []float64 {
		return shares(l.accuracy.At(float64(tested)), l.dummy.At(float64(tested)))
	}
	trained, at8, at10 := shares(accuracy, dummy), at(8*longest.trained), at(10*longest.trained)
	overall := make([]float64, len(trials))
	for _, tested := range longest.tested {
		for k, share := range at(tested) {
			overall[k] += share / float64(len(longest.tested))
		}
	}
	return network{
		trained:   r.Spread(trials.Accuracies(accuracy)),
		at10:      r.Spread(trials.Accuracies(l.accuracy.At(float64(10 * longest.trained)))),
		share10:   record.SpreadOf(at10),
		overall:   record.SpreadOf(overall),
		lostFrom8: difference(at8, at10),
		lost:      difference(trained, at10),
	}
}

// theirs are the networks of the paper's figure.
func (n networks) theirs() []string { return []string{plain, leaky.arms[0], n.chrono} }

// learned tells whether any of the paper's networks is right at most steps of the warps that it was trained on.
func (n networks) learned() bool {
	return slices.ContainsFunc(n.theirs(), func(arm string) bool { return n.arms[arm].trained.Max >= learnedAccuracy })
}

// found has a statement for each quantity.
func (n networks) found(quantities ...quantity) []string {
	var found []string
	for _, q := range quantities {
		var values []string
		for _, arm := range everyArm {
			values = append(values, fmt.Sprintf("%s %v", arm, claim.Percent(q.of(n.arms[arm]))))
		}
		under := n.under
		if q.name == trained.name { // at both lengths the same
			under = n.rate
		}
		found = append(found, fmt.Sprintf("%s: %s in %% %s", under, q.name, strings.Join(values, ", ")))
	}
	return found
}
