package contextual

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

const generating = "Section 2.2.2; Figure 6"

// shownPeriods are those of Figure 6.
var shownPeriods = []float64{2, 3}

// Our choices.
const (
	followingShare = 0.15 // samples follow the truth if the error of their mean is at most this share of x(0)
	deviations     = 2    // standard deviations within which the truth should be
	insideShare    = 0.8  // of the steps
)

func fig6Claims() []claim.Claim {
	return []claim.Claim{
		{
			ID: "context/fig6.samples-follow", Where: generating,
			Says: "Series generated from sampled first states are of the period that is asked for.",
			Criterion: "T = 2 and 3, after the last epoch: the root mean square error of the mean of ten generated " +
				"series is at most 0.15·x(0), and the mean is nearer to the series of this T than to those of the " +
				"other three",
			Judge: judging(samplesFollow),
		}, {
			ID: "context/fig6.samples-vary", Where: "Section 2.2.2, after equation 4; Figure 6",
			Says: "They are a distribution of possible trajectories.",
			Criterion: "T = 2 and 3, after the last epoch: ten generated series differ at every step, and at 80 % of " +
				"the steps or more the truth is within their range or two standard deviations of their mean",
			Judge: judging(samplesVary),
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
	trials := r.arm(Fig6, learnedArm)
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
	var found []string
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
		answers = append(answers, claim.AtMost(error, followingShare), claim.AtLeast(record.SpreadOf(nearest), 1))
		found = append(found, fmt.Sprintf("T = %g: error of the mean in %% of x(0) %v, nearest to its own T in %g of "+
			"%d trials", period, claim.Percent(error), floats.Sum(nearest), len(nearest)))
	}
	return claim.Found(claim.Every(answers...), someTrials, found...)
}

func samplesVary(r reader) claim.Finding {
	var answers []claim.Answer
	var found []string
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
		answers = append(answers, claim.AtLeast(spread, 1./thousandths/10), claim.AtLeast(share, insideShare))
		found = append(found, fmt.Sprintf("T = %g: least standard deviation at a step %v, truth inside at %v %% of "+
			"the steps", period, spread, claim.Percent(share)))
	}
	return claim.Found(claim.Every(answers...), someTrials, found...)
}
