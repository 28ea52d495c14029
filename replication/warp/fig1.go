package warp

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
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

// Our choices: the paper says "moderate", "small" and "regulate", without numbers.
var (
	moderate    = claim.Threshold{Name: "moderate warping from %s of the longest on", Value: 0.2, Percent: true}
	scaleFactor = claim.Threshold{Name: "a factor of %s between time scales", Value: 3, From: 1}
	longerScale = claim.Threshold{Name: "a time scale longer by %s", Value: 0.05, Percent: true}
	gateRatio   = claim.Threshold{Name: "a factor of %s between gates", Value: 3, From: 1}
	mostPairs   = claim.Threshold{Name: "%s of the pairs", Value: 0.9, From: 1, Percent: true}
)

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
	Readings: []claim.Reading{{Name: "with up to 10 zeros", Is: "10"}, {Name: "with up to 50 zeros", Is: "50"}},
}

// whichLeak is open in Section 1, where α is one number: our leaky RNNs have one for each unit.
var whichLeak = figures.Choice{
	Open: "which unit's 1/α is the time scale of a leaky RNN", Chosen: "that of the median unit, and of the slowest",
	Why: "the paper's (4) has one α; with one for each unit, trained networks have both fast and slow units. Only " +
		"the median was judged until runs of the paper's size showed this",
	Readings: []claim.Reading{
		{Name: "by the median unit", Is: "median"}, {Name: "by the slowest unit", Is: slowestUnit},
	},
}

const slowestUnit = "slowest"

// ungatedTraining is open where a claim is about plain or leaky RNNs: a reading is one of firstRate's, or an arm of
// BeyondPlain that begins with other weights.
var ungatedTraining = figures.Choice{
	Open: "initial weights of plain and leaky RNNs",
	Chosen: "those of all networks, at both rates; and in warp/beyond-plain, in two tasks, orthogonal matrices and " +
		"the identity, at rate 1e-3 (plain) and 8e-3 (leaky)",
	Why: "not given; from some weights plain RNNs learn what they do not learn from others",
	Readings: append(slices.Clone(firstRate.Readings),
		claim.Reading{Name: "from orthogonal weights", Is: orthogonalStart},
		claim.Reading{Name: "from the identity", Is: identityStart}),
}

// fig1Claim is a claim about a panel, at either rate, and from all weights that its networks began with.
func fig1Claim(what, where, says, criterion, panel string, rule func(excessLosses) claim.Finding,
	about ...architecture) claim.Claim {
	open, runs := firstRate, fig1Runs(panel)
	for _, t := range about {
		if start, found := starts[panel][t.arms[0]]; found {
			open = ungatedTraining
			runs = append(runs, claim.Run{Figure: BeyondPlain.ID(), Panel: start.panel, Scale: record.Paper})
		}
	}
	return claim.Claim{
		ID: "warp/fig1." + what, Where: where, Says: says, Criterion: criterion,
		Open: []claim.Choice{open}, DecidedBy: runs,
		Judge: claim.Judging(func(r claim.Reader) claim.Finding { return judged(r, panel, open, rule, about...) }),
	}
}

func fig1Runs(panels ...string) []claim.Run {
	var runs []claim.Run
	for _, end := range []string{bestRate, ""} {
		for _, panel := range panels {
			runs = append(runs, claim.Run{Figure: Fig1.ID(), Panel: panel + end, Scale: record.Paper})
		}
	}
	return runs
}

func fig1Claims() []claim.Claim {
	claims := []claim.Claim{fig1Claim("unwarped.all-succeed", pureWarpings,
		"Without warping, the task is easy for all three architectures.",
		"at maximum_warping 1, every architecture's excess loss is at most 5 %", "uniform-warp", allSucceed)}
	for i, place := range fig1Places {
		panel := Fig1.Panels[i].Name
		kind, _, _ := strings.Cut(Fig1.Panels[i].Title, ", ") // "uniform warping"
		add := func(what, where, says, criterion string, rule func(excessLosses) claim.Finding,
			about ...architecture) {
			claims = append(claims, fig1Claim(panel+"."+what, where+"; Figure 1, "+place, fmt.Sprintf(says, kind),
				criterion, panel, rule, about...))
		}
		said := pureWarpings // both setups, warping coefficients
		if strings.HasSuffix(kind, "padding") {
			said += " (said of warpings)"
		}
		perfect := said
		if strings.HasPrefix(kind, "uniform") {
			perfect += "; caption"
		}
		add("gated-perfect", perfect, "Gated RNNs solve %s perfectly at every maximum_warping.", alwaysSolved,
			alwaysSolvedBy(gated), gated)
		if strings.HasPrefix(kind, "uniform") {
			add("leaky-perfect", perfect, "Leaky RNNs solve %s perfectly.", alwaysSolved,
				alwaysSolvedBy(leaky), leaky)
			add("leaky-gated-overlap", "Caption", "In %s, the curves of leaky and gated RNNs overlap.",
				"at every maximum_warping, the mean excess losses differ by at most 5 %; contradicted if, at one, "+
					"every trial of one is below every trial of the other by more",
				leakyOverlapsGated, leaky, gated)
		} else {
			add("leaky-suboptimal", pureWarpings+" (said of warpings)", "Leaky RNNs fail to be optimal in %s.",
				"at some maximum_warping above 1, no trial has an excess loss of at most 5 %, or every trial's is "+
					"above every gated RNN's, on average by 5 %", leakySuboptimal, leaky, gated)
		}
		add("gated-beats-rnn", said, "In %s, gated RNNs significantly outperform RNNs once the "+
			kind[strings.LastIndex(kind, " ")+1:]+" is moderate.",
			"from a fifth of the largest value on, where no RNN has an excess loss of at most 5 % (there is such a "+
				"value): gated RNNs' is lower in every trial, and on average at most half", gatedBeatsRNN, rnn, gated)
	}
	fails := fig1Claim("uniform-pad.rnn-fails", "Section 1",
		"A fixed, small number of zeros between the elements can make a task impossible to learn for RNNs.",
		"with some such number of zeros every RNN's excess loss is above 5 %; contradicted if with none of them any "+
			"RNN fails", "uniform-pad", rnnFails, rnn)
	fails.Open = append(fails.Open, smallPadding)
	fails.DecidedBy = append(fails.DecidedBy,
		claim.Run{Figure: BeyondPlain.ID(), Panel: morePaddings, Scale: record.Paper})
	const rescaling = "Section 1, Invariance to time rescaling"
	scale := fig1Claim("uniform-warp.leaky-time-scale-value", rescaling,
		"1/α is the characteristic forgetting time of a leaky RNN.",
		"we take this to be near the time that the task needs: leaky RNNs with an excess loss of at most 5 %, from a "+
			"fifth of the largest value on: 1/α is within a factor of 3 of maximum_warping",
		"uniform-warp", leaksAreTheWarping, leaky)
	scale.Reverse, scale.Ours = "another time", true
	scale.Open = append(scale.Open, whichLeak)
	scale.DecidedBy = []claim.Run{{Needs: "no run, but whose 1/α the paper means where units have one each"}}
	learns := fig1Claim("uniform-warp.leaky-learns-the-time-scale", rescaling,
		"Learning α amounts to learning the time scale of the problem: the longer the time scale, the longer 1/α.",
		"leaky RNNs with an excess loss of at most 5 %: in 90 % of all pairs of trials with different warpings, "+
			"the more warped one has the longer 1/α, by 5 %", "uniform-warp", leaksFollowTheWarping, leaky)
	learns.Open = append(learns.Open, whichLeak)
	return append(claims, fails, scale, learns,
		claim.Claim{
			ID: "warp/fig1.variable-pad.gates-follow-the-clock", Where: "Conclusion",
			Says: "Gated connections appear to regulate the local time constants.",
			Criterion: "in variable padding every gated RNN with an excess loss of at most 5 %, from a fifth of the " +
				"largest value on, has units whose mean gate where the input changes is at least 3 times that " +
				"elsewhere",
			Open: []claim.Choice{firstRate}, DecidedBy: fig1Runs("variable-pad"),
			Judge: claim.Judging(func(r claim.Reader) claim.Finding {
				return judged(r, "variable-pad", firstRate, gatesFollowTheClock, gated)
			}),
		})
}

// excessLosses are what a panel of Figure 1 shows of each architecture.
type excessLosses struct {
	claim.Reader
	panel experiment.Panel
	of    map[string]sweep  // by arm
	from  map[string]string // the weights that an arm began with, in words, if not those of Figure 1
}

// A sweep is an architecture's excess loss at each maximum_warping. It is a share, since a loss in nats per step means
// less the longer the warping.
type sweep map[float64]record.Spread

func sweepOf(r claim.Reader, trials claim.Trials) sweep {
	s := sweep{}
	for _, x := range trials.Xs() {
		s[x] = r.Spread(trials.At(x).Excess(experiment.TestLoss))
	}
	return s
}

// judged judges a panel under the reading of a choice: firstRate or ungatedTraining. A claim that is about some
// architectures only does without records of the others.
func judged(r claim.Reader, panel string, open claim.Choice, rule func(excessLosses) claim.Finding,
	about ...architecture) claim.Finding {
	if len(about) == 0 {
		about = []architecture{rnn, leaky, gated}
	}
	end, from := r.Read(open), ""
	if end == orthogonalStart || end == identityStart {
		from = end
		for _, t := range about {
			if start, found := starts[panel][t.arms[0]]; found {
				end = start.end
			}
		}
	}
	a := excessLosses{Reader: r, panel: Fig1.Panel(panel + end), of: map[string]sweep{}, from: map[string]string{}}
	for _, t := range about {
		arm := t.arms[0]
		shown := sweepOf(r, r.Arm(Fig1.ID(), a.panel.Name, arm))
		a.of[arm] = shown
		if start, found := starts[panel][arm]; found && from != "" {
			a.of[arm] = sweepOf(r, r.Arm(BeyondPlain.ID(), start.panel, from))
			maps.DeleteFunc(a.of[arm], func(x float64, _ record.Spread) bool { return shown[x].N == 0 })
			a.from[arm] = " " + r.ReadingName(open)
		}
	}
	f := rule(a)
	if !a.learned() {
		return claim.Unlearned(f.Found...)
	}
	return f
}

// learned tells whether any trial at all, of any architecture, solves the task at the smallest value.
func (a excessLosses) learned() bool {
	return slices.ContainsFunc([]architecture{rnn, leaky, gated}, func(t architecture) bool {
		trials, err := a.Evidence.Arm(Fig1.ID(), a.panel.Name, t.arms[0])
		if err != nil {
			return false // it was not run
		}
		s := sweepOf(a.Reader, trials)
		return s[s.xs()[0]].Min <= a.Threshold(visible)
	})
}

// found has a statement for each of some architectures.
func (a excessLosses) found(which ...architecture) []string {
	var found []string
	for _, t := range which {
		s, name := a.of[t.arms[0]], t.arms[0]+a.from[t.arms[0]]
		var at []string
		for _, x := range s.xs() {
			at = append(at, fmt.Sprintf("%v at %g", claim.Percent(s[x]), x))
		}
		found = append(found, a.panel.Title+": excess loss in %, "+name+" "+strings.Join(at, ", "))
	}
	return found
}

// worst is the highest mean excess loss of each architecture, in percent.
func (a excessLosses) worst(which ...architecture) string {
	var of []string
	for _, t := range which {
		most := 0.
		for _, s := range a.of[t.arms[0]] {
			most = max(most, s.Mean)
		}
		of = append(of, fmt.Sprintf("%s %.1f", t.arms[0], 100*most))
	}
	return "largest excess loss: " + strings.Join(of, ", ") + " %"
}

func (s sweep) xs() []float64 { return slices.Sorted(maps.Keys(s)) }

// from returns the values from a share of the largest on.
func (s sweep) from(share float64) []float64 {
	xs := s.xs()
	return slices.DeleteFunc(slices.Clone(xs), func(x float64) bool { return x < share*xs[len(xs)-1] })
}

// solved answers whether an architecture solves the task at all of these values. It is contradicted if there is one at
// which no trial solves it.
func (a excessLosses) solved(s sweep, xs ...float64) claim.Answer {
	var answers []claim.Answer
	for _, x := range xs {
		answers = append(answers, claim.AtMost(s[x], a.Threshold(visible)))
	}
	return claim.Every(answers...)
}

func allSucceed(a excessLosses) claim.Finding {
	var answers []claim.Answer
	var numbers []string
	found := a.panel.Title + ": excess loss in % at 1"
	for _, t := range []architecture{rnn, leaky, gated} {
		s := a.of[t.arms[0]]
		answers = append(answers, a.solved(s, 1))
		found += fmt.Sprintf(", %s %v", t.arms[0], claim.Percent(s[1]))
		numbers = append(numbers, fmt.Sprintf("%s %.1f", t.arms[0], 100*s[1].Mean))
	}
	return claim.Found(claim.Every(answers...), someTrials, found).
		With("excess loss: %s %%", strings.Join(numbers, ", "))
}

func alwaysSolvedBy(t architecture) func(excessLosses) claim.Finding {
	return func(a excessLosses) claim.Finding {
		s := a.of[t.arms[0]]
		return claim.Found(a.solved(s, s.xs()...), someTrials, a.found(t)...).With("%s", a.worst(t))
	}
}

func leakyOverlapsGated(a excessLosses) claim.Finding {
	leaky, gated, far := a.of[leaky.arms[0]], a.of[gated.arms[0]], 0.
	var answers []claim.Answer
	for _, x := range leaky.xs() {
		answer, apart := claim.Inconclusive, math.Abs(leaky[x].Mean-gated[x].Mean)
		switch {
		case claim.Below(leaky[x], gated[x], a.Threshold(visible)) != claim.Inconclusive:
			answer = claim.Contradicted
		case apart <= a.Threshold(visible):
			answer = claim.Reproduced
		}
		answers, far = append(answers, answer), max(far, apart)
	}
	return claim.Found(claim.Every(answers...), "somewhere the means differ by more, and the trials overlap",
		a.both()...).With("at most %.1f %% apart", 100*far)
}

// both has the statements of leaky and gated RNNs.
func (a excessLosses) both() []string { return a.found(leaky, gated) }

func leakySuboptimal(a excessLosses) claim.Finding {
	of, best, answer := a.of[leaky.arms[0]], a.of[gated.arms[0]], claim.Contradicted
	for _, x := range of.xs() {
		if x == 1 {
			continue // nothing is warped
		}
		solved, gap := a.solved(of, x), a.Threshold(visible)
		switch {
		case solved == claim.Contradicted, claim.Below(best[x], of[x], gap) == claim.Reproduced:
			answer = claim.Reproduced
		case answer == claim.Contradicted && (solved != claim.Reproduced || of[x].Mean > best[x].Mean+gap):
			answer = claim.Inconclusive
		}
	}
	return claim.Found(answer, someTrials, a.both()...).With("%s", a.worst(leaky, gated))
}

// gatedBeatsRNN looks where no RNN solves the task. If all of them solve it everywhere, the paper's sentence is
// contradicted: there is nothing to be better at.
func gatedBeatsRNN(a excessLosses) claim.Finding {
	of, plain := a.of[gated.arms[0]], a.of[rnn.arms[0]]
	var answers []claim.Answer
	moderate := plain.from(a.Threshold(moderate))
	for _, x := range moderate {
		answer := farBelow(a.Reader, of[x], plain[x])
		if answer == claim.Contradicted || plain[x].Min > a.Threshold(visible) {
			answers = append(answers, answer)
		}
	}
	answer, why := claim.Every(answers...), "gated RNNs are not everywhere better by half, and in every trial"
	if len(answers) == 0 {
		answer, why = claim.Not(a.solved(plain, moderate...)), "only some RNNs fail, at any value"
	}
	return claim.Found(answer, why, a.found(gated, rnn)...).With("%s", a.worst(gated, rnn))
}

// rnnFails looks at Figure 1's numbers of zeros, and at those of BeyondPlain where they were run.
func rnnFails(a excessLosses) claim.Finding {
	s, found := a.of[rnn.arms[0]], a.found(rnn)
	more, err := a.Evidence.Arm(BeyondPlain.ID(), morePaddings, samePlainArm[a.Read(ungatedTraining)])
	if err == nil {
		added := sweepOf(a.Reader, more)
		maps.Copy(added, s)
		s = added
	}
	small, err := strconv.ParseFloat(a.Read(smallPadding), 64)
	a.Need(err)
	var answers []claim.Answer
	number := map[claim.Answer]string{}
	for _, x := range s.xs() {
		if x > small {
			break
		}
		fails := claim.Not(a.solved(s, x))
		answers = append(answers, fails)
		switch {
		case fails == claim.Contradicted:
			number[fails] = fmt.Sprintf("every RNN learns with %g zeros", x)
		case fails == claim.Reproduced && number[fails] == "":
			number[fails] = fmt.Sprintf("no RNN learns with %g zeros", x)
		case fails == claim.Inconclusive:
			number[fails] = fmt.Sprintf("only some RNNs learn with %g zeros", x)
		}
	}
	answer := claim.Some(answers...)
	found = append(found, a.panel.Title+": "+number[answer])
	return claim.Found(answer, someTrials, found...).With("%s", number[answer])
}

// solvers are the trials of an architecture that solve the task, from a share of the largest maximum_warping on, and
// the maximum_warping of each.
func (a excessLosses) solvers(t architecture, from float64) (solvers claim.Trials, warpings []float64) {
	trials := a.Arm(Fig1.ID(), a.panel.Name, t.arms[0])
	for _, x := range a.of[t.arms[0]].from(from) {
		at := trials.At(x)
		for k, excess := range a.Values(at.Excess(experiment.TestLoss)) {
			if excess <= a.Threshold(visible) {
				solvers, warpings = append(solvers, at[k]), append(warpings, x)
			}
		}
	}
	return solvers, warpings
}

// leaks are 1/α, in steps, of the leaky RNNs that solve the task, and their warpings.
func (a excessLosses) leaks(from float64) (scales, warpings []float64) {
	solvers, warpings := a.solvers(leaky, from)
	for _, biases := range a.Vectors(solvers.Vectors(leaky.ofGate(gateBias))) {
		scales = append(scales, timeScale(biases, a.Read(whichLeak)))
	}
	return scales, warpings
}

// leaksFound is the statement of them, and as the one number that of the longest warping.
func (a excessLosses) leaksFound(scales, warpings []float64) (found, number string) {
	byWarping := map[float64][]float64{}
	for i, x := range warpings {
		byWarping[x] = append(byWarping[x], scales[i])
	}
	var at []string
	for _, x := range slices.Sorted(maps.Keys(byWarping)) {
		spread := record.SpreadOf(byWarping[x])
		at = append(at, fmt.Sprintf("%v at %g", spread, x))
		number = fmt.Sprintf("1/α is %.1f %% of the longest warping that is solved", 100*spread.Mean/x)
	}
	return a.panel.Title + ": 1/α of the " + a.Read(whichLeak) + " unit in steps, " + strings.Join(at, ", "), number
}

func leaksFollowTheWarping(a excessLosses) claim.Finding {
	scales, warpings := a.leaks(0)
	longer, pairs := 0, 0
	for i := range scales {
		for j := range scales {
			if warpings[i] < warpings[j] {
				pairs++
				if scales[j] > (1+a.Threshold(longerScale))*scales[i] {
					longer++
				}
			}
		}
	}
	found := fmt.Sprintf("%s: of two leaky RNNs that solve it, the more warped has the longer 1/α, %s, in "+
		"%d of %d pairs", a.panel.Title, a.ReadingName(whichLeak), longer, pairs)
	if pairs < a.MinTrials*a.MinTrials { // as many as of two values that all trials solve
		return claim.Found(claim.Inconclusive, "too few leaky RNNs solve it at different values", found)
	}
	values, _ := a.leaksFound(scales, warpings)
	share := float64(longer) / float64(pairs)
	return claim.Found(atLeast(claim.Exactly(share), a.Threshold(mostPairs), somePairsShare),
		"only some pairs have it so", found, values).With("longer in %.0f %% of the pairs of networks", 100*share)
}

func leaksAreTheWarping(a excessLosses) claim.Finding {
	scales, warpings := a.leaks(a.Threshold(moderate))
	if len(scales) < a.MinTrials {
		return claim.Found(claim.Inconclusive, "too few leaky RNNs solve it",
			fmt.Sprintf("%s: %d leaky RNNs solve it", a.panel.Title, len(scales)))
	}
	var off []float64
	for i, steps := range scales {
		off = append(off, max(steps/warpings[i], warpings[i]/steps))
	}
	found, number := a.leaksFound(scales, warpings)
	answer := claim.AtMost(record.SpreadOf(off), a.Threshold(scaleFactor))
	return claim.Found(answer, someTrials, found).With("%s", number)
}

// timeScale is how many steps a unit, the median or the slowest, remembers for.
func timeScale(biases []float64, unit string) float64 {
	var scales []float64
	for _, b := range biases {
		scales = append(scales, chrono.TimeScale(-b)) // an input bias
	}
	if unit == slowestUnit {
		return slices.Max(scales)
	}
	return claim.Median(scales)
}

// gatesFollowTheClock counts the units whose gates do.
func gatesFollowTheClock(a excessLosses) claim.Finding {
	solvers, _ := a.solvers(gated, a.Threshold(moderate))
	changes := a.Vectors(solvers.Vectors(gated.ofGate(gateAtChange)))
	elsewhere := a.Vectors(solvers.Vectors(gated.ofGate(gateElsewhere)))
	var counts, widest []float64
	for k, gates := range changes {
		n, most := 0., 0.
		for u, gate := range gates {
			ratio := gate / elsewhere[k][u]
			if most = max(most, ratio); ratio >= a.Threshold(gateRatio) {
				n++
			}
		}
		counts, widest = append(counts, n), append(widest, most)
	}
	if len(counts) < a.MinTrials {
		return claim.Found(claim.Inconclusive, "too few gated RNNs solve it",
			fmt.Sprintf("%s: %d gated RNNs solve it", a.panel.Title, len(counts)))
	}
	units := record.SpreadOf(counts)
	return claim.Found(claim.AtLeast(units, 1), "only some networks have such units",
		fmt.Sprintf("%s: in %d gated RNNs that solve it, gates of %v units are at least %g times as wide where the "+
			"input changes, the widest %v times", a.panel.Title, len(counts), units, gateRatio.Value,
			record.SpreadOf(widest)),
	).With("gates of %s of %d units open wider where the input changes", record.Number(units.Mean), len(changes[0]))
}
