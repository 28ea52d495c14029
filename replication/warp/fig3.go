package warp

import (
	"slices"

	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig3 is W Figure 3: LSTMs with standard and with chrono initialization on the copy and variable copy tasks.
var Fig3 = figures.Figure{
	Paper: paper, Name: "fig3",
	Title:  "Standard and chrono initialization on the copy and variable copy tasks",
	Panels: append(fig3Panels(glorot, "", nil), fig3Panels(normal, ", inputs N(0, 1)", normalInputs(1))...),
	Others: longPanels(),
	Views:  []figures.View{figures.Curves{}},
	Found: "Chrono initialization learns to copy over 500 steps (a, e), and over 2,000 with larger input weights, " +
		"until spikes throw one network back and another diverges (f), but not with small ones (b). With larger " +
		"ones it leads variable copy, too (g, h).",
	Caption: "Training loss of LSTMs on the copy and variable copy tasks, on new sequences at every update. Values " +
		"above the axis are clipped. Memoryless: the loss of the best model without memory, 10 log 8 / (T + 20) in " +
		"copy. In the paper, chrono initialization heavily outperforms standard initialization in (a, e), (b, f) " +
		"and (d, h), and both perform well in (c, g). (e-h), input weights from N(0, 1), are the main condition; " +
		"(a-d) begin with Glorot's.",
	Conditions: fig3Conditions,
	Claims:     fig3Claims,
}

// copyPanels are the tasks of Figure 3, with T and updates at each scale.
var copyPanels = []struct {
	name, title string
	of          func(training) comparison
	sizes       map[record.Scale]training
}{
	{"copy500", "copy", copying, shortCopies},
	{"copy2000", "copy", copying, longCopies(2000)},
	{"varcopy500", "variable copy", variableCopying, shortCopies},
	{"varcopy1000", "variable copy", variableCopying, longCopies(1000)},
}

var shortCopies = map[record.Scale]training{
	record.Quick:   {t: 60, hidden: 64, updates: 800, rate: 4e-3},
	record.Reduced: {t: 200, hidden: 64, updates: 8_000, rate: 4e-3},
	record.Paper:   {t: 500, hidden: 128, updates: 30_000, rate: paperRate},
}

func longCopies(atPaper int) map[record.Scale]training {
	return map[record.Scale]training{
		record.Quick:   {t: 120, hidden: 64, updates: 300, rate: 4e-3},
		record.Reduced: {t: 400, hidden: 64, updates: 6_000, rate: 4e-3},
		record.Paper:   {t: atPaper, hidden: 128, updates: 30_000, rate: paperRate},
	}
}

const copyLoss = "loss (nats per step)"

// fig3Panels declares those tasks with input weights of one kind; nil: Glorot's.
func fig3Panels(inputs, title string, weights cell.WeightInit) (panels []experiment.Panel) {
	for _, p := range copyPanels {
		panels = append(panels, comparisonPanel(p.name+inputs, p.title+title, copyLoss, func(r training) comparison {
			c := p.of(r)
			c.weights = weights
			return c
		}, p.sizes))
	}
	return panels
}

// longPanels are variable copy with more updates: W gives no number, and in 30,000 (8,000 at scale reduced) the losses
// still fall.
func longPanels() (panels []experiment.Panel) {
	for _, p := range copyPanels[2:] {
		at := changed(p.sizes, scaled(1_600, 40_000, 100_000), func(r *training, updates int) { r.updates = updates })
		panel := comparisonPanel(p.name, p.title, copyLoss, func(r training) comparison {
			c := p.of(r)
			c.tests = nil // of the last model, at which there may be a spike
			return c
		}, at)
		panel.Of = "beyond-long"
		panels = append(panels, panel)
	}
	return panels
}

// lossBetween is the test loss at a number of characters between the text and the signal.
const lossBetween record.Result = record.Loss

// copying is the copy task; W Section 3: Tmax = 3T/2.
func copying(r training) comparison {
	return copyComparison(task.Copy{T: r.t}, 1.5*float64(r.t), nil, r)
}

// variableCopying is the variable copy task; W Section 3: Tmax = T. Trained models are tested at five numbers of
// characters between the text and the signal.
func variableCopying(r training) comparison {
	var tests []experiment.Test
	for part := 1; part <= 5; part++ {
		between := part * r.t / 5
		tests = append(tests, testOf([]task.Symbols{task.VariableCopy{T: r.t, Between: between}}, "test", validBatch, 1,
			experiment.Measure{Name: lossBetween.At(float64(between)), Of: entropy}))
	}
	return copyComparison(task.VariableCopy{T: r.t}, float64(r.t), tests, r)
}

// copyComparison is what the two copy tasks share.
func copyComparison(t symbolTask, tmax float64, tests []experiment.Test, r training) comparison {
	c := onSymbols([]task.Symbols{t}, paperBatch, 0, r)
	c.task, c.tmax, c.tests = t, tmax, tests
	return c
}

// Where an LSTM has learned something, and where it does well. The paper gives no numbers.
var (
	betterThanRandom = claim.Threshold{Value: 0.99, From: 1} // of the memoryless loss
	well             = claim.Threshold{Value: 0.5}           // of the memoryless loss
)

// baselines are that standard initialization does better than random prediction, on each task.
func baselines() (rules []claim.Rule) {
	for _, panel := range copyPanels {
		rules = append(rules, atMost(panel.name, standardArm, betterThanRandom))
	}
	return rules
}

// Input weights of the panels of Figure 3: what the panels' names end in.
const (
	normal = "-normal" // N(0, 1), by which the claims are judged
	glorot = ""
)

// ofCopy is an arm of Figure 3, in the main condition.
func ofCopy(panel, arm string) claim.Arm {
	return claim.Arm{Figure: "warp/fig3", Panel: panel + normal, Name: arm}
}

var fig3Conditions = []claim.Condition{
	{
		Name: "input weights N(0, 1)",
		Why: "the paper's words: RMSprop at 1e-3 with α = 0.9, no clipping, 128 units, its Tmax; as its first " +
			"author's nearest program; chosen once seen to learn",
	},
	{Name: "Glorot's weights", Swaps: fromGlorot},
	{Name: "better than random on each task", Swaps: []claim.Swap{
		{From: claim.Any(baselines()), To: claim.All(baselines())},
	}},
	{Name: "test loss of the last model", Swaps: xslices.Map(
		bothOf("warp/fig3", "varcopy500"+normal, "varcopy1000"+normal), atTests,
	)},
	{Name: "Glorot's weights, 100,000 updates of variable copy", Swaps: append(fromGlorot[:4:4],
		claim.Swap{From: claim.Arm{Panel: "varcopy500"}, To: claim.Arm{Figure: "warp/beyond-long"}},
		claim.Swap{From: claim.Arm{Panel: "varcopy1000"}, To: claim.Arm{Figure: "warp/beyond-long"}},
	)},
}

// fromGlorot puts Glorot's input weights in place of N(0, 1).
var fromGlorot = ending(normal, glorot, "copy500", "copy2000", "varcopy500", "varcopy1000")

// atTests puts test losses in place of final training losses.
func atTests(arm claim.Arm) claim.Swap {
	return claim.Swap{From: lossOf(arm, claim.Final), To: TestLoss{arm}}
}

var fig3Claims = []claim.Claim{
	beatsStandard("copy500", "On copy, T = 500, chrono largely outperforms standard.",
		"more networks, or longer training"),
	noPlateau("copy500", "On copy, T = 500, chrono does not plateau at the memoryless loss.", ""),
	beatsStandard("copy2000", "On copy, T = 2000, chrono largely outperforms standard.", shortSpikes),
	noPlateau("copy2000", "On copy, T = 2000, chrono does not plateau at the memoryless loss.", shortSpikes),
	{
		Name: "copy.standard-beats-memoryless", Where: section3,
		Says: "The baseline, standard initialization, already does better than random prediction on at least one of " +
			"these tasks.",
		Quote: "better than the LSTM baseline of (Arjovsky et al., 2016)",
		Rule:  claim.Any(baselines()),
	},
	{
		Name: "varcopy500.even", Where: section3, Says: "On variable copy, T = 500, chrono is even with standard.",
		Quote: "is even with standard initialization for T = 500",
		Rule: claim.Given{
			If: claim.Any{atMost("varcopy500", chronoArm, well), atMost("varcopy500", standardArm, well)},
			Then: claim.Settled{
				Of: []claim.Series{course("varcopy500", chronoArm), course("varcopy500", standardArm)}, By: visible,
				Rule: claim.Equivalent{
					A: final("varcopy500", chronoArm), B: final("varcopy500", standardArm), Within: visible,
				},
			},
		},
		Show: slices.Concat(worstLate("varcopy500"), ends("varcopy500"), ends("varcopy1000"),
			lossesOf("warp/beyond-long", "varcopy500", claim.Last)),
		Needs: longer500,
	},
	{
		Name: "varcopy500.both-well", Where: "Caption of Figure 3",
		Says:  "On variable copy, T = 500, both initializations perform well.",
		Quote: "variable length copy with the smaller T where both perform well",
		Rule:  claim.All{falls("varcopy500", chronoArm, well), falls("varcopy500", standardArm, well)},
		Needs: longer500,
	},
	beatsStandard("varcopy1000", "On variable copy, T = 1000, chrono largely outperforms standard.", longer1000),
	{
		Name: "varcopy.same-weights", Where: "Footnote 6",
		Says:  "One model serves all the warpings that it is trained on, as variable copy arguably illustrates.",
		Quote: "it is not necessary to re-train the model for the time-warped data",
		Rule: claim.All{
			claim.AtMost{Q: distanceSpread("varcopy500"), Limit: visible},
			claim.AtMost{Q: distanceSpread("varcopy1000"), Limit: visible},
		},
	},
}

// What would decide the claims on copy, T = 2000, and on variable copy.
const (
	shortSpikes = "what kept the authors' spikes short"
	longer500   = "90,000 updates (20 core-hours)"
	longer1000  = "90,000 updates (14 core-hours)"
)

// beatsStandard is the claim that chrono's final loss is far lower.
func beatsStandard(panel, says, needs string) claim.Claim {
	return claim.Claim{
		Name: panel + ".beats-standard", Where: section3 + "; Figure 3",
		Says: says, Quote: "largely outperforms",
		Rule: claim.Below{
			A: final(panel, chronoArm), B: final(panel, standardArm), By: visible, Factor: far, Settled: visible,
		},
		Show: worstLate(panel), Needs: needs,
	}
}

func noPlateau(panel, says, needs string) claim.Claim {
	return claim.Claim{
		Name: panel + ".no-plateau", Where: section3 + "; Figure 3", Says: says,
		Quote: "it does not plateau at the memoryless optimum",
		Rule:  falls(panel, chronoArm, something),
		Needs: needs,
	}
}

// worstLate are the worst points of the last fifth, which a final loss, a median, does not show.
func worstLate(panel string) []claim.Quantity {
	return lossesOf("warp/fig3", panel+normal, claim.WorstLate)
}

// ends are other ends than the final loss of variable copy, where they decide orders.
func ends(panel string) []claim.Quantity {
	return append(lossesOf("warp/fig3", panel+normal, claim.Last), TestLoss{ofCopy(panel, chronoArm)},
		TestLoss{ofCopy(panel, standardArm)})
}

// course is an arm's loss in the course of training; final is the number that it ends at.
func course(panel, arm string) claim.Series { return lossOf(ofCopy(panel, arm), "") }

func final(panel, arm string) claim.Series { return lossOf(ofCopy(panel, arm), claim.Final) }

// atMost is the rule that an arm's final loss is low.
func atMost(panel, arm string, limit claim.Threshold) claim.Rule {
	return claim.AtMost{Q: final(panel, arm), Limit: limit}
}

// falls is the same, and its opposite takes an arm that no longer improves.
func falls(panel, arm string, limit claim.Threshold) claim.Rule {
	return claim.Settled{
		Of: []claim.Series{course(panel, arm)}, By: visible, Opposite: true,
		Rule: atMost(panel, arm, limit),
	}
}

// atDistances are the test losses of an arm at each number of characters between text and signal.
func atDistances(of claim.Arm) claim.Result {
	return claim.Result{Of: of, Name: lossBetween, As: claim.OfMemoryless, Swept: true}
}

// TestLoss is the mean test loss of the last model over all numbers of characters between text and signal.
type TestLoss struct{ Of claim.Arm }

func (q TestLoss) Read(s claim.Source) claim.Sample {
	return eachOver(atDistances(q.Of).Read(s), claim.Sample.Mean)
}

// Curve is the training loss.
func (q TestLoss) Curve() claim.Series { return lossOf(q.Of, claim.Final) }

func (TestLoss) Named(claim.Words) claim.Named {
	return claim.Named{Name: "test loss of the last model", Unit: claim.Percent}
}

// DistanceSpread is by how much the test losses at all distances differ, in those networks of several arms that have
// learned something: whose mean test loss is low enough.
type DistanceSpread struct {
	Of      []claim.Arm
	Learned claim.Threshold
}

func distanceSpread(panel string) DistanceSpread {
	return DistanceSpread{bothOf("warp/fig3", panel+normal), something}
}

func (q DistanceSpread) Read(s claim.Source) (learned claim.Sample) {
	for _, arm := range q.Of {
		means := TestLoss{arm}.Read(s)
		apart := func(of claim.Sample) float64 { return of.Max() - of.Min() }
		for i, v := range eachOver(atDistances(arm).Read(s), apart) {
			if means[i].V <= q.Learned.Value {
				learned = append(learned, v)
			}
		}
	}
	return learned
}

func (DistanceSpread) Named(claim.Words) claim.Named {
	return claim.Named{Name: "test losses at five distances apart", Unit: claim.Percent}
}

func (q DistanceSpread) Whose(w claim.Words) string {
	whose := "networks that learned"
	if panel := w.Panels[q.Of[0].Panel]; panel != "" {
		whose += " (" + panel + ")"
	}
	return whose
}
