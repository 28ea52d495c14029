package contextual

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

const generating = "Section 2.2.2; Figure 6"

// shownPeriods are those of Figure 6.
var shownPeriods = []float64{2, 3}

// Our choices.
const (
	follows  = 0.15 // samples follow the truth if the error of their mean is at most this part of x(0)
	deviates = 2    // standard deviations within which the truth should be
	mostOf   = 0.8  // of the steps
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

// A fan is what is generated of one example.
type fan struct {
	period  float64
	x0      float64
	truth   []float64   // at t = 1 … t_f
	samples [][]float64 // likewise
}

// fans are those of the shown periods: for each period, of each trial.
func (r *reader) fans() map[float64][]fan {
	trials := r.arm(Fig6, learnedArm)
	all := map[float64][]fan{}
	for _, period := range shownPeriods {
		truths, err := trials.Vectors(string(truth.At(period)))
		r.Miss(err)
		if r.Missed() {
			return nil
		}
		for k, t := range trials {
			points := t.Record.Series(string(samples.At(period)))
			if len(points) == 0 || len(points[len(points)-1].Vectors) == 0 {
				r.Miss(fmt.Errorf("no samples of T = %g in %s", period, t.Record.Name()))
				return nil
			}
			f := fan{period: period, truth: unscaled(truths[k])}
			values := unscaled(points[len(points)-1].Vectors[t.Place])
			f.x0 = f.truth[0] / validatedDecay.At(period, 1)
			f.samples = slices.Collect(slices.Chunk(values, len(f.truth)))
			all[period] = append(all[period], f)
		}
	}
	return all
}

// at are the samples' values at a step.
func (f fan) at(step int) []float64 {
	var values []float64
	for _, s := range f.samples {
		values = append(values, s[step])
	}
	return values
}

// away is how far the samples' mean is from the series of a period, as a root mean square and a part of x(0).
func (f fan) away(period float64) float64 {
	squares := 0.
	for step := range f.truth {
		d := mean(f.at(step))/f.x0 - validatedDecay.At(period, float64(step+1))
		squares += d * d
	}
	return math.Sqrt(squares / float64(len(f.truth)))
}

func samplesFollow(r *reader) claim.Finding {
	var answers []claim.Answer
	var found []string
	fans := r.fans()
	for _, period := range shownPeriods {
		var errors, nearer []float64
		for _, f := range fans[period] {
			own, other := f.away(period), math.Inf(1)
			for _, p := range validPeriods {
				if p != period {
					other = min(other, f.away(p))
				}
			}
			if math.IsNaN(own) {
				own = math.Inf(1)
			}
			errors = append(errors, own)
			if own < other {
				nearer = append(nearer, 1)
			} else {
				nearer = append(nearer, 0)
			}
		}
		error := record.SpreadOf(errors)
		answers = append(answers, claim.AtMost(error, follows), claim.AtLeast(record.SpreadOf(nearer), 1))
		found = append(found, fmt.Sprintf("T = %g: error of the mean in %% of x(0) %v, nearest to its own T in %g of "+
			"%d trials", period, claim.Percent(error), sum(nearer), len(nearer)))
	}
	return claim.Found(claim.Every(answers...), strings.Join(found, "; "), someTrial)
}

func samplesVary(r *reader) claim.Finding {
	var answers []claim.Answer
	var found []string
	fans := r.fans()
	for _, period := range shownPeriods {
		var least, inside []float64
		for _, f := range fans[period] {
			smallest, in := math.Inf(1), 0.
			for step, truth := range f.truth {
				values := f.at(step)
				centre, sd := mean(values), standardDeviation(values)
				smallest = min(smallest, sd)
				within := math.Abs(truth-centre) <= deviates*sd
				if within || truth >= slices.Min(values) && truth <= slices.Max(values) {
					in++
				}
			}
			least, inside = append(least, smallest), append(inside, in/float64(len(f.truth)))
		}
		spread, share := record.SpreadOf(least), record.SpreadOf(inside)
		answers = append(answers, claim.AtLeast(spread, 1./thousandths/10), claim.AtLeast(share, mostOf))
		found = append(found, fmt.Sprintf("T = %g: least standard deviation at a step %v, truth inside at %v %% of "+
			"the steps", period, spread, claim.Percent(share)))
	}
	return claim.Found(claim.Every(answers...), strings.Join(found, "; "), someTrial)
}

func sum(values []float64) float64 { return mean(values) * float64(len(values)) }

// standardDeviation is that of a sample, with n − 1.
func standardDeviation(values []float64) float64 {
	centre, squares := mean(values), 0.
	for _, v := range values {
		squares += (v - centre) * (v - centre)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}
