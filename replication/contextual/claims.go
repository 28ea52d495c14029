package contextual

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/support/xslices"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// The claims of C stand here: they read few quantities, and several figures share them. A footnote of the paper names
// its authors' program, so that what the paper leaves open is as there in the main conditions.

// Thresholds are our choice: the paper gives none.
var (
	solvedLevel   = claim.Threshold{Value: solvedShare}   // of the best constant's error, or of the memoryless loss
	visibleError  = claim.Threshold{Value: 0.1}           // of the lower error
	visibleNats   = claim.Threshold{Value: 0.02}          // of log likelihood
	visiblePoints = claim.Threshold{Value: 0.005}         // of accuracy
	solvedAt      = claim.Threshold{Value: 0.9, From: 1}  // accuracy
	fullAt        = claim.Threshold{Value: 0.99, From: 1} // accuracy
	asSlow        = claim.Threshold{Value: 1.5, From: 1}  // times as long
	equal         = claim.Threshold{Value: 1, From: 1}    // times as long: no choice
	half          = claim.Threshold{Value: 0.5}           // of an effect
	movedStates   = claim.Threshold{Value: 0.01}          // of the initial states
	movedSigma    = claim.Threshold{Value: 0.1}           // of softplus(σ)
	following     = claim.Threshold{Value: 0.15}          // of x(0)
	varying       = claim.Threshold{Value: 1e-4}          // a standard deviation
	all           = claim.Threshold{Value: 1, From: 1}    // of the trials: no choice
)

const solvedShare = 0.1

var (
	retrievalConditions = []claim.Condition{
		{Name: "authors' initial weights", Why: "their program; 60 of the paper's 200 epochs"},
		{Name: "our initial weights", Swaps: instead("context/beyond-start", "context/fig2")},
	}
	decayConditions = []claim.Condition{
		{
			Name: "authors' batches and weights",
			Why:  "their program; five of ten networks added when five left claims open",
		},
		{Name: "their batches, our weights", Swaps: instead("context/beyond-authors", "context/beyond-order")},
		{Name: "our batches and weights", Swaps: instead("context/beyond-authors", "context/fig5")},
		{Name: "mean over all epochs", Swaps: []claim.Swap{overAll}},
		{Name: "mean over all epochs, our batches and weights",
			Swaps: append(instead("context/beyond-authors", "context/fig5"), overAll)},
	}
	samplesConditions = []claim.Condition{
		{Name: "authors' batches and weights", Why: "their program"},
		{Name: "our batches and weights", Swaps: []claim.Swap{{
			From: claim.Arm{Figure: "context/beyond-authors", Panel: "decay"},
			To:   claim.Arm{Figure: "context/fig6", Panel: "samples"},
		}}},
	}
)

var overAll = claim.Swap{From: claim.Final, To: claim.MeanOf}

// instead reads another figure's runs.
func instead(of, figure string) []claim.Swap {
	return []claim.Swap{{From: claim.Arm{Figure: of}, To: claim.Arm{Figure: figure}}}
}

var fig2Claims = []claim.Claim{
	faster(zero, "Section 1.2"), faster(free, "Sections 1.2 and 2.2.1"), better(zero), better(free),
}

// faster compares epochs to an accuracy of 90 %.
func faster(other experiment.Arm, where string) claim.Claim {
	epochs := func(arm experiment.Arm) claim.Reaching {
		return claim.Reaching{
			Of: retrievalArm(arm), Name: experiment.ValidAccuracy, Level: solvedAt, Higher: true,
			Epoch: paperRetrieval(1).checks,
		}
	}
	return claim.Claim{
		Name: "learned-faster-than-" + other.Name, Where: where,
		Says:  "In retrieval, the learned initial state converges faster than the " + other.Name + " one.",
		Quote: "improves convergence speed on an associative retrieval task",
		Rule:  claim.Ratio{Of: epochs(learned), To: epochs(other), AtMost: equal},
		Needs: "the paper's 200 epochs (8 core-hours)",
	}
}

func retrievalArm(arm experiment.Arm) claim.Arm {
	return claim.Arm{Figure: "context/beyond-start", Panel: "retrieval", Name: arm.Name}
}

// better compares both measures of Figure 2 until both arms have solved the task.
func better(other experiment.Arm) claim.Claim {
	until := func(arm experiment.Arm, name record.Result) UntilSolved {
		return UntilSolved{
			Of: retrievalArm(arm), A: retrievalArm(learned), B: retrievalArm(other), Name: name, Solved: fullAt,
		}
	}
	return claim.Claim{
		Name: "learned-outperforms-" + other.Name, Where: "Section 2.2.1; Figure 2",
		Says:  "In retrieval, the learned initial state significantly outperforms the " + other.Name + " one.",
		Quote: "significantly outperforms the vanilla FW",
		Rule: claim.All{
			claim.Below{A: until(other, validLikelihood), B: until(learned, validLikelihood), By: visibleNats},
			claim.Below{
				A: until(other, experiment.ValidAccuracy), B: until(learned, experiment.ValidAccuracy),
				By: visiblePoints,
			},
		},
	}
}

var fig5Claims = []claim.Claim{
	{
		Name: "learned-below-zero", Where: "Sections 1.2, 2.2.2 and 3; Figure 5",
		Says:  "On linear cosine decay, the learned initial state has a lower error than zeros.",
		Quote: "shown to improve performance on a range of tasks",
		Rule: claim.Below{
			A: decaySeries(learned, validError, claim.Final), B: decaySeries(zero, validError, claim.Final),
			Share: visibleError, Over: claim.OnAverage,
		},
		Needs: "more than our 10 trials",
	}, {
		Name: "interpolates", Where: "Section 2.2.2",
		Says:  "The network interpolates and generalizes to missing regression quantities.",
		Quote: "to interpolate and generalize to missing regression quantities",
		Rule: claim.AtMost{
			Q:     claim.Series{Of: decayArm(learned), Name: validError, Stat: claim.Final, As: claim.OfMemoryless},
			Limit: solvedLevel,
		},
	},
}

func decayArm(arm experiment.Arm) claim.Arm {
	return claim.Arm{Figure: "context/beyond-authors", Panel: "decay", Name: arm.Name}
}

func decaySeries(arm experiment.Arm, name record.Result, stat claim.Stat) claim.Series {
	return claim.Series{Of: decayArm(arm), Name: name, Stat: stat}
}

var fig6Claims = []claim.Claim{
	{
		Name: "samples-follow", Where: "Section 2.2.2; Figure 6",
		Says:  "Series generated from sampled initial states are of the period that is asked for.",
		Quote: "Generated samples of periods",
		Rule: eachPeriod(func(period float64) claim.Rule {
			return claim.All{
				claim.AtMost{Q: Generated{Of: decayArm(learned), Period: period, Number: meanError},
					Limit: following},
				claim.AtLeast{Q: Generated{Of: decayArm(learned), Period: period, Number: nearestIsOwn}, Limit: all},
			}
		}),
	}, {
		Name: "samples-vary", Where: "Section 2.2.2, after equation 4; Figure 6",
		Says:  "They are a distribution of possible trajectories.",
		Quote: "we can implicitly generate a distribution of possible trajectories",
		Rule: eachPeriod(func(period float64) claim.Rule {
			return claim.AtLeast{
				Q: Generated{Of: decayArm(learned), Period: period, Number: leastDeviation}, Limit: varying,
			}
		}),
		Ours: true, // any deviation of the initial state meets it
	},
}

func eachPeriod(rule func(float64) claim.Rule) claim.Rule {
	return claim.All(xslices.Map([]float64{2, 3}, rule)) // which Figure 6 shows
}

var batchClaims = []claim.Claim{{
	Name: "tiled-is-compatible", Where: "Section 2.1, after (2b)",
	Says:  "Tiled, a free initial state is compatible with batches of data.",
	Quote: "the variable can be tiled",
	Rule: claim.AtEveryX{Of: batchUpdates(free), Over: 1, Rule: claim.Ratio{
		Of: batchUpdates(free), To: batchUpdates(zero), AtMost: asSlow,
	}},
}}

func batchUpdates(arm experiment.Arm) claim.Reaching {
	return claim.Reaching{
		Of:   claim.Arm{Figure: "context/beyond-batch", Panel: "retrieval", Name: arm.Name},
		Name: record.Train, As: claim.OfMemoryless, Level: solvedLevel,
	}
}

// textClaims are those of C's text that no figure shows.
var textClaims = []claim.Claim{
	{
		Name: "constant-is-overcome", Where: "Sections 1.1.2 and 2.1",
		Says:  "A network learns to overcome the error of an arbitrary constant initial state, over time and training.",
		Quote: "forcing the error in the initialization to diminish over time and training",
		Rule: claim.All{
			claim.AtMost{Q: Kept{Series: decaySeries(zero, earlyError, claim.Last)}, Limit: solvedLevel},
			claim.AtMost{Q: EffectLeft{Of: decayArm(zero)}, Limit: half},
			claim.Below{A: EffectLeft{Of: decayArm(zero)}, B: EffectLeft{Of: decayArm(zero), First: true}},
		},
		Needs: "what the paper means by training: the effect is small after the first epoch",
	}, {
		Name: "corrected-faster", Where: "Section 1",
		Says:  "That correction is faster if the initial state is learned from context.",
		Quote: "the rate of the initial hidden state correction can be improved",
		Rule: claim.Below{
			A: decaySeries(learned, earlyError, claim.MeanOf), B: decaySeries(zero, earlyError, claim.MeanOf),
			Share: visibleError,
		},
	}, {
		Name: "end-to-end", Where: "Abstract",
		Says:  "The network that makes the initial state is trained end to end.",
		Quote: "can be trained end-to-end",
		Rule: claim.AtLeast{
			Q: Moved{Kept{Series: decaySeries(learned, firstSize, claim.Last)}}, Limit: movedStates,
		},
		Ours: true, // it holds as soon as any gradient arrives
	}, {
		Name: "uncertainty-learned", Where: "Section 2.2.2, after equation 4",
		Says:  "The uncertainty of the initial state is learned.",
		Quote: "given the learned uncertainty under the initial hidden state",
		Rule: claim.AtLeast{
			Q:     Moved{Kept{Series: decaySeries(learned, deviation, claim.Last), From: startSpread}},
			Limit: movedSigma,
		},
	},
}

// UntilSolved is the mean of a series until all trials of two arms have solved the task, or, if some never do, over all
// of the training.
type UntilSolved struct {
	Of, A, B claim.Arm
	Name     record.Result
	Solved   claim.Threshold // accuracy
}

func (q UntilSolved) Read(s claim.Source) claim.Sample {
	until := 0.
	for _, t := range slices.Concat(s.Trials(q.A), s.Trials(q.B)) {
		accuracy := t.Curve(experiment.ValidAccuracy, claim.Recorded, true)
		until = max(until, accuracy.When(func(v float64) bool { return v >= q.Solved.Value }).V)
	}
	return s.Trials(q.Of).Each(func(t claim.Trial) float64 {
		c := t.Curve(q.Name, claim.Recorded, true)
		points, _ := slices.BinarySearch(c.Updates, int(until)+1)
		return claim.Mean(c.Values[:points])
	})
}

func (q UntilSolved) Named(w claim.Words) claim.Named {
	named := w.Result(q.Name)
	named.Name = fmt.Sprintf("mean %s to %s or the end", named.Name, claim.Percent.Write(q.Solved.Value))
	if w.ByID {
		named.Name += fmt.Sprintf(" of %s and %s", q.A.Name, q.B.Name)
	}
	return named
}

// Kept is the last point of a series as a share of what it was at first, or of From.
type Kept struct {
	claim.Series
	From float64
}

func (q Kept) Read(s claim.Source) claim.Sample {
	last := q.Series.Read(s)
	q.Stat = claim.First
	return claim.Paired(last, q.Series.Read(s), func(last, first float64) float64 {
		if q.From != 0 {
			first = q.From
		}
		return claim.Worst(last/first, false)
	})
}

func (q Kept) Named(w claim.Words) claim.Named {
	return claim.Named{Name: w.Result(q.Name).Name + " left of that at first", Unit: claim.Percent}
}

// Moved is by how much, as a share, a series has changed from what it was at first. One that diverged has not: it is
// below any limit.
type Moved struct{ Kept }

func (q Moved) Read(s claim.Source) claim.Sample {
	kept := q.Kept.Read(s)
	for i := range kept {
		kept[i].V = math.Abs(kept[i].V - 1)
		if math.IsInf(kept[i].V, 1) {
			kept[i].V = math.Inf(-1)
		}
	}
	return kept
}

func (q Moved) Named(w claim.Words) claim.Named {
	return claim.Named{Name: "change of the " + w.Result(q.Name).Name, Unit: claim.Percent}
}

// EffectLeft is how much of the effect of another initial state on the first prediction is left in the last one, after
// training or after the first epoch.
type EffectLeft struct {
	Of    claim.Arm
	First bool
}

func (q EffectLeft) Read(s claim.Source) claim.Sample {
	return s.Trials(q.Of).Each(func(t claim.Trial) float64 {
		points := t.Vectors(apart)
		of := points[len(points)-1]
		if q.First {
			of = points[0]
		}
		return claim.Worst(of[len(of)-1]/of[0], false)
	})
}

func (q EffectLeft) Named(claim.Words) claim.Named {
	if q.First {
		return claim.Named{Name: "effect after 25 steps, first epoch", Unit: claim.Percent}
	}
	return claim.Named{Name: "effect after 25 steps, trained", Unit: claim.Percent}
}

// A SampleNumber is what is read of ten generated series.
type SampleNumber string

const (
	meanError      SampleNumber = "error of the mean"
	nearestIsOwn   SampleNumber = "share nearest to their own period"
	leastDeviation SampleNumber = "least standard deviation at a step"
)

// Generated is a number of the series that are generated of one example of a period.
type Generated struct {
	Of     claim.Arm
	Period float64
	Number SampleNumber
}

func (q Generated) Read(s claim.Source) claim.Sample {
	return s.Trials(q.Of).Each(func(t claim.Trial) float64 {
		c := continuationOf(t, q.Period)
		switch own := c.error(q.Period); q.Number {
		case leastDeviation:
			least := math.Inf(1)
			for step := range c.truth {
				least = min(least, stat.StdDev(c.at(step), nil))
			}
			return least
		case nearestIsOwn:
			for _, p := range validPeriods {
				if p != q.Period && !(own < c.error(p)) {
					return 0
				}
			}
			return 1
		default:
			return claim.Worst(own, false)
		}
	})
}

func (q Generated) Named(claim.Words) claim.Named {
	return claim.Named{Name: string(q.Number), Unit: map[SampleNumber]claim.Unit{
		meanError: {Times: 100, Name: "% of x(0)"}, nearestIsOwn: claim.Percent, leastDeviation: claim.Plain,
	}[q.Number]}
}

func (q Generated) Whose(claim.Words) string { return fmt.Sprintf("T = %g", q.Period) }

// A continuation is what is generated of one example.
type continuation struct {
	x0      float64
	truth   []float64   // at t = 1 … t_f
	samples [][]float64 // likewise
}

func continuationOf(t claim.Trial, period float64) continuation {
	unscaled := func(v float64) float64 { return v / thousandths }
	c := continuation{truth: xslices.Map(t.Vector(truth.At(period)), unscaled)}
	generated := xslices.Last(t.Vectors(samples.At(period)))
	c.x0 = c.truth[0] / validatedDecay.At(period, 1)
	c.samples = slices.Collect(slices.Chunk(xslices.Map(generated, unscaled), len(c.truth)))
	return c
}

func (c continuation) at(step int) []float64 {
	return xslices.Map(c.samples, func(s []float64) float64 { return s[step] })
}

// error is how far the samples' mean is from the series of a period, as a root mean square and a share of x(0).
func (c continuation) error(period float64) float64 {
	differences := make([]float64, len(c.truth))
	for step := range c.truth {
		differences[step] = claim.Mean(c.at(step))/c.x0 - validatedDecay.At(period, float64(step+1))
	}
	return floats.Norm(differences, 2) / math.Sqrt(float64(len(c.truth)))
}
