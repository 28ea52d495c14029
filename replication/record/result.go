package record

import (
	"slices"
	"strconv"
	"strings"
)

// A Result is the name that records have for what is measured of every trial: in the course of training, as a series,
// or after it. It is declared once, and handed to the measure that writes it and to whoever reads it.
type Result string

// At is the name of the same result at one value of what is swept: "loss@120".
func (r Result) At(x float64) Result {
	return r + Result("@"+strconv.FormatFloat(x, 'g', -1, 64))
}

// Swept returns, in ascending order, every x for which a record's results hold that of r.At(x).
func (r Result) Swept(final map[string]Values) []float64 {
	var xs []float64
	for name := range final {
		if at, ok := strings.CutPrefix(name, string(r)+"@"); ok {
			if x, err := strconv.ParseFloat(at, 64); err == nil {
				xs = append(xs, x)
			}
		}
	}
	slices.Sort(xs)
	return xs
}
