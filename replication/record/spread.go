package record

import (
	"math"
	"slices"
	"strconv"
	"strings"
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

// String gives the mean, and the range in brackets unless it looks like the mean: "3 [1, 6]", "3".
func (s Spread) String() string {
	mean, low, high := Number(s.Mean), Number(s.Min), Number(s.Max)
	if low == mean && high == mean {
		return mean
	}
	return mean + " [" + low + ", " + high + "]"
}

// Number writes x for a text: three digits that mean something, and an exponent only below 0.0001 and from a million
// on.
func Number(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "-∞"
	case x == 0:
		return "0"
	}
	text := strconv.FormatFloat(x, 'e', 2, 64) // "4.98e+03"
	mantissa, after, _ := strings.Cut(text, "e")
	exponent, _ := strconv.Atoi(after)
	if -4 <= exponent && exponent < 6 {
		rounded, _ := strconv.ParseFloat(text, 64)
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return strings.TrimRight(strings.TrimRight(mantissa, "0"), ".") + "e" + strconv.Itoa(exponent)
}
