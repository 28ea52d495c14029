package claim

import (
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/replication/record"
)

// Durations are how long something took in each trial. A trial in which it did not end is right-censored: AtLeast is
// the length of its curve, and AtMost is infinite. Else both are the same.
type Durations struct{ AtLeast, AtMost []float64 }

// DurationsOf returns for each curve after how many updates it was at most value for the first time.
func DurationsOf(curves []Curve, value float64) Durations {
	return DurationsUntil(curves, 1, func(v float64) bool { return v <= value })
}

// DurationsUntil returns for each curve when it reached something for the first time, in multiples of unit updates.
func DurationsUntil(curves []Curve, unit int, reached func(float64) bool) Durations {
	var d Durations
	for _, c := range curves {
		at := slices.IndexFunc(c.Values, reached)
		most := math.Inf(1)
		if at < 0 {
			at = len(c.Updates) - 1
		} else {
			most = float64(c.Updates[at]) / float64(unit)
		}
		d.AtLeast = append(d.AtLeast, float64(c.Updates[at])/float64(unit))
		d.AtMost = append(d.AtMost, most)
	}
	return d
}

// Before answers whether it ended in every trial of d before it did in any of other.
func (d Durations) Before(other Durations) Answer {
	return Below(record.SpreadOf(d.AtMost), record.SpreadOf(other.AtMost), 0)
}

// End tells whether it ended in every trial.
func (d Durations) End() bool { return len(d.AtMost) > 0 && !math.IsInf(slices.Max(d.AtMost), 1) }

// String gives the mean, and the range: "3 [1, 6]". Where it did not end in a trial, the mean is a lower bound, as in
// "≥ 3".
func (d Durations) String() string {
	text := record.SpreadOf(d.AtLeast).String()
	if !d.End() {
		return "≥ " + text
	}
	return text
}

// A Ratio is how many times longer something took than something else, on average over the trials, and the interval
// that holds 95 % of the ratios of resampled trials (bootstrap). Where something did not end, the interval has all that
// is possible.
type Ratio struct {
	Mean      float64 // of the time waited for a over that for b: a bound if one of them did not end
	Low, High float64 // High may be infinite
	mean      string  // for a text
}

// Bootstrapped intervals: the part of the resamplings that they hold, and how many there are, always the same ones.
const (
	resamplings = 2000
	confidence  = 0.95
)

// RatioOf returns how many times longer a took than b. Of no trials it is NaN.
func RatioOf(a, b Durations) Ratio {
	r := Ratio{Mean: Mean(a.AtLeast) / Mean(b.AtLeast), Low: math.NaN(), High: math.NaN()}
	if len(a.AtLeast) == 0 || len(b.AtLeast) == 0 {
		return r
	}
	switch r.mean = record.Number(r.Mean); {
	case !a.End() && !b.End():
		r.mean = "unknown"
	case !a.End():
		r.mean = "≥ " + r.mean
	case !b.End():
		r.mean = "≤ " + r.mean
	}
	rng := chrono.RNG(1, "bootstrap")
	resample := func(d Durations) (low, high float64) {
		n := float64(len(d.AtLeast))
		for range d.AtLeast {
			i := rng.IntN(len(d.AtLeast))
			low, high = low+d.AtLeast[i]/n, high+d.AtMost[i]/n
		}
		return low, high
	}
	lows, highs := make([]float64, resamplings), make([]float64, resamplings)
	for i := range resamplings {
		leastA, mostA := resample(a)
		leastB, mostB := resample(b)
		lows[i], highs[i] = leastA/mostB, mostA/leastB
	}
	slices.Sort(lows)
	slices.Sort(highs)
	cut := int((1 - confidence) / 2 * resamplings)
	r.Low, r.High = lows[cut], highs[resamplings-1-cut]
	return r
}

// Below answers whether the whole interval is below a limit: Contradicted if all of it is at limit or above.
func (r Ratio) Below(limit float64) Answer {
	switch {
	case r.High < limit:
		return Reproduced
	case r.Low >= limit:
		return Contradicted
	}
	return Inconclusive
}

// String gives the ratio and its interval: "3 (95 % interval 2.5 to 4)", "≥ 3 (95 % interval 2.5 to ∞)".
func (r Ratio) String() string {
	return fmt.Sprintf("%s (%.0f %% interval %s to %s)", r.mean, 100*confidence, record.Number(r.Low),
		record.Number(r.High))
}

// Mean returns the mean of values; NaN if there are none or one of them is NaN.
func Mean(values []float64) float64 { return record.SpreadOf(values).Mean }
