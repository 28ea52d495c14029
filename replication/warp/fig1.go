package warp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
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
	Views: []figures.View{figures.Finals{Of: experiment.TestLoss, Low: 1e-4, High: 3}},
	Caption: "Test loss of three architectures on warped and padded sequences, whose warping is (uniform), or " +
		"is at most (variable), what the horizontal axis says. All vertical axes are alike, and logarithmic; " +
		"an arrow is a mean below 0.0001, and arrows at one value stand side by side. The best possible loss " +
		"is 0, and memoryless is that of the best model without memory.",
	Layout: figures.Layout{Columns: 2, Down: true, Height: 2 * vg.Inch},
	Open: append([]figures.Choice{
		{
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
	atPaper := []int{1, 10, 25, 50, 75, 100}
	if family == (uniformPad{}) {
		atPaper = []int{1, 10, 25, 40, 55, 70, 85, 100} // what its records have
	}
	return experiment.Panel{
		Name: name, Title: title, X: "maximum warping (steps)", Y: "test loss (nats per step)",
		Arms: []experiment.Arm{{Name: "rnn", Label: "RNN"}, {Name: "leaky", Label: "leaky RNN"},
			{Name: "gated", Label: "gated RNN"}},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick:   size(3, 1, []int{1, 5, 20}, quickSetup),
			record.Reduced: size(3, 10, []int{1, 10, 50}, reducedSetup),
			record.Paper:   size(5, 100, atPaper, paperSetup), // 10,000 test sequences
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

// Our choices: the paper says "perfect", "moderate", "small" and "regulate", without numbers.
const (
	moderateShare  = 0.2 // warpings are moderate from this share of the longest on
	smallPadding   = 10  // zeros; W's first example of a rescaling has a character every 10 steps
	gateRatio      = 3   // a gate follows the clock if it is at least this many times wider where the input changes
	mostPairsShare = 0.9 // time scales rise with the warping if they do in this share of the pairs of trials
	somePairsShare = 0.5 // they do not if they do in no larger share
)

const (
	pureWarpings = "Section 3, Pure warpings and paddings"
	alwaysSolved = "excess loss of at most 5 % at every maximum_warping"
)

// fig1Places are where the paper has the first four panels of Fig1. The other four are the same at another rate.
var fig1Places = []string{"top left", "top right", "bottom left", "bottom right"}

func fig1Claims() []claim.Claim {
	claims := []claim.Claim{{
		ID: "warp/fig1.unwarped.all-succeed", Where: pureWarpings,
		Says:      "Without warping, the task is easy for all three architectures.",
		Criterion: "at maximum_warping 1, every architecture's excess loss is at most 5 %" + bothRates,
		Open:      []claim.Choice{firstRate},
		Judge:     atBothRates("uniform-warp", allSucceed),
	}}
	for i, place := range fig1Places {
		panel := Fig1.Panels[i]
		kind, _, _ := strings.Cut(panel.Title, ", ") // "uniform warping"
		add := func(what, where, says, criterion string, judge func(claim.Evidence) claim.Finding) claim.Claim {
			claims = append(claims, claim.Claim{
				ID: "warp/fig1." + panel.Name + "." + what, Where: where + "; Figure 1, " + place,
				Says: fmt.Sprintf(says, kind), Criterion: criterion, Open: []claim.Choice{firstRate}, Judge: judge,
			})
			return claims[len(claims)-1]
		}
		gatedPerfect := add("gated-perfect", pureWarpings, "Gated RNNs solve %s perfectly at every maximum_warping.",
			alwaysSolved+bothRates, atBothRates(panel.Name, alwaysSolvedBy(gated)))
		if strings.HasPrefix(kind, "uniform") {
			leakyPerfect := add("leaky-perfect", pureWarpings+"; caption", "Leaky RNNs solve %s perfectly.",
				alwaysSolved+bothRates, atBothRates(panel.Name, alwaysSolvedBy(leaky)))
			add("leaky-gated-overlap", "Caption", "In %s, the curves of leaky and gated RNNs overlap, with loss 0.",
				"leaky-perfect and gated-perfect are both reproduced", claim.All(leakyPerfect, gatedPerfect))
		} else {
			add("leaky-suboptimal", pureWarpings+" (said of warpings)", "Leaky RNNs fail to be optimal in %s.",
				"at some maximum_warping no trial has an excess loss of at most 5 %"+bothRates,
				atBothRates(panel.Name, opposite(alwaysSolvedBy(leaky))))
		}
		add("gated-beats-rnn", pureWarpings, "In %s, gated RNNs significantly outperform RNNs once it is moderate.",
			"from a fifth of the largest value on, where no RNN has an excess loss of at most 5 % (there is such a "+
				"value): gated RNNs' is lower in every trial, and on average at most half"+bothRates,
			atBothRates(panel.Name, gatedBeatsRNN))
	}
	return append(claims, claim.Claim{
		ID: "warp/fig1.uniform-pad.rnn-fails", Where: "Section 1",
		Says:      "A fixed, small number of zeros between the elements can make a task impossible to learn for RNNs.",
		Criterion: "with some number of zeros, up to 10, every RNN's excess loss is above 5 %" + bothRates,
		Open:      []claim.Choice{firstRate},
		Judge:     atBothRates("uniform-pad", rnnFails, rnn),
	}, claim.Claim{
		ID: "warp/fig1.uniform-warp.leaky-learns-the-time-scale", Where: "Section 1, Invariance to time rescaling",
		Says: "Learning α amounts to learning the time scale of the problem: 1/α is how long a leaky RNN remembers.",
		Criterion: "leaky RNNs with an excess loss of at most 5 %: in 90 % of all pairs of trials with different " +
			"warpings, the more warped one has the longer median 1/α, by 5 %" + bothRates,
		Open:  []claim.Choice{firstRate},
		Judge: atBothRates("uniform-warp", leaksFollowTheWarping),
	}, claim.Claim{
		ID: "warp/fig1.variable-warp.gates-follow-the-clock", Where: "Conclusion",
		Says: "Gated connections appear to regulate the local time constants.",
		Criterion: "gated RNNs with an excess loss of at most 5 %, from a fifth of the largest value on: the mean " +
			"gate where the input changes is at least 3 times that elsewhere" + bothRates,
		Open:  []claim.Choice{firstRate},
		Judge: atBothRates("variable-warp", gatesFollowTheClock),
	})
}

// excessLosses are what a panel of Figure 1 shows of each architecture.
type excessLosses struct {
	claim.Reader
	panel experiment.Panel
	of    map[string]sweep // by arm
}

// A sweep is an architecture's excess loss at each maximum_warping. It is a share, since a loss in nats per step means
// less the longer the warping.
type sweep map[float64]record.Spread

func sweepOf(r claim.Reader, f figures.Figure, panel, arm string) sweep {
	trials, s := r.Arm(f.ID(), panel, arm), sweep{}
	for _, x := range trials.Xs() {
		s[x] = r.Spread(trials.At(x).Excess(experiment.TestLoss))
	}
	return s
}

// atBothRates judges a panel at the rate that is read. A claim that is about some architectures only does without
// records of the others.
func atBothRates(
	panel string, predicate func(excessLosses) claim.Finding, about ...architecture,
) func(claim.Evidence) claim.Finding {
	if len(about) == 0 {
		about = []architecture{rnn, leaky, gated}
	}
	return claim.Judging(func(r claim.Reader) claim.Finding {
		a := excessLosses{r, Fig1.Panel(panel + r.Read(firstRate)), map[string]sweep{}}
		for _, t := range about {
			a.of[t.arms[0]] = sweepOf(r, Fig1, a.panel.Name, t.arms[0])
		}
		f := predicate(a)
		if !a.learned() {
			return claim.Unlearned(f.Found...)
		}
		return f
	})
}

// learned tells whether any trial at all solves the task at the smallest value.
func (a excessLosses) learned() bool {
	for _, s := range a.of {
		if xs := s.xs(); len(xs) > 0 && s[xs[0]].Min <= visibleShare {
			return true
		}
	}
	return false
}

// found has a statement for each of some architectures.
func (a excessLosses) found(which ...architecture) []string {
	var found []string
	for _, t := range which {
		s := a.of[t.arms[0]]
		var at []string
		for _, x := range s.xs() {
			at = append(at, fmt.Sprintf("%v at %g", claim.Percent(s[x]), x))
		}
		found = append(found, a.panel.Title+": excess loss in %, "+t.arms[0]+" "+strings.Join(at, ", "))
	}
	return found
}

func (s sweep) xs() []float64 { return slices.Sorted(maps.Keys(s)) }

// from returns the values from a share of the largest on.
func (s sweep) from(share float64) []float64 {
	xs := s.xs()
	return slices.DeleteFunc(slices.Clone(xs), func(x float64) bool { return x < share*xs[len(xs)-1] })
}

// solved answers whether the task is solved at all of these values. It is contradicted if there is one at which no
// trial solves it.
func (s sweep) solved(xs ...float64) claim.Answer {
	var answers []claim.Answer
	for _, x := range xs {
		answers = append(answers, claim.AtMost(s[x], visibleShare))
	}
	return claim.Every(answers...)
}

func allSucceed(a excessLosses) claim.Finding {
	var answers []claim.Answer
	found := a.panel.Title + ": excess loss in % at 1"
	for _, t := range []architecture{rnn, leaky, gated} {
		s := a.of[t.arms[0]]
		answers = append(answers, s.solved(1))
		found += fmt.Sprintf(", %s %v", t.arms[0], claim.Percent(s[1]))
	}
	return claim.Found(claim.Every(answers...), someTrials, found)
}

func alwaysSolvedBy(t architecture) func(excessLosses) claim.Finding {
	return func(a excessLosses) claim.Finding {
		s := a.of[t.arms[0]]
		return claim.Found(s.solved(s.xs()...), someTrials, a.found(t)...)
	}
}

func opposite(predicate func(excessLosses) claim.Finding) func(excessLosses) claim.Finding {
	return func(a excessLosses) claim.Finding {
		f := predicate(a)
		f.Answer = claim.Not(f.Answer)
		return f
	}
}

// gatedBeatsRNN looks where no RNN solves the task. If all of them solve it everywhere, the paper's sentence is
// contradicted: there is nothing to be better at.
func gatedBeatsRNN(a excessLosses) claim.Finding {
	found, gated, rnn := a.found(gated, rnn), a.of[gated.arms[0]], a.of[rnn.arms[0]]
	var answers []claim.Answer
	for _, x := range rnn.from(moderateShare) {
		if answer := farBelow(gated[x], rnn[x]); answer == claim.Contradicted || rnn[x].Min > visibleShare {
			answers = append(answers, answer)
		}
	}
	if len(answers) == 0 {
		return claim.Found(claim.Not(rnn.solved(rnn.from(moderateShare)...)), "only some RNNs fail, at any value",
			found...)
	}
	return claim.Found(claim.Every(answers...), "gated RNNs are not everywhere better by half, and in every trial",
		found...)
}

// rnnFails: that it takes a large number of zeros is neither what the paper says nor the reverse.
func rnnFails(a excessLosses) claim.Finding {
	s, found := a.of[rnn.arms[0]], a.found(rnn)
	for _, x := range s.xs() {
		if s.solved(x) == claim.Contradicted {
			if x <= smallPadding {
				return claim.Found(claim.Reproduced, "", found...)
			}
			why := fmt.Sprintf("RNNs fail from %g zeros on, not a small number", x)
			return claim.Found(claim.Inconclusive, why, found...)
		}
	}
	return claim.Found(claim.Not(s.solved(s.xs()...)), someTrials, found...)
}

// solvers are the trials of an architecture that solve the task, from a share of the largest maximum_warping on, and
// the maximum_warping of each.
func (a excessLosses) solvers(t architecture, from float64) (solvers claim.Trials, warpings []float64) {
	trials := a.Arm(Fig1.ID(), a.panel.Name, t.arms[0])
	for _, x := range a.of[t.arms[0]].from(from) {
		at := trials.At(x)
		for k, excess := range a.Values(at.Excess(experiment.TestLoss)) {
			if excess <= visibleShare {
				solvers, warpings = append(solvers, at[k]), append(warpings, x)
			}
		}
	}
	return solvers, warpings
}

func leaksFollowTheWarping(a excessLosses) claim.Finding {
	solvers, warpings := a.solvers(leaky, 0)
	var medians []float64 // 1/α, in steps
	for _, biases := range a.Vectors(solvers.Vectors(leaky.ofGate(gateBias))) {
		medians = append(medians, timeScale(biases))
	}
	longer, pairs := 0, 0
	byWarping := map[float64][]float64{}
	for i := range medians {
		byWarping[warpings[i]] = append(byWarping[warpings[i]], medians[i])
		for j := range medians {
			if warpings[i] < warpings[j] {
				pairs++
				if medians[j] > (1+visibleShare)*medians[i] {
					longer++
				}
			}
		}
	}
	found := []string{fmt.Sprintf("%s: of two leaky RNNs that solve it, the more warped has the longer 1/α in %d of "+
		"%d pairs", a.panel.Title, longer, pairs)}
	var at []string
	for _, warping := range slices.Sorted(maps.Keys(byWarping)) {
		at = append(at, fmt.Sprintf("%v at %g", record.SpreadOf(byWarping[warping]), warping))
	}
	if len(at) > 0 {
		found = append(found, a.panel.Title+": median 1/α in steps, "+strings.Join(at, ", "))
	}
	if pairs < a.MinTrials*a.MinTrials {
		return claim.Found(claim.Inconclusive, "too few leaky RNNs solve the task", found...)
	}
	share := claim.Exactly(float64(longer) / float64(pairs))
	answer := atLeast(share, mostPairsShare, somePairsShare)
	return claim.Found(answer, "it is so in some pairs of trials only", found...)
}

// timeScale is the median of a leaky network's units: 1/α is 1/σ(bias) steps.
func timeScale(biases []float64) float64 {
	scales := make([]float64, len(biases))
	for i, b := range biases {
		scales[i] = chrono.TimeScale(-b)
	}
	return claim.Median(scales)
}

func gatesFollowTheClock(a excessLosses) claim.Finding {
	solvers, _ := a.solvers(gated, moderateShare)
	if len(solvers) < a.MinTrials {
		return claim.Found(claim.Inconclusive, "too few gated RNNs solve the task", a.found(gated)...)
	}
	changes := a.Vectors(solvers.Vectors(gated.ofGate(gateAtChange)))
	others := a.Vectors(solvers.Vectors(gated.ofGate(gateElsewhere)))
	ratios := make([]float64, len(solvers))
	for i := range solvers {
		ratios[i] = claim.Mean(changes[i]) / claim.Mean(others[i])
	}
	ratio := record.SpreadOf(ratios)
	return claim.Found(atLeast(ratio, gateRatio, 1), "the gates differ by less than a factor of 3 in some trials",
		fmt.Sprintf("%s: in %d gated RNNs that solve it, gates where the input changes are %v times the others",
			a.panel.Title, len(solvers), ratio))
}
