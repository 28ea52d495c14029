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
	if x == 0 {
		return "0" // and not -0
	}
	text := strconv.FormatFloat(x, 'g', 3, 64) // "4.98e+03"
	if rounded, _ := strconv.ParseFloat(text, 64); 1e3 <= math.Abs(rounded) && math.Abs(rounded) < 1e6 {
		text = strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return asWritten.Replace(text)
}

// asWritten shortens the exponents and infinities of package strconv.
var asWritten = strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-", "+Inf", "∞", "-Inf", "-∞")
