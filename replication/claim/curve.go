package claim

import (
	"math"
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// A Curve is a series of one trial.
type Curve struct {
	Updates []int // ascending
	Values  []float64
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

// When is the update of the first point that something is true of, and that of the point before. Where it is true of
// none, the value is censored at the end.
func (c Curve) When(is func(v float64) bool) Value {
	i := slices.IndexFunc(c.Values, is)
	if i < 0 {
		end := float64(c.Updates[len(c.Updates)-1])
		return Value{V: end, Before: end, Censored: true}
	}
	at := Value{V: float64(c.Updates[i])}
	if i > 0 {
		at.Before = float64(c.Updates[i-1])
	}
	return at
}

func (c Curve) Last() float64 { return c.Values[len(c.Values)-1] }

// Final is what a curve ends at: see the [Stat] of that name. One that ends in divergence ends at what is not finite.
func (c Curve) Final() float64 {
	if last := c.Last(); math.IsNaN(last) || math.IsInf(last, 0) {
		return last
	}
	return Median(c.Values[len(c.Values)-c.FinalPoints():])
}

// finalPart of a curve is its end.
const finalPart = 0.2

// FinalPoints is how many points that end has, at least 1.
func (c Curve) FinalPoints() int {
	n := len(c.Values)
	return n - min(int((1-finalPart)*float64(n)), n-1)
}

// beforeFinal is the median of as many points before that end.
func (c Curve) beforeFinal() float64 {
	end := len(c.Values) - c.FinalPoints()
	return Median(c.Values[max(0, end-c.FinalPoints()):end])
}

// Median returns the middle one of values, or the mean of the middle two; NaN if there are none or one of them is NaN.
func Median(values []float64) float64 {
	if len(values) == 0 || math.IsNaN(slices.Min(values)) {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// Mean returns the mean of values; NaN if there are none or one of them is NaN.
func Mean(values []float64) float64 { return record.SpreadOf(values).Mean }
