package contextual

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig6 is C Figure 6: continuations of one series of each validated period, sampled after every epoch from the learned
// distribution of Figure 5.
var Fig6 = figures.Figure{
	Paper: paper, Name: "fig6",
	Title: "Series generated from sampled initial states",
	Panels: []experiment.Panel{{
		Name: "samples", Title: "generated", X: "t", Y: "x",
		Arms: []experiment.Arm{{Name: learnedArm, Label: "learned distribution"}},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: generation{quickForecast}},
			record.Paper: {Trials: 3, Declaration: generation{paperForecast}},
		},
	}},
	Views: []figures.View{trajectories{2}, trajectories{3}, residuals{trajectories{2}}, residuals{trajectories{3}}},
	Caption: "Series generated after the last epoch from ten sampled initial states, by the model of the first " +
		"trial: (a, b) one series of each period that the paper shows; (c, d) their differences from the true " +
		"series, on a larger scale, where the samples are seen apart.",
	Layout: figures.Layout{Columns: 2, Height: 1.9 * vg.Inch, Alike: true},
	Open: append([]figures.Choice{{
		Open: "generation from classification labels", Chosen: "not tried",
		Why: "Section 2 announces it; the paper's only generated series are conditioned on x_0 and T",
	}}, decayChoices...),
}

// generation is Figure 6 at one scale.
type generation struct{ forecast }

// Runs implements experiment.Declaration: the learned arm of Figure 5, and its samples.
func (g generation) Runs(seeds []uint64) []experiment.Run {
	run := g.contextual("", g.trials(learnedArm, seeds), forgetBias)
	run.Tests = append(run.Tests, g.generating(g.updates)...)
	return []experiment.Run{run}
}

// generating are tests that continue the examples at equal distances during training.
func (f forecast) generating(every int) []experiment.Test {
	var after, once []experiment.Measure
	for i, periods := range validPeriods {
		after = append(after, experiment.Measure{
			Name: samples.At(periods),
			Of:   Trajectories{Task: validatedDecay, From: i * sampled, Series: sampled},
		})
		once = append(once, experiment.Measure{
			Name: truth.At(periods), Of: Truth{Task: validatedDecay, From: i * sampled},
		})
	}
	return []experiment.Test{f.samples(every, after...), f.samples(0, once...)}
}

// trajectories draws what the first trial generated of one period after the last epoch.
type trajectories struct{ period float64 }

// Chart implements figures.View.
func (k trajectories) Chart(title string, p figures.Panel) figures.Chart {
	r := p.Records[0]
	c := figures.TrajectoryChart{Title: title, X: p.X, Y: p.Y, Low: -0.5, High: 4.5}
	truth, ok := r.End.Vectors[string(truth.At(k.period))]
	if !ok {
		return c
	}
	start := startOf(k.period, truth[0])
	c.Truth = append([]float64{start}, unscaled(truth[0])...)
	points := r.Series(string(samples.At(k.period)))
	if len(points) == 0 {
		return c
	}
	for sample := range slices.Chunk(unscaled(points[len(points)-1].Vectors[0]), len(truth[0])) {
		c.Samples = append(c.Samples, append([]float64{start}, sample...))
	}
	return c
}

// Heading says which chart of a panel it is.
func (k trajectories) Heading() string { return fmt.Sprintf(", T = %g", k.period) }

// residuals draws the same, as differences from the truth.
type residuals struct{ trajectories }

// Heading says which chart of a panel it is.
func (k residuals) Heading() string { return k.trajectories.Heading() + ", errors" }

// Chart implements figures.View.
func (k residuals) Chart(title string, p figures.Panel) figures.Chart {
	c := k.trajectories.Chart(title, p).(figures.TrajectoryChart)
	c.Y, c.Low, c.High = "x − truth", -0.5, 0.5
	for _, sample := range c.Samples {
		floats.Sub(sample, c.Truth)
	}
	c.Truth = make([]float64, len(c.Truth))
	return c
}

// startOf is a series' value at t = 0, from those at t = 1 … t_f as Trajectories have them.
func startOf(periods float64, trajectory []float64) float64 {
	return unscaled(trajectory)[0] / validatedDecay.At(periods, 1) * validatedDecay.Height()
}

// unscaled are trajectories as they are, not in thousandths.
func unscaled(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v / thousandths
	}
	return out
}

const generating = "Section 2.2.2; Figure 6"

// shownPeriods are those of Figure 6.
var shownPeriods = []float64{2, 3}

// Our choices.
var (
	// Of the samples' mean, if they follow the truth.
	following = claim.Threshold{Name: "an error of %s of x(0)", Value: 0.15, Percent: true}
	varying   = claim.Threshold{Name: "a standard deviation of %s", Value: 1e-4}
)

// deviations is how many standard deviations are taken for a distribution.
const deviations = 2

// generationSetup is decaySetup for what is generated.
var generationSetup = figures.Choice{
	Open: decaySetup.Open, Chosen: decaySetup.Chosen, Why: decaySetup.Why,
	Readings: []claim.Reading{
		{Name: decaySetup.Readings[0].Name, Is: "context/fig6 samples"}, decaySetup.Readings[2],
	},
}

func fig6Claims() []claim.Claim {
	runs := []claim.Run{{Figure: "context/beyond-authors", Panel: "decay", Scale: record.Paper}}
	return []claim.Claim{
		{
			ID: "context/fig6.samples-follow", Where: generating,
			Says: "Series generated from sampled initial states are of the period that is asked for.",
			Criterion: "T = 2 and 3, after the last epoch: the root mean square error of the mean of ten generated " +
				"series is at most 0.15·x(0), and the mean is nearer to the series of this T than to those of the " +
				"other three",
			Open: []claim.Choice{generationSetup}, DecidedBy: runs,
			Judge: judging(generationSetup, samplesFollow),
		}, {
			ID: "context/fig6.samples-vary", Where: "Section 2.2.2, after equation 4; Figure 6",
			Says: "They are a distribution of possible trajectories.",
			Criterion: "T = 2 and 3, after the last epoch: at every step, ten generated series have a standard " +
				"deviation of 0.0001 or more",
			Open: []claim.Choice{generationSetup}, DecidedBy: runs,
			Judge: judging(generationSetup, samplesVary),
		},
	}
}

// A continuation is what is generated of one example.
type continuation struct {
	x0      float64
	truth   []float64   // at t = 1 … t_f
	samples [][]float64 // likewise
}

// continuations are those of a period, of each trial.
func (r reader) continuations(period float64) []continuation {
	trials := r.arm(learnedArm)
	truths := r.Vectors(trials.Vectors(truth.At(period)))
	generated := r.Vectors(trials.LastVectors(samples.At(period)))
	var all []continuation
	for k := range trials {
		c := continuation{truth: unscaled(truths[k])}
		c.x0 = c.truth[0] / validatedDecay.At(period, 1)
		c.samples = slices.Collect(slices.Chunk(unscaled(generated[k]), len(c.truth)))
		all = append(all, c)
	}
	return all
}

// at are the samples' values at a step.
func (c continuation) at(step int) []float64 {
	var values []float64
	for _, s := range c.samples {
		values = append(values, s[step])
	}
	return values
}

// error is how far the samples' mean is from the series of a period, as a root mean square and a share of x(0).
func (c continuation) error(period float64) float64 {
	squares := 0.
	for step := range c.truth {
		d := claim.Mean(c.at(step))/c.x0 - validatedDecay.At(period, float64(step+1))
		squares += d * d
	}
	return math.Sqrt(squares / float64(len(c.truth)))
}

func samplesFollow(r reader) claim.Finding {
	var answers []claim.Answer
	var found, numbers []string
	for _, period := range shownPeriods {
		var errors, nearest []float64 // 1 where the series of this T is
		for _, c := range r.continuations(period) {
			own, others := c.error(period), math.Inf(1)
			for _, p := range validPeriods {
				if p != period {
					others = min(others, c.error(p))
				}
			}
			nearest = append(nearest, 0)
			if own < others {
				nearest[len(nearest)-1] = 1
			}
			if math.IsNaN(own) {
				own = math.Inf(1)
			}
			errors = append(errors, own)
		}
		error := record.SpreadOf(errors)
		answers = append(answers, claim.AtMost(error, r.Threshold(following)),
			claim.AtLeast(record.SpreadOf(nearest), 1))
		found = append(found, fmt.Sprintf("T = %g: error of the mean in %% of x(0) %v, nearest to its own T in %g of "+
			"%d trials", period, claim.Percent(error), floats.Sum(nearest), len(nearest)))
		numbers = append(numbers, fmt.Sprintf("T = %g: %s %%", period, record.Number(100*error.Mean)))
	}
	return claim.Found(claim.Every(answers...), someTrials, found...).
		With("error of the mean, in %% of x(0): %s", strings.Join(numbers, ", "))
}

func samplesVary(r reader) claim.Finding {
	var answers []claim.Answer
	var found, numbers []string
	for _, period := range shownPeriods {
		var least, inside []float64
		for _, c := range r.continuations(period) {
			smallest, in := math.Inf(1), 0.
			for step, truth := range c.truth {
				values := c.at(step)
				centre, sd := claim.Mean(values), stat.StdDev(values, nil)
				smallest = min(smallest, sd)
				within := math.Abs(truth-centre) <= deviations*sd
				if within || truth >= slices.Min(values) && truth <= slices.Max(values) {
					in++
				}
			}
			least, inside = append(least, smallest), append(inside, in/float64(len(c.truth)))
		}
		spread, share := record.SpreadOf(least), record.SpreadOf(inside)
		answers = append(answers, claim.AtLeast(spread, r.Threshold(varying)))
		found = append(found, fmt.Sprintf("T = %g: least standard deviation at a step %v; the truth is within their "+
			"range, or two standard deviations of their mean, at %v %% of the steps, which the paper does not claim",
			period, spread, claim.Percent(share)))
		numbers = append(numbers, fmt.Sprintf("T = %g: %s", period, record.Number(spread.Mean)))
	}
	return claim.Found(claim.Every(answers...), someTrials, found...).
		With("least standard deviation: %s", strings.Join(numbers, ", "))
}
