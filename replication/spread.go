package replication

import (
	"fmt"
	"math"
	"slices"
)

// A Spread is what the papers report of several trials: their mean, minimum and maximum.
type Spread struct {
	N              int
	Mean, Min, Max float64
}

// SpreadOf returns the spread of one value per trial. Without values, or with a NaN among them, all three are NaN.
func SpreadOf(values []float64) Spread {
	s := Spread{N: len(values), Mean: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	if len(values) == 0 {
		return s
	}
	s.Min, s.Max = slices.Min(values), slices.Max(values) // NaN if there is one
	s.Mean = 0
	for _, v := range values {
		s.Mean += v / float64(len(values))
	}
	return s
}

// String gives the mean, and the range in brackets.
func (s Spread) String() string {
	return fmt.Sprintf("%.3g [%.3g, %.3g]", s.Mean, s.Min, s.Max)
}

// percent returns the spread of shares in percent, rounded to hundredths, for a text.
func (s Spread) percent() Spread {
	round := func(share float64) float64 { return math.Round(1e4*share) / 100 }
	return Spread{N: s.N, Mean: round(s.Mean), Min: round(s.Min), Max: round(s.Max)}
}

// median returns the middle one of values, or the mean of the middle two; NaN if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
