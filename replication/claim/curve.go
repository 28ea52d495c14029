package claim

import (
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// A Curve is a series of one trial.
type Curve struct {
	Updates []int // ascending
	Values  []float64
}

// Curves returns a series of each trial, as recorded: NaN where it diverged. Each has a point at least.
func (ts Trials) Curves(series record.Result) ([]Curve, error) {
	var curves []Curve
	for _, t := range ts {
		var c Curve
		for _, p := range t.series(series) {
			if len(p.Values) == 0 {
				return nil, fmt.Errorf("series %s of %s has several numbers at each point", series, t.Record.Name())
			}
			c.Updates, c.Values = append(c.Updates, p.Update), append(c.Values, p.Values[t.Place])
		}
		if len(c.Values) == 0 {
			return nil, t.lacks("series " + string(series))
		}
		curves = append(curves, c)
	}
	return curves, nil
}

// Losses returns the curve of a loss, infinite from where the trial diverged to NaN.
func (c Curve) Losses() Curve {
	return Curve{c.Updates, withoutNaN(slices.Clone(c.Values), math.Inf(1))}
}

// Shares returns the curve of a loss of each trial, as shares of its memoryless loss.
func (ts Trials) Shares(series record.Result) ([]Curve, error) {
	memoryless, err := ts.Memoryless()
	if err != nil {
		return nil, err
	}
	curves, err := ts.Curves(series)
	if err != nil {
		return nil, err
	}
	for i, c := range curves {
		curves[i] = c.Losses()
		for j := range c.Values {
			curves[i].Values[j] /= memoryless[i]
		}
	}
	return curves, nil
}

// Mean returns the mean over all updates, of values that are means over the updates since the last point.
func (c Curve) Mean() float64 {
	mean, before := 0.0, 0
	for i, update := range c.Updates {
		mean += c.Values[i] * float64(update-before) / float64(c.Updates[len(c.Updates)-1])
		before = update
	}
	return mean
}

// finalPart of a curve is its end.
const finalPart = 0.2

// Final is what a curve ends at: the median of the last fifth of its points. A spike does not move it unless it lasts
// for a tenth of the training; where a curve still falls, it ends lower than this. A curve that ends in divergence ends
// at what is not finite. Wherever a claim or a notebook speaks of a final loss in training, it is this number.
func (c Curve) Final() float64 {
	if last := c.Last(); math.IsNaN(last) || math.IsInf(last, 0) {
		return last
	}
	return Median(c.Values[len(c.Values)-c.FinalPoints():])
}

// FinalShares returns what the training loss of each trial ends at, as a share of its memoryless loss.
func (ts Trials) FinalShares() ([]float64, error) {
	curves, err := ts.Shares(record.Train)
	var values []float64
	for _, c := range curves {
		values = append(values, c.Final())
	}
	return values, err
}

// FinalPoints is how many points that end has, at least 1.
func (c Curve) FinalPoints() int {
	n := len(c.Values)
	return n - min(int((1-finalPart)*float64(n)), n-1)
}

// Improving tells whether training was stopped while an arm still improved: whether its curves (losses, or accuracies
// with sign -1) fall by more than visible from the fifth before the last fifth of their points to the last one. It
// compares the medians of both fifths, on average over the trials. What an arm ends at is then no result.
func Improving(curves []Curve, sign, visible float64) bool {
	var falls []float64
	for _, c := range curves {
		end := len(c.Values) - c.FinalPoints()
		before := c.Values[max(0, end-c.FinalPoints()):end]
		if fall := sign * (Median(before) - c.Final()); !math.IsNaN(fall) && !math.IsInf(fall, 0) {
			falls = append(falls, fall)
		}
	}
	return Mean(falls) > visible
}

// Last is the last value.
func (c Curve) Last() float64 { return c.Values[len(c.Values)-1] }

// SpreadOver is the spread of one number of each curve. One that is no number is as bad as can be.
func SpreadOver(curves []Curve, worst float64, number func(Curve) float64) record.Spread {
	return record.SpreadOf(ValuesOf(curves, worst, number))
}

// ValuesOf are one number of each curve. One that is no number is as bad as can be.
func ValuesOf(curves []Curve, worst float64, number func(Curve) float64) []float64 {
	var values []float64
	for _, c := range curves {
		values = append(values, number(c))
	}
	return withoutNaN(values, worst)
}

// Median returns the middle one of values, or the mean of the middle two; NaN if there are none or one of them is NaN.
func Median(values []float64) float64 {
	if len(values) == 0 || math.IsNaN(slices.Min(values)) {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
