package claim

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/warptime/warptime/replication/record"
)

// Durations are how long something took in each trial: it ended between two points of a curve, the second of which is
// taken for the end. A trial in which it did not end is right-censored: AtLeast is the length of its curve, and AtMost
// is infinite. Else both are the same.
type Durations struct {
	Before          []float64 // the point before the end, 0 if that is the first
	AtLeast, AtMost []float64
}

// DurationsOf returns for each curve after how many updates it was at most value for the first time.
func DurationsOf(curves []Curve, value float64) Durations {
	return DurationsUntil(curves, 1, func(v float64) bool { return v <= value })
}

// DurationsUntil returns for each curve when it reached something for the first time, in multiples of unit updates.
func DurationsUntil(curves []Curve, unit int, reached func(float64) bool) Durations {
	var d Durations
	for _, c := range curves {
		at := slices.IndexFunc(c.Values, reached)
		before, least, most := 0.0, 0.0, math.Inf(1)
		if at < 0 {
			least = float64(c.Updates[len(c.Updates)-1]) / float64(unit)
			before = least
		} else {
			least = float64(c.Updates[at]) / float64(unit)
			most = least
		}
		if at > 0 {
			before = float64(c.Updates[at-1]) / float64(unit)
		}
		d.Before = append(d.Before, before)
		d.AtLeast = append(d.AtLeast, least)
		d.AtMost = append(d.AtMost, most)
	}
	return d
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

// A Ratio is how many times longer something took than something else: the ratio of the geometric means over the
// trials, and an interval. Where everything ended, it is the 95 % interval of Student's t distribution, on logarithms,
// for two arms of unequal variance (Welch). Where something did not end, it is the range of the trials: of all that is
// possible, any trial over any. So it is where all trials of each arm ended at the same point; then any time since the
// point before is possible.
type Ratio struct {
	Mean      float64 // a bound if one of them did not end
	Low, High float64 // High may be infinite
	mean      string  // for a text
	interval  string  // what the interval is
	n, m      int     // trials
}

// confidence is that of t-intervals.
const confidence = 0.95

// RatioOf returns how many times longer a took than b. Of no trials it is NaN.
func RatioOf(a, b Durations) Ratio {
	r := Ratio{
		Mean: geometric(a.AtLeast) / geometric(b.AtLeast), Low: math.NaN(), High: math.NaN(),
		interval: "range of the trials", n: len(a.AtLeast), m: len(b.AtLeast),
	}
	if r.n == 0 || r.m == 0 {
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
	r.Low = slices.Min(a.AtLeast) / slices.Max(b.AtMost)
	r.High = slices.Max(a.AtMost) / slices.Min(b.AtLeast)
	switch {
	case r.Low == r.High:
		r.Low = slices.Min(a.Before) / slices.Max(b.AtMost)
		r.High = slices.Max(a.AtMost) / slices.Min(b.Before)
	case r.n > 1 && r.m > 1 && a.End() && b.End():
		half := welch(logs(a.AtMost), logs(b.AtMost))
		r.Low, r.High = r.Mean*math.Exp(-half), r.Mean*math.Exp(half)
		r.interval = fmt.Sprintf("%.0f %% t-interval", 100*confidence)
	}
	return r
}

// RatioOf is [RatioOf], for a rule that decides by the ratio. Where something did not end, an answer needs all trials
// of one arm to be beyond all trials of the other: RatioOf notes how often luck alone gives this order.
func (r Reader) RatioOf(a, b Durations) Ratio {
	if !a.End() || !b.End() {
		r.notes.apart(len(a.AtLeast), len(b.AtLeast))
	}
	return RatioOf(a, b)
}

// MeanWithin returns the mean of values and, as its least and largest value, the 95 % interval of Student's t
// distribution, to compare a mean with a level. Of one value it is the value.
func MeanWithin(values []float64) record.Spread {
	s := record.SpreadOf(values)
	if s.Min == s.Max {
		return s
	}
	half := quantile(float64(s.N-1)) * stat.StdErr(stat.StdDev(values, nil), float64(s.N))
	return record.Spread{N: s.N, Mean: s.Mean, Min: s.Mean - half, Max: s.Mean + half}
}

// MeanBelow answers whether the mean of a is below that of b by more than visible, in all of the 95 % interval of their
// difference (Welch); Contradicted if b's is below a's in this way. Unlike Below, it does not ask more of more trials.
// Of several values that are not all finite it answers nothing.
func MeanBelow(a, b []float64, visible float64) Answer {
	apart, half := Mean(b)-Mean(a), 0.0
	if len(a) > 1 && len(b) > 1 && stat.Variance(a, nil)+stat.Variance(b, nil) != 0 {
		half = welch(a, b)
	}
	switch {
	case apart-half > visible:
		return Reproduced
	case apart+half < -visible:
		return Contradicted
	}
	return Inconclusive
}

// quantile is that of a t-interval with these degrees of freedom.
func quantile(freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1 + confidence) / 2)
}

// welch is half the width of the interval of the difference of two means.
func welch(a, b []float64) float64 {
	n, m := float64(len(a)), float64(len(b))
	va, vb := stat.Variance(a, nil)/n, stat.Variance(b, nil)/m
	freedom := (va + vb) * (va + vb) / (va*va/(n-1) + vb*vb/(m-1))
	return quantile(freedom) * math.Sqrt(va+vb)
}

// geometric is the geometric mean.
func geometric(values []float64) float64 {
	if len(values) > 0 && slices.Min(values) == slices.Max(values) {
		return values[0] // without rounding
	}
	return math.Exp(Mean(logs(values)))
}

func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(v)
	}
	return out
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

// String gives the ratio and its interval: "3 (95 % t-interval 2.5 to 4, n = 3 + 3)", "≥ 3 (range of the trials 2.5 to
// ∞, n = 3 + 3)".
func (r Ratio) String() string {
	return fmt.Sprintf("%s (%s %s to %s, n = %d + %d)", r.mean, r.interval, record.Number(r.Low),
		record.Number(r.High), r.n, r.m)
}

// Mean returns the mean of values; NaN if there are none or one of them is NaN.
func Mean(values []float64) float64 { return record.SpreadOf(values).Mean }
