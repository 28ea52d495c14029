package warp

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
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
	Panels: slices.Concat(
		warpPanels(normalArchitectures), warpPanels(tunedArchitectures), []experiment.Panel{
			leaksPanel(warpLeaks, uniformWarp, uniformWarp.longest()),
			leaksPanel(padLeaks, uniformPad, 1+uniformPad.longest()),
		},
	),
	Others: append([]experiment.Panel{
		variedPanel(morePaddings, "", whereItFails, "", rateVariations),
		variedPanel("warp-rates", "", variableWarp, "", rateVariations),
		variedPanel(starts["uniform-pad"]["rnn"], "", uniformPad, ", rate 1e-3", startsOf(rnn, 1)),
		variedPanel(starts["variable-warp"]["rnn"], "", variableWarp, ", rate 1e-3", startsOf(rnn, 1)),
		variedPanel(starts["uniform-pad"]["leaky"], "leaky RNN, ", uniformPad, ", rate 8e-3", leakyStarts),
		variedPanel(starts["variable-warp"]["leaky"], "leaky RNN, ", variableWarp, ", rate 8e-3", leakyStarts),
		variedPanel(leakyRates, "leaky RNN, ", uniformWarp, ", inputs N(0, 1)", leakyVariations),
		ratesPanel(),
	}, warpPanels(slowArchitectures)...),
	Views: []figures.View{warpingLosses},
	Found: "Gated networks solve all tasks. Leaky ones fail at the longest warpings (a, c; in a, not at twice the " +
		"rate) and at long padding (b, d), but solve all of uniform warping and most of uniform padding if leaks " +
		"begin as chrono draws gates (i, j).",
	Caption: "In the paper, leaky and gated RNNs reach loss 0 in both uniform tasks. Test loss of three " +
		"architectures on warped and padded sequences, against the warping factor or the number of zeros (uniform), " +
		"or their maximum (variable). 0 % is the best possible loss, 100 % that of the best model without memory; we " +
		"call a task solved at up to 5 %. (a-d), input weights from N(0, 1), are the main condition, each " +
		"architecture at the best of five learning rates by validation (4e-3, gated ones 8e-3); in (e-h) all weights " +
		"begin in U(±1/√H), at the best of the few rates tried then (4e-3 for plain RNNs, 8e-3 for the others). (i, " +
		"j) are (a, b) with leaks drawn as chrono draws gates; all others begin at 1/2.",
	Layout:     figures.Layout{Height: 2 * figures.Inch},
	Conditions: fig1Conditions, Claims: fig1Claims,
}

// excessLosses shows test losses in the quantity that the claims use: in percent of what there is to gain over the best
// model without memory, against the swept value. So a failure looks alike in tasks whose losses differ.
type excessLosses struct {
	low, high float64 // ends of the vertical axis; both axes are logarithmic unless low is 0
	figures.After
}

var warpingLosses, loggedLosses = excessLosses{high: 105}, excessLosses{low: 0.001, high: 150}

func (v excessLosses) Chart(p figures.Panel) figures.Chart {
	c := figures.Chart{Log: v.low > 0, Low: v.low, High: v.high, Points: true}
	c.References = []figures.Reference{
		figures.Level("memoryless (100 %)", 100), figures.Level("solved (5 %)", 100*visible.Value),
	}
	c.Lines = p.Finished().Lines(func(excess *figures.Line, r *record.Record, trial int) {
		final, ok := r.End.Final[string(experiment.TestLoss)]
		if t := r.Trials[trial]; ok && t.X != nil && t.Memoryless != nil && t.Best != nil {
			excess.Add(*t.X, 100*(final[trial]-*t.Best)/(*t.Memoryless-*t.Best))
		}
	})
	return c
}

// ratesAxis is what atRates sweeps.
const ratesAxis = "learning rate (thousandths)"

// A family is a task for each value of maximum_warping.
type family struct {
	name, title, axis string
	task              func(length, n int) symbolTask
	values            map[record.Scale][]int
}

// over is the family at other values.
func (f family) over(quick, reduced, paper []int) family {
	f.values = scaled(quick, reduced, paper)
	return f
}

func (f family) longest() int { return slices.Max(f.values[record.Paper]) }

const (
	warpingAxis = "maximum warping (steps)"
	paddingAxis = "zeros between characters"
)

var (
	usualWarpings = scaled([]int{1, 5, 20}, []int{1, 10, 50}, []int{1, 10, 25, 50, 75, 100})

	uniformWarp = family{
		"uniform-warp", "uniform warping", warpingAxis,
		func(length, n int) symbolTask { return task.Warp{Length: length, Min: n, Max: n} }, usualWarpings,
	}
	uniformPad = family{
		"uniform-pad", "uniform padding", paddingAxis,
		func(length, n int) symbolTask { return task.Pad{Length: length, Min: n, Max: n} }, usualWarpings,
	}.over([]int{1, 5, 20}, []int{1, 10, 50}, []int{1, 10, 25, 40, 55, 70, 85, 100}) // what its records have
	variableWarp = family{
		"variable-warp", "variable warping", warpingAxis,
		func(length, n int) symbolTask { return task.Warp{Length: length, Min: 1, Max: n} }, usualWarpings,
	}
	variablePad = family{
		"variable-pad", "variable padding", paddingAxis,
		func(length, n int) symbolTask { return task.Pad{Length: length, Min: 1, Max: n} }, usualWarpings,
	}
	families = []family{uniformWarp, uniformPad, variableWarp, variablePad}
)

// warpPanels are all tasks of Figure 1, by some architectures.
func warpPanels(of architectures) []experiment.Panel {
	return xslices.Map(families, func(f family) experiment.Panel {
		return sweptPanel(f.name+of.name, f.title+of.title, f, of.arms)
	})
}

// sweptPanel declares a panel of some arms, at a family's values of maximum_warping.
func sweptPanel(name, title string, f family, arms []variant) experiment.Panel {
	p := experiment.Panel{Name: name, Title: title, X: f.axis}
	return setupsPanel(p, arms, func(scale record.Scale, c setup, a variant, seeds []uint64) experiment.Run {
		return c.swept(a, f.values[scale], func(longest, _ int) symbolTask { return f.task(c.t, longest) }, seeds)
	})
}

// setupsPanel declares a panel that has a run of each arm at every scale.
func setupsPanel(p experiment.Panel, arms []variant,
	run func(scale record.Scale, c setup, a variant, seeds []uint64) experiment.Run) experiment.Panel {
	p.Y, p.Arms = "excess loss (%)", armsOf(arms)
	return atScales(p, setups, func(scale record.Scale, c setup) experiment.Size {
		return experiment.Size{Trials: c.trials, Runs: func(seeds []uint64) []experiment.Run {
			return xslices.Map(arms, func(a variant) experiment.Run { return run(scale, c, a, seeds) })
		}}
	})
}

// swept is the run of an arm in one graph, at every x and with every seed: trial k on its task there.
func (c setup) swept(a variant, xs []int, each func(x, k int) symbolTask, seeds []uint64) experiment.Run {
	var trials []record.Trial
	var tasks []task.Symbols
	for _, x := range xs {
		for k, seed := range seeds {
			trial := experiment.On(each(x, k), a.Name, experiment.Number(float64(x)))
			trial.Number, trial.Seed = k, seed
			trials, tasks = append(trials, trial), append(tasks, each(x, k))
		}
	}
	e := c.experiment(models{a, trials, []chrono.GateInit{a.init(0)}}, tasks) // they depend on no Tmax
	e.Tests = append(e.Tests, testOf(tasks, "test", testBatch, c.tests, append([]experiment.Measure{
		{Name: experiment.TestLoss, Of: entropy}, {Name: testAccuracy, Of: right},
	}, a.gateMeasures()...)...))
	return experiment.Run{Part: a.Name, Experiment: e}
}

// ratesTried are the rates, in thousandths, of which each architecture takes its own, with input weights from N(0, 1).
var ratesTried = []int{1, 2, 4, 8, 16}

// ratesPanel trains each architecture at each of ratesTried, on all tasks of Figure 1: trial k is on task k mod 4, with
// a maximum_warping from the middle of the figure's.
func ratesPanel() experiment.Panel {
	middle := scaled(5, 25, 50)
	p := setupsPanel(experiment.Panel{
		Name: "normal-rates", Title: "all tasks, inputs N(0, 1)", X: ratesAxis,
	}, normalArchitectures.arms, func(scale record.Scale, c setup, a variant, seeds []uint64) experiment.Run {
		c.tests = 1
		return c.atRates(a, ratesTried, func(_, k int) symbolTask {
			return families[k%len(families)].task(c.t, middle[scale])
		}, seeds)
	})
	p.Sizes = changed(p.Sizes, scaled(4, 4, 8), func(size *experiment.Size, trials int) { size.Trials = trials })
	return p
}

// The panels of leaky networks whose leaks begin as chrono draws gates.
const (
	padLeaks    = "pad-leaks"
	warpLeaks   = "warp-leaks"
	chronoLeaks = "chrono-leaks" // their arm
)

// leaksPanel trains them on a uniform task. Tmax is the steps from one character to the next in its longest.
func leaksPanel(name string, f family, tmax int) experiment.Panel {
	a := normalLeaky.as(chronoLeaks, "leaky RNN, leaks by chrono")
	a.init = always(chrono.Chrono{Tmax: float64(tmax)})
	return sweptPanel(name, f.title+", leaks by chrono", f, []variant{a})
}

// atRates is swept over learning rates, in thousandths.
func (c setup) atRates(a variant, rates []int, each func(x, k int) symbolTask, seeds []uint64) experiment.Run {
	run := c.swept(a, rates, each, seeds)
	run.Optimizer.Rates = xslices.Map(run.Trials, func(t record.Trial) float64 { return *t.X / 1000 })
	return run
}

// morePaddings is the panel whose first rates are those of Figure 1, with the numbers of zeros where it begins to fail.
const morePaddings = "pad-rates"

var whereItFails = uniformPad.over(nil, nil, []int{10, 12, 16, 20, 25})

// starts are the panels that train the networks of a task from several initial weights, by architecture.
var starts = map[string]map[string]string{
	"uniform-pad":   {"rnn": "pad-starts", "leaky": "leaky-pad-starts"},
	"variable-warp": {"rnn": "warp-starts", "leaky": "leaky-warp-starts"},
}

var rateVariations = []variant{
	rnn.as("rate-quarter", "rate 2.5e-4").at(1./4, nil), rnn.as("rate-1", "rate 1e-3").at(1, nil),
	rnn.as("rate-4", "rate 4e-3").at(4, nil), rnn.as("rate-16", "rate 1.6e-2").at(16, nil),
}

// leakyRates is the panel of leaky networks at rates above that of ratesTried which is theirs.
const leakyRates = "leaky-rates"

var leakyVariations = []variant{
	leaky.as("rate-8", "rate 8e-3").at(8, fig1Normal),
	leaky.as("rate-16", "rate 1.6e-2").at(16, fig1Normal),
}

// The arms that begin with other weights than those of Figure 1.
const (
	orthogonalStart = "orthogonal"
	identityStart   = "identity"
)

// startsOf is an architecture at one rate with several initial weights, first those of Figure 1.
func startsOf(a variant, times float64) []variant {
	return []variant{
		a.as("uniform", "initial weights U(-1/√H, 1/√H)").at(times, nil),
		a.as(orthogonalStart, "orthogonal initial weights").at(times, cell.Orthogonal{}),
		a.as(identityStart, "the identity as initial weights").at(times, cell.ScaledIdentity{Scale: 1}),
	}
}

var leakyStarts = startsOf(leaky, leaky.times)[1:]

// variedPanel declares a panel that varies one thing of Figure 1.
func variedPanel(name, of string, f family, how string, arms []variant) experiment.Panel {
	f = f.over([]int{2, 5, 10, 20}, []int{10, 25, 50}, f.values[record.Paper])
	panel := sweptPanel(name, of+f.title+how, f, arms)
	panel.Of = "beyond-plain"
	return panel
}

// fig1Conditions are those of Figure 1. The main one has the panels whose names end in normal.
var fig1Conditions = []claim.Condition{
	{
		Name: "inputs N(0, 1)",
		Why:  "as in Figure 3; rates by validation, of five for each; leaks and gates begin at 1/2",
	},
	{Name: "U(±1/√H)", Swaps: ending(normal, tunedRates, fig1Tasks...)},
	{Name: "leaks by chrono", Swaps: []claim.Swap{
		{From: fig1Arm(uniformPad.name, leaky), To: claim.Arm{Panel: padLeaks, Name: chronoLeaks}},
		{From: fig1Arm(uniformWarp.name, leaky), To: claim.Arm{Panel: warpLeaks, Name: chronoLeaks}},
	}},
	{Name: "leaky, uniform warping: rate 8e-3", Swaps: []claim.Swap{
		fromPlain(uniformWarp.name, leaky, leakyRates, leakyVariations[0].Name),
	}},
	{Name: "the same: rate 1.6e-2", Swaps: []claim.Swap{
		fromPlain(uniformWarp.name, leaky, leakyRates, leakyVariations[1].Name),
	}},
	{Name: "U(±1/√H), rate 1e-3", Swaps: ending(normal, "", fig1Tasks...)},
	{Name: "plain (rate 1e-3), leaky: orthogonal weights", Swaps: startingFrom(orthogonalStart)},
	{Name: "plain (rate 1e-3), leaky: the identity", Swaps: startingFrom(identityStart)},
	{Name: "up to 50 zeros are a small number", Swaps: []claim.Swap{{From: claim.X(10), To: claim.X(50)}}},
	{Name: "10 to 25 zeros, rate 4e-3", Swaps: morePaddingsAt(rateVariations[2])},
	{Name: "10 to 25 zeros, rate 1e-3", Swaps: morePaddingsAt(rateVariations[1])},
	{Name: "warping is moderate also where RNNs solve it", Swaps: xslices.Map(families, alsoWhereSolved)},
	{Name: "slowest unit", Swaps: []claim.Swap{{From: medianUnit, To: slowestUnit}}},
}

// fromPlain puts an arm of a panel of beyond-plain in place of one of Figure 1.
func fromPlain(task string, of variant, panel, arm string) claim.Swap {
	return claim.Swap{From: fig1Arm(task, of), To: claim.Arm{Figure: "warp/beyond-plain", Panel: panel, Name: arm}}
}

var fig1Tasks = []string{uniformWarp.name, uniformPad.name, variableWarp.name, variablePad.name}

// startingFrom puts networks from other initial weights in place of those of Figure 1.
func startingFrom(start string) (swaps []claim.Swap) {
	for task, panels := range starts {
		for _, of := range []variant{rnn, leaky} {
			swaps = append(swaps, fromPlain(task, of, panels[of.Name], start))
		}
		swaps = append(swaps, ending(normal, tunedRates, task)...)
	}
	return swaps
}

// morePaddingsAt puts plain RNNs at numbers of zeros between those of Figure 1 in their place.
func morePaddingsAt(v variant) []claim.Swap {
	return append([]claim.Swap{
		fromPlain("uniform-pad", rnn, morePaddings, v.Name), {From: claim.X(10), To: claim.X(50)},
	}, ending(normal, tunedRates, "uniform-pad")...)
}

// Our choices: the paper says "moderate", "small" and "regulate", without numbers.
var (
	moderate  = claim.Threshold{Value: 0.2}          // of the longest warping: warping is moderate from there on
	aPoint    = claim.Threshold{Value: 0.01}         // of excess loss or accuracy
	gateRatio = claim.Threshold{Value: 3, From: 1}   // between gates where the input changes and elsewhere
	longer    = claim.Threshold{Value: 0.05}         // by which one time scale is longer than another
	mostPairs = claim.Threshold{Value: 0.9, From: 1} // of the pairs of trials
)

var fig1Claims = append([]claim.Claim{{
	Name: "unwarped.all-succeed", Where: section3,
	Says:  "Without warping, the task is easy for all three architectures.",
	Quote: "an extremely easy task",
	Rule: claim.AtX{X: 1, Rule: claim.All{
		solves("uniform-warp", rnn), solves("uniform-warp", leaky), solves("uniform-warp", gated),
	}},
}}, slices.Concat(
	fig1PanelClaims(uniformWarp, true, false), fig1PanelClaims(uniformPad, true, true),
	fig1PanelClaims(variableWarp, false, false), fig1PanelClaims(variablePad, false, true),
	[]claim.Claim{
		{
			Name: "uniform-pad.rnn-fails", Where: "Section 1",
			Says:  "Up to 10 zeros between the elements make this task impossible to learn for RNNs.",
			Quote: "inserting a fixed, small number of zeros or whitespaces",
			Rule: claim.AtEveryX{
				Of: excess("uniform-pad", rnn), UpTo: 10, Some: true, Rule: claim.Not{Rule: solves("uniform-pad", rnn)},
			},
		}, {
			Name: "uniform-warp.leaky-learns-the-time-scale", Where: "Section 1",
			Says: "Learning α amounts to learning the time scale of the problem: the longer the time scale, the " +
				"longer " +
				"1/α.",
			Quote: "the global characteristic timescale of the problem at hand",
			Rule: Rising{
				Q:  TimeScale{Of: fig1Arm("uniform-warp", leaky), Which: medianUnit, Solved: visible},
				By: longer, Share: mostPairs,
			},
			Needs: "which unit's 1/α the paper means",
		}, {
			Name: "variable-pad.gates-follow-the-clock", Where: "Conclusion",
			Says:  "In variable padding, gates appear to regulate the local time constants.",
			Quote: "regulate the local time constants in recurrent models",
			Rule: claim.AtEveryX{
				Of: excess("variable-pad", gated), From: moderate, Rule: claim.AtLeast{
					Q:     FollowingUnits{Of: fig1Arm("variable-pad", gated), Ratio: gateRatio},
					Limit: claim.Threshold{Value: 1, From: 1},
				},
			},
		},
	},
)...)

// fig1PanelClaims are what W says of each panel. Of paddings only the caption speaks, and only of uniform ones: that
// what the text says of warpings holds there, too, is our reading of the figure.
func fig1PanelClaims(f family, uniform, padded bool) []claim.Claim {
	type words struct{ where, quote string }
	panel, kind, where := f.name, f.title, section3
	overlap := words{"Caption of Figure 1", "the leaky RNN and gated RNN curves overlap, with loss 0"}
	if padded {
		where += ", of warpings"
	}
	ofGated := words{where, "achieve perfect performance in both setups for all values"}
	ofLeaky := words{where, "leaky RNNs perfectly solve uniform time warpings"}
	if uniform && padded {
		ofGated, ofLeaky = overlap, overlap
	}
	claims := []claim.Claim{{
		Name: panel + ".gated-perfect", Where: ofGated.where,
		Says:  "Gated RNNs solve " + kind + " perfectly at every maximum_warping.",
		Quote: ofGated.quote,
		Rule:  claim.AtEveryX{Of: excess(panel, gated), Rule: solves(panel, gated)},
		Ours:  padded && !uniform,
	}}
	if uniform {
		claims = append(claims, claim.Claim{
			Name: panel + ".leaky-perfect", Where: ofLeaky.where,
			Says:  "Leaky RNNs solve " + kind + " perfectly.",
			Quote: ofLeaky.quote,
			Rule:  claim.AtEveryX{Of: excess(panel, leaky), Rule: solves(panel, leaky)},
		})
	} else {
		claims = append(claims, claim.Claim{
			Name: panel + ".leaky-suboptimal", Where: where,
			Says:  "Leaky RNNs fail to be optimal in " + kind + ".",
			Quote: "but fail to achieve optimal behavior with variable warpings",
			Rule: claim.AtEveryX{Of: excess(panel, leaky), Over: 1, Some: true, Rule: claim.Any{
				claim.Not{Rule: solves(panel, leaky)},
				claim.Below{A: excess(panel, gated), B: excess(panel, leaky), By: aPoint, Factor: far},
			}},
			Ours: padded,
		})
	}
	return append(claims, claim.Claim{
		Name: panel + ".gated-beats-rnn", Where: where,
		Says:  "In " + kind + ", gated RNNs significantly outperform RNNs from moderate values on where these fail.",
		Quote: "as soon as moderate warping coefficients are involved",
		Rule:  gatedBeatsRNN(panel, claim.Not{Rule: solves(panel, rnn)}),
		Ours:  padded,
	})
}

// gatedBeatsRNN is the rule that gated RNNs are ahead from moderate values on, or at those of them where a rule holds.
func gatedBeatsRNN(panel string, where claim.Rule) claim.AtEveryX {
	return claim.AtEveryX{Of: excess(panel, gated), From: moderate, Where: where, Rule: claim.Below{
		A: excess(panel, gated), B: excess(panel, rnn), By: visible, Factor: far,
	}}
}

// alsoWhereSolved wants gated RNNs ahead at every moderate value.
func alsoWhereSolved(f family) claim.Swap {
	where := claim.Not{Rule: solves(f.name, rnn)}
	return claim.Swap{From: gatedBeatsRNN(f.name, where), To: gatedBeatsRNN(f.name, nil)}
}

func fig1Arm(panel string, of variant) claim.Arm {
	return claim.Arm{Figure: "warp/fig1", Panel: panel + normal, Name: of.Name}
}

// excess is the test loss that Figure 1 shows.
func excess(panel string, of variant) claim.Result { return testExcess(fig1Arm(panel, of)) }

// solves is the rule that an architecture solves a task.
func solves(panel string, of variant) claim.Rule {
	return claim.AtMost{Q: excess(panel, of), Limit: visible}
}

// A UnitOf a leaky network is the one whose 1/α is taken for that of the network. W(4) has one α; our networks have
// one for each unit.
type UnitOf string

const (
	medianUnit  UnitOf = "median"
	slowestUnit UnitOf = "slowest"
)

// TimeScale is 1/α, in steps, of one unit of each leaky network that solves its task.
type TimeScale struct {
	Of     claim.Arm
	Which  UnitOf
	Solved claim.Threshold // the excess loss up to which it does
}

func (q TimeScale) Read(s claim.Source) (solvers claim.Sample) {
	all := s.Trials(q.Of).Each(func(t claim.Trial) float64 {
		scales := xslices.Map(t.Vector(leaky.ofGate(gateBias)), func(b float64) float64 {
			return chrono.TimeScale(-b) // an input bias
		})
		if q.Which == slowestUnit {
			return slices.Max(scales)
		}
		return claim.Median(scales)
	})
	for i, v := range testExcess(q.Of).Read(s) {
		if v.V <= q.Solved.Value {
			solvers = append(solvers, all[i])
		}
	}
	return solvers
}

func (q TimeScale) Named(claim.Words) claim.Named {
	return claim.Named{Name: "1/α of the " + string(q.Which) + " unit, where solved,", Unit: claim.Steps}
}

// Rising holds if, of two trials with different x, the one with the larger x has the larger value, by a share By, in a
// Share of all pairs; its opposite if that is so in half of the pairs or fewer.
type Rising struct {
	Q         claim.Quantity
	By, Share claim.Threshold
}

func (r Rising) Judge(e *claim.Evidence) claim.Finding {
	s := e.Of(r.Q)
	larger, pairs := 0, 0
	for _, a := range s {
		for _, b := range s {
			if a.X < b.X {
				pairs++
				if b.V > (1+r.By.Value)*a.V {
					larger++
				}
			}
		}
	}
	n := claim.Number{Kind: claim.Counted, Of: r.Q, Met: larger, Trials: pairs, X: claim.NoX}
	const enough = 9 // pairs: those of three trials at two x
	if pairs < enough {
		return claim.Decide(false, false, "too few networks solve the task", n)
	}
	share := float64(larger) / float64(pairs)
	return claim.Decide(share >= r.Share.Value, share <= 0.5, "only some pairs have it so", n)
}

func (r Rising) Text(w claim.Words) string {
	return fmt.Sprintf("of two networks, the one with the larger value has the larger %s, by %s, in %s of the pairs",
		claim.Text(r.Q, w), claim.Percent.Write(r.By.Value), claim.Percent.Write(r.Share.Value))
}

// FollowingUnits is how many units of a network have a mean gate that is Ratio times as large where the input changes
// as elsewhere.
type FollowingUnits struct {
	Of    claim.Arm
	Ratio claim.Threshold
}

func (q FollowingUnits) Read(s claim.Source) claim.Sample {
	return s.Trials(q.Of).Each(func(t claim.Trial) (n float64) {
		changes, elsewhere := t.Vector(gated.ofGate(gateAtChange)), t.Vector(gated.ofGate(gateElsewhere))
		for u := range elsewhere {
			if changes[u] >= q.Ratio.Value*elsewhere[u] {
				n++
			}
		}
		return n
	})
}

func (q FollowingUnits) Named(claim.Words) claim.Named {
	return claim.Named{
		Name: fmt.Sprintf("units whose gate is %g times as wide at input changes", q.Ratio.Value),
		Unit: claim.Unit{Times: 1, Name: "units"},
	}
}
