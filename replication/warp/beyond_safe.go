package warp

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// BeyondSafe asks when the chrono initialization is safe, of which W says much in words and shows nothing in a figure:
// beside constant forget biases over short and long tasks, with a wrong Tmax, with none at all, in GRUs, and in one of
// an LSTM's two gates only.
var BeyondSafe = figures.Figure{
	Paper: paper, Name: "beyond-safe",
	Title: "When is chrono initialization safe?",
	Panels: []experiment.Panel{
		lengthsPanel("lstm-adding", "LSTM, adding", lstmArms, onAdding,
			[]int{10, 25, 50}, []int{10, 25, 50, 100, 200}, []int{10, 25, 50, 100, 200, 400}),
		lengthsPanel("lstm-copy", "LSTM, copy", lstmArms, onCopy,
			[]int{10, 25}, []int{10, 50, 200}, []int{10, 25, 50, 100, 200, 400}),
		lengthsPanel("gru-adding", "GRU, adding", gruArms, onAdding, []int{10, 50}, []int{50, 200}, []int{50, 200}),
		lengthsPanel("gru-copy", "GRU, copy", gruArms, onCopy, []int{10, 25}, []int{25, 100}, []int{50, 200}),
		tmaxPanel("tmax-adding", onAdding, 50, 100, 200), tmaxPanel("tmax-copy", onCopy, 20, 50, 200),
		lengthsPanel("halves-adding", "LSTM, adding, one gate", halves, onAdding,
			[]int{25, 50}, []int{50, 100}, []int{50, 200, 400}),
		lengthsPanel("halves-copy", "LSTM, copy, one gate", halves, onCopy,
			[]int{10, 25}, []int{10, 50}, []int{50, 200}),
	},
	Views: []figures.View{figures.TimesToLearn{}},
	Found: "Chrono initialization is fastest where memory must last (a, b), helps GRUs on average in copy over 200 " +
		"steps, not in adding (c, d), loses little if Tmax is wrong by a factor of 3 (e, f), and does best with both " +
		"gates (g, h).",
	Caption: "Updates until a network has learned adding (its training error is a tenth of the memoryless error), or " +
		"begins to learn copy (its training loss is a tenth below the memoryless loss, which is when it begins to " +
		"remember). Fewer are better. Marks above the grey line: not every trial learned in its training (the " +
		"table gives the lengths; some runs end below the line); the bar ends at the fastest trial. In (e, f), " +
		"Tmax is wrong by the factor on the horizontal axis. A GRU has a bias of −b in its update gate where an LSTM " +
		"has a forget bias of b.",
	Layout: figures.Layout{Alike: true, Legends: true},
	Arms:   []string{bias1.Name, chronoArm, bias2.Name, bias0.Name, noTmax.Name}, // chrono is red here too
}

// A sweptTask is a task of BeyondSafe, over lengths of it or wrong values of Tmax.
type sweptTask struct {
	name      string
	of        func(training) comparison
	reached   claim.Threshold // at which it counts as learned: the Target of its panels
	axis      string
	trainings map[record.Scale]training // by scale
}

var (
	onAdding = sweptTask{
		"adding", adding, solved, "updates to learn", map[record.Scale]training{
			record.Quick:   {hidden: 32, updates: 800, rate: 8e-3},
			record.Reduced: {hidden: 64, updates: 3_000, rate: 4e-3},
			record.Paper:   {hidden: 128, updates: 20_000, rate: paperRate},
		},
	}
	onCopy = sweptTask{
		"copy", copying, something, "updates to begin to learn", map[record.Scale]training{
			record.Quick:   {hidden: 32, updates: 800, rate: 8e-3},
			record.Reduced: {hidden: 64, updates: 4_000, rate: 4e-3},
			record.Paper:   {hidden: 128, updates: 30_000, rate: paperRate},
		},
	}
)

// over is the task over some steps at each scale.
func (e sweptTask) over(quick, reduced, paper int) map[record.Scale]training {
	return changed(e.trainings, scaled(quick, reduced, paper), func(r *training, t int) { r.t = t })
}

var (
	bias0  = begin("bias0", "forget bias 0", forgetBias(0))
	bias1  = begin("bias1", "forget bias 1", forgetBias(1))
	bias2  = begin("bias2", "forget bias 2", forgetBias(2))
	known  = begin(chronoArm, "chrono", chronoOver(1))
	noTmax = begin("unknown", "Tmax unknown (footnote 7)", always(chrono.UnknownScale{}))

	lstmArms = []variant{bias0, bias1, bias2, known, noTmax}
	gruArms  = []variant{
		bias0.of(newGRU), begin(bias1.Name, bias1.Label, always(oneTimeScale)).of(newGRU), known.of(newGRU),
	}
	halves = []variant{bias1, known, forgetOnly, inputOnly}
)

func newGRU(hidden int) cell.Cell { return cell.GRU{Hidden: hidden} }

// oneTimeScale is a forget bias of 1 where one gate both forgets and lets in.
var oneTimeScale = func() chrono.GateInit {
	steps := *experiment.Number(chrono.TimeScale(1))
	return chrono.Range{Min: steps, Max: steps}
}()

// moreLengths are T at which a panel of scale reduced has moreTrials, since three leave a claim open; these train for
// moreUpdates.
var moreLengths = map[string][]int{"lstm-adding": {10, 200}, "lstm-copy": {10, 50, 200}}

const (
	moreTrials  = 8
	moreUpdates = 4_000
)

// lengthsPanel declares a panel over T, ascending at each scale.
func lengthsPanel(name, title string, arms []variant, e sweptTask, quick, reduced, paper []int) experiment.Panel {
	p := experiment.Panel{
		Name: name, Title: title, X: "T (steps)", Y: e.axis, Arms: armsOf(arms), Target: e.reached.Value,
	}
	return atScales(p, scaled(quick, reduced, paper), func(scale record.Scale, lengths []int) experiment.Size {
		trials, more := 3, []int(nil)
		if scale == record.Reduced && moreLengths[name] != nil {
			trials, more = moreTrials, moreLengths[name]
		}
		return experiment.Size{Trials: trials, Runs: func(seeds []uint64) (runs []experiment.Run) {
			for _, t := range slices.Backward(lengths) { // the longest first, since it takes longest
				r := e.trainings[scale]
				r.t = t
				runs = append(runs, e.of(r).atLength(arms, seeds, more)...)
			}
			return runs
		}}
	})
}

// atLength are the runs at one length of a task. Where there are more trials than three, those are runs of their own;
// as declared, at the lengths of more only, where they train for longer.
func (c comparison) atLength(arms []variant, seeds []uint64, more []int) (runs []experiment.Run) {
	all := c.begun(seeds, experiment.Number(float64(c.t)), arms...)
	for _, g := range experiment.Graphs(len(seeds), 3, 5) {
		if longer := slices.Contains(more, c.t); g.From > 0 && longer {
			c.updates = moreUpdates
		} else if g.From > 0 && more != nil && len(seeds) == moreTrials {
			break // as declared
		}
		runs = append(runs, c.timed(fmt.Sprintf("t%03d%s", c.t, g.Suffix), all.in(g)))
	}
	return runs
}

// tmaxPanel declares a panel over factors on the right Tmax, beside a forget bias of 1, whose trials have no factor.
func tmaxPanel(name string, e sweptTask, quick, reduced, paper int) experiment.Panel {
	return taskPanel(experiment.Panel{
		Name: name, Title: "LSTM, " + e.name + ", wrong Tmax", X: "times the right Tmax", Y: e.axis,
		Arms: armsOf([]variant{bias1, known}), Target: e.reached.Value,
	}, e.of, e.over(quick, reduced, paper), func(_ record.Scale, c comparison, seeds []uint64) []experiment.Run {
		all := c.begun(seeds, nil, bias1)
		for _, factor := range []float64{1. / 10, 1. / 3, 1, 3, 10} {
			all = all.and(c.atFactor(seeds, factor, known))
		}
		return []experiment.Run{c.timed("", all)}
	})
}

// atFactor are models whose Tmax is wrong by a factor.
func (c comparison) atFactor(seeds []uint64, factor float64, arms ...variant) models {
	c.tmax = *experiment.Number(factor * c.tmax)
	return c.begun(seeds, experiment.Number(factor), arms...)
}

// timed trains models with a curve of enough points to compare times on it.
func (c comparison) timed(part string, m models) experiment.Run {
	e := c.experiment(m)
	e.Window = max(10, c.updates/200)
	return experiment.Run{Part: part, Experiment: e}
}

var (
	lstmAdding = timedPanel{"warp/beyond-safe", "lstm-adding", solved}
	lstmCopy   = timedPanel{"warp/beyond-safe", "lstm-copy", something}
	gruAdding  = timedPanel{"warp/beyond-safe", "gru-adding", solved}
	gruCopy    = timedPanel{"warp/beyond-safe", "gru-copy", something}
	tmaxAdding = timedPanel{"warp/beyond-safe", "tmax-adding", solved}
	tmaxCopy   = timedPanel{"warp/beyond-safe", "tmax-copy", something}
)

// asFast is what we call reasonable: an arm takes less than twice as many updates as another.
func (p timedPanel) asFast(arm, as string) claim.Rule {
	return claim.Ratio{Of: p.toLearn(arm), To: p.toLearn(as), AtMost: twice}
}

// twiceAsLong is the rule that chrono takes half as many.
func (p timedPanel) twiceAsLong(arm string) claim.Rule {
	return claim.Ratio{Of: p.toLearn(arm), To: p.toLearn(chronoArm), AtLeast: twice}
}

func (p timedPanel) atLargest(rule claim.Rule) claim.Rule {
	return claim.AtEveryX{Of: p.toLearn(chronoArm), From: largest, Rule: rule}
}

// mediumRangeOnly is the rule that forget biases of 1 and 2 are as fast at T = 10, and take twice as long at the
// longest T, which is what we call to fail.
func (p timedPanel) mediumRangeOnly() claim.Rule {
	return claim.All{
		claim.AtX{X: 10, Rule: claim.All{p.asFast(bias1.Name, chronoArm), p.asFast(bias2.Name, chronoArm)}},
		p.atLargest(claim.All{p.twiceAsLong(bias1.Name), p.twiceAsLong(bias2.Name)}),
	}
}

// off is how long chrono takes with a Tmax that is wrong by a factor.
func (p timedPanel) off(factor float64) claim.At {
	return claim.At{Quantity: p.toLearn(chronoArm), X: claim.X(*experiment.Number(factor))}
}

// loose is the rule that Tmax may be wrong by a factor of 10, either way.
func (p timedPanel) loose() claim.Rule {
	return claim.All{
		claim.Ratio{Of: p.off(1. / 10), To: p.off(1), AtMost: twice},
		claim.Ratio{Of: p.off(10), To: p.off(1), AtMost: twice},
	}
}

// withoutTmax is the rule that little is lost without a Tmax wherever chrono with the right one learns.
func (p timedPanel) withoutTmax() claim.Rule {
	chrono := p.toLearn(chronoArm)
	return claim.AtEveryX{Of: chrono, Where: claim.Ends{Q: chrono}, Rule: p.asFast(noTmax.Name, chronoArm)}
}

// withinThree puts smaller errors of Tmax in place of those by a factor of 10.
func withinThree() (swaps []claim.Swap) {
	for _, p := range []timedPanel{tmaxAdding, tmaxCopy} {
		swaps = append(swaps, claim.Swap{From: p.off(1. / 10), To: p.off(1. / 3)},
			claim.Swap{From: p.off(10), To: p.off(3)})
	}
	return swaps
}

// safeClaims are sentences of W's text that no figure of its own shows. W trains nothing for most of them.
var safeClaims = []claim.Claim{
	{
		Name: "forget-bias-1-2", Where: "Introduction",
		Says:  "Forget biases of 1 or 2 are reasonable for medium-range dependencies, and fail for long-range ones.",
		Quote: "but fails when facing long to very long term dependencies",
		Rule:  claim.All{lstmAdding.mediumRangeOnly(), lstmCopy.mediumRangeOnly()},
	}, {
		Name: "forget-bias-0", Where: section3,
		Says:  "A forget bias of 1 is a reason why the standard LSTM learns to copy where an older one did not.",
		Quote: "our using the bias initialization from",
		Rule: claim.AtEveryX{
			Of: lstmCopy.toLearn(bias1.Name), Last: true,
			Where: claim.Any{claim.Ends{Q: lstmCopy.toLearn(bias0.Name)}, claim.Ends{Q: lstmCopy.toLearn(bias1.Name)}},
			Rule: claim.Ratio{
				Of: lstmCopy.toLearn(bias0.Name), To: lstmCopy.toLearn(bias1.Name),
				AtLeast: claim.Threshold{Value: 1, From: 1},
			},
		},
	}, {
		Name: "gru", Where: "Abstract", Untrained: true,
		Says:  "For GRUs, too, chrono initialization greatly improves the learning of long dependencies.",
		Quote: "a new way of initializing gate biases in LSTMs and GRUs",
		Rule: claim.All{
			gruAdding.atLargest(gruAdding.twiceAsLong(bias1.Name)), gruCopy.atLargest(gruCopy.twiceAsLong(bias1.Name)),
		},
		Show: []claim.Quantity{gruAdding.toLearn(bias0.Name), gruCopy.toLearn(bias0.Name)},
	}, {
		Name: "tmax-robust", Where: "Section 2", Untrained: true,
		Says:  "The prescription is loose: only the order of magnitude of the memory range is to be controlled.",
		Quote: "we only want to control the order of magnitude of the memory range",
		Rule:  claim.All{tmaxAdding.loose(), tmaxCopy.loose()},
	}, {
		Name: "unknown-time-scale", Where: "Footnote 7", Untrained: true,
		Says:  "If time scales are unknown, they can be drawn from a slowly decaying distribution.",
		Quote: "completely unknown",
		Rule:  claim.All{lstmAdding.withoutTmax(), lstmCopy.withoutTmax()},
	},
}

// ForgetOnly is half of the chrono initialization: its forget biases, and input biases of 0.
type ForgetOnly chrono.Chrono

func (f ForgetOnly) Draw(rng *rand.Rand, units int) chrono.Biases {
	biases := chrono.Chrono(f).Draw(rng, units)
	biases.Input = make([]float64, units)
	return biases
}

func (f ForgetOnly) Validate() error { return chrono.Chrono(f).Validate() }

// InputOnly is the other half: its input biases, and forget biases of 1 as in the baseline.
type InputOnly chrono.Chrono

func (i InputOnly) Draw(rng *rand.Rand, units int) chrono.Biases {
	biases := chrono.Chrono(i).Draw(rng, units)
	biases.Forget = chrono.Standard{Forget: 1}.Draw(rng, units).Forget
	return biases
}

func (i InputOnly) Validate() error { return chrono.Chrono(i).Validate() }

var (
	forgetOnly = begin("forget-only", "chrono's forget biases, input biases 0",
		func(tmax float64) chrono.GateInit { return ForgetOnly{tmax} })
	inputOnly = begin("input-only", "chrono's input biases, forget biases 1",
		func(tmax float64) chrono.GateInit { return InputOnly{tmax} })
)
