package contextual

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig5 is C Figure 5: LSTMs that begin in zeros, C(2a), and in a learned distribution, C(4), on linear cosine decay.
var Fig5 = figures.Figure{
	Paper: paper, Name: "fig5",
	Title: "Initial states of LSTMs on linear cosine decay",
	Panels: []experiment.Panel{{
		Name: "decay", Title: "linear cosine decay", X: "epochs", Y: "validation squared error (scaled)",
		Arms: []experiment.Arm{
			{Name: zeroArm, Label: "zero, reads T at every step"}, {Name: learnedArm, Label: "learned distribution"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: comparison{quickForecast}},
			record.Paper: {Trials: 10, Declaration: comparison{paperForecast}},
		},
	}},
	Views: []figures.View{crossing{}, trainedErrors{}},
	Caption: "Squared error of LSTMs on linear cosine decay: (a) on periods that they were not trained on, at the " +
		"mean of the initial state, as in the authors' code; (b) in training, where the learned " +
		"initial state is sampled. Zero reads T at every step, learned only through its initial state.",
	Layout: figures.Layout{Height: 2.5 * vg.Inch},
	Open:   decayChoices,
}

// crossing shows the validation errors, and where the curves of both arms cross for the last time.
type crossing struct{}

// Heading says which series they are of.
func (crossing) Heading() string { return ", new periods" }

// Curves are those of runs in progress, for figures.Papers.Growing.
func (crossing) Curves(title string, p figures.Panel) figures.CurveChart {
	return decayErrors.Curves(title, p)
}

// Chart implements figures.View.
func (v crossing) Chart(title string, p figures.Panel) figures.Chart {
	c := v.Curves(title, p)
	if len(c.Lines) != 2 {
		return c
	}
	at := 0.
	for i := 1; i < min(len(c.Lines[0].X), len(c.Lines[1].X)); i++ {
		above := func(i int) bool { return c.Lines[0].Middle(i) > c.Lines[1].Middle(i) }
		if above(i) != above(i-1) {
			at = c.Lines[0].X[i]
		}
	}
	if at > 0 {
		c.References = append(c.References, figures.Reference{
			Label: fmt.Sprintf("medians cross at epoch %g", at), X: []float64{at, at}, Y: []float64{c.Low, c.High},
		})
	}
	return c
}

// trainedErrors shows the training errors.
type trainedErrors struct{}

// Heading says which series they are of.
func (trainedErrors) Heading() string { return ", trained periods" }

// Chart implements figures.View.
func (trainedErrors) Chart(title string, p figures.Panel) figures.Chart {
	v := decayErrors
	v.Of, v.Y, v.Memoryless = record.Train, "training squared error (scaled)", ""
	return v.Curves(title, p)
}

// forgetBias is that of TensorFlow's LSTM, which C's authors used.
var forgetBias = []chrono.GateInit{chrono.Standard{Forget: 1}}

// comparison is Figure 5 at one scale.
type comparison struct{ forecast }

// atOnce is how many trials a graph of Figure 5 has at most.
const atOnce = 5

// Runs implements experiment.Declaration: a run for each arm and each five trials.
func (c comparison) Runs(seeds []uint64) []experiment.Run {
	var runs []experiment.Run
	for _, g := range experiment.Graphs(len(seeds), atOnce, atOnce) {
		runs = append(runs,
			c.zero(zeroArm+g.Suffix, c.trials(zeroArm, seeds)[g.From:g.To], forgetBias),
			c.contextual(learnedArm+g.Suffix, c.trials(learnedArm, seeds)[g.From:g.To], forgetBias))
	}
	return runs
}

const decayTask = "Section 2.2.2; Figure 5"

// lowerError is open because the paper compares the curves of Figure 5 with no word. A reading is the number that is
// taken of a curve.
var lowerError = figures.Choice{
	Open: "which error is compared (for claims)", Chosen: "the mean over all epochs, and the error at the end",
	Why: "the paper shows Figure 5 without a verdict; the first is the rule of Figure 2, the second is the median of " +
		"the last fifth of the epochs",
	Readings: []claim.Reading{
		{Name: "in the mean over all epochs", Is: overEpochs}, {Name: "at the end", Is: "end"},
	},
}

const overEpochs = "epochs"

// Our choices.
var (
	// Up to this, the trials of an arm agree.
	agreeingRange = claim.Threshold{Name: "a range of %s of the mean", Value: 0.5, Percent: true}
	movedSigma    = claim.Threshold{Name: "a change of softplus(σ) by %s", Value: 0.1, Percent: true}
	movedStates   = claim.Threshold{Name: "a change of the initial states by %s", Value: 0.01, Percent: true}
)

func fig5Claims() []claim.Claim {
	return []claim.Claim{
		{
			ID: "context/fig5.learned-below-zero", Where: decayTask + "; the verdict is that of Sections 1.2 and 3",
			Says: "On linear cosine decay, the learned initial state has a lower error than zeros.",
			Criterion: "learned's validation error is below zero's by a tenth of the lower on average; all of it in " +
				"the 95 % t-interval of the difference; and one arm's is at most a tenth of the best constant's at " +
				"the end",
			Open: []claim.Choice{lowerError, decaySetup}, DecidedBy: decayRuns,
			Judge: judging(decaySetup, learnedBelowZero),
		}, {
			ID: "context/fig5.learned-faster", Where: decayTask, Ours: true,
			Says: "On linear cosine decay, the learned initial state has a low error earlier than zeros.",
			Criterion: "every trial of learned is at a tenth of the best constant's error, and on average after " +
				"fewer epochs than zero: " + inItsInterval,
			Open: []claim.Choice{decaySetup}, DecidedBy: decayRuns,
			Judge: judging(decaySetup, learnedFaster),
		}, {
			ID: "context/fig5.seeds-agree", Where: "Caption of Figure 5 (3 seeds)", Ours: true,
			Says: "Models of the learned initial state agree with each other.",
			Criterion: "at the end, the range of their validation errors is at most half of the mean; contradicted " +
				"if it is more than twice as large",
			Open: []claim.Choice{decaySetup}, DecidedBy: decayRuns,
			Judge: judging(decaySetup, seedsAgreeing),
		}, {
			ID: "context/fig5.interpolates", Where: "Section 2.2.2, first sentence",
			Says: "The network interpolates and generalizes to missing regression quantities.",
			Criterion: "learned: at the end, the error on T = 1, 2, 3, 4, none of which is trained on, is at most a " +
				"tenth of the best constant's",
			Open: []claim.Choice{decaySetup}, DecidedBy: decayRuns,
			Judge: judging(decaySetup, interpolates),
		},
	}
}

func learnedBelowZero(r reader) claim.Finding {
	number := claim.Curve.Final
	if r.Read(lowerError) == overEpochs {
		number = claim.Curve.Mean
	}
	of := func(arm string) []float64 { return claim.ValuesOf(r.curves(arm, validError), math.Inf(1), number) }
	learned, zero := record.SpreadOf(of(learnedArm)), record.SpreadOf(of(zeroArm))
	found := fmt.Sprintf("validation error %s: learned %v, zero %v, best constant %s", r.ReadingName(lowerError),
		learned, zero, record.Number(r.constant(zeroArm)))
	ends := min(r.errors(learnedArm, claim.Curve.Final).Max, r.errors(zeroArm, claim.Curve.Final).Max)
	if !(ends <= r.Threshold(solved)*r.constant(zeroArm)) {
		return claim.Unlearned(found)
	}
	visible := r.Threshold(visibleError) * min(learned.Mean, zero.Mean)
	return claim.Found(claim.MeanBelow(of(learnedArm), of(zeroArm), visible),
		"the 95 % interval contains differences of less than a tenth", found).
		With("error: learned %s, zero %s", record.Number(learned.Mean), record.Number(zero.Mean))
}

// errors are a number of the validation errors of an arm.
func (r reader) errors(arm string, number func(claim.Curve) float64) record.Spread {
	return claim.SpreadOver(r.curves(arm, validError), math.Inf(1), number)
}

func learnedFaster(r reader) claim.Finding {
	until := func(arm string, share float64) epochs {
		return r.epochsUntil(arm, validError, 1, func(error float64) bool { return error <= share*r.constant(zeroArm) })
	}
	learned, zero := until(learnedArm, r.Threshold(solved)), until(zeroArm, r.Threshold(solved))
	why := uncertain
	if !learned.End() {
		why = "not every trial of learned is at a tenth of the best constant's error"
	}
	lower, below := until(learnedArm, solvedShare/2), until(zeroArm, solvedShare/2)
	return claim.Found(r.before(learned, zero), why,
		fmt.Sprintf("epochs to a tenth of the best constant's error: learned %v, zero %v%s", learned, zero,
			learned.ratio(zero)),
		fmt.Sprintf("epochs to a twentieth: learned %v, zero %v%s", lower, below, lower.ratio(below)),
	).With("epochs: learned %s, zero %s", record.Number(claim.Mean(learned.AtMost)),
		record.Number(claim.Mean(zero.AtMost)))
}

func seedsAgreeing(r reader) claim.Finding {
	learned := r.errors(learnedArm, claim.Curve.Final)
	spread := (learned.Max - learned.Min) / learned.Mean
	found := fmt.Sprintf("validation error: learned %v, range over mean %s", learned, record.Number(spread))
	if !(learned.Mean <= r.Threshold(solved)*r.constant(learnedArm)) {
		return claim.Unlearned(found)
	}
	answer := claim.Inconclusive
	switch agreeing := r.Threshold(agreeingRange); {
	case spread <= agreeing:
		answer = claim.Reproduced
	case spread > 2*agreeing:
		answer = claim.Contradicted
	}
	return claim.Found(answer, "the range is between half of the mean and the mean", found).
		With("range over mean %s", record.Number(spread))
}

func interpolates(r reader) claim.Finding {
	constant := r.constant(learnedArm)
	fresh := r.Values(r.arm(learnedArm).Losses(freshError))
	var ratios, ends []float64
	for k, curve := range r.Curves(r.arm(learnedArm).Curves(validError)) {
		end := curve.Losses().Final()
		ratio := end / fresh[k]
		if math.IsInf(end, 1) {
			ratio = math.Inf(1)
		}
		ratios, ends = append(ratios, ratio), append(ends, end)
	}
	end := record.SpreadOf(ends)
	return claim.Found(claim.AtMost(end, r.Threshold(solved)*constant), someTrials,
		fmt.Sprintf("validation error of learned: %v, %v times that on trained periods, best constant %s", end,
			record.SpreadOf(ratios), record.Number(constant)),
	).With("%s of the best constant's error", record.Number(end.Mean/constant))
}
