package claim

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// An Interval is an estimate and what it may be.
type Interval struct {
	Value     float64 // a bound if AtLeast or AtMost is set
	Low, High float64 // High may be infinite

	AtLeast, AtMost bool // something had not happened when training ended

	Confidence float64 // of Low and High; 0: they are the least and the most, or all that is possible
}

const confidence = 0.95

// RatioOf returns how many times larger a is than b: the ratio of the geometric means over the trials. Where no value
// is censored, the interval is the 95 % interval of Student's t distribution, on logarithms, for two arms of unequal
// variance (Welch). Where one is, it is the range of all that is possible, any trial over any; so it is where all
// trials of each arm have one value, and then any time since the point before is possible.
func RatioOf(a, b Sample) Interval {
	r := Interval{
		Value: geometric(a) / geometric(b),
		Low:   a.Min() / b.Max(), High: a.Max() / b.Min(),
		AtLeast: a.Censored(), AtMost: b.Censored(),
	}
	switch {
	case r.Low == r.High:
		r.Low, r.High = before(a)/b.Max(), a.Max()/before(b)
	case len(a) > 1 && len(b) > 1 && !r.AtLeast && !r.AtMost:
		half := welch(logs(a), logs(b))
		r.Low, r.High, r.Confidence = r.Value*math.Exp(-half), r.Value*math.Exp(half), confidence
	}
	return r
}

// MedianRatio returns the ratio of the medians of a and b. Censored values that do not matter to a median do not widen
// the interval.
func MedianRatio(a, b Sample) Interval {
	low, high := func(s Sample) float64 { return Median(s.Values()) },
		func(s Sample) float64 { return Median(each(s, Value.High)) }
	r := Interval{Value: low(a) / low(b), Low: low(a) / high(b), High: high(a) / low(b)}
	r.AtLeast, r.AtMost = high(a) > low(a), high(b) > low(b)
	return r
}

func before(s Sample) float64 { return slices.Min(each(s, func(v Value) float64 { return v.Before })) }

// meanInterval is the mean of a sample and its 95 % interval of Student's t distribution. Of one value, or of equal
// ones, it is the value. It has no bounds where a value is one.
func meanInterval(s Sample) Interval {
	half := 0.
	if values := s.Values(); len(values) > 1 && slices.Min(values) != slices.Max(values) {
		n := float64(len(values))
		half = quantile(n-1) * stat.StdErr(stat.StdDev(values, nil), n)
	}
	return around(s.Mean(), half, s)
}

// difference is the mean of b less that of a, and its 95 % interval (Welch). It has no bounds where a value is one.
func difference(a, b Sample) Interval {
	half := 0.
	if x, y := a.Values(), b.Values(); len(a) > 1 && len(b) > 1 && stat.Variance(x, nil)+stat.Variance(y, nil) != 0 {
		half = welch(x, y)
	}
	return around(b.Mean()-a.Mean(), half, slices.Concat(a, b))
}

// around is the interval, or all numbers if one of the values is a bound.
func around(value, half float64, s Sample) Interval {
	if s.Censored() {
		half = math.Inf(1)
	}
	return Interval{Value: value, Low: value - half, High: value + half, Confidence: confidence}
}

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

func geometric(s Sample) float64 {
	if values := s.Values(); slices.Min(values) == slices.Max(values) {
		return values[0] // without rounding
	}
	return math.Exp(Mean(logs(s)))
}

func logs(s Sample) []float64 { return each(s, func(v Value) float64 { return math.Log(v.V) }) }
