package record

import (
	"cmp"
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

// A Swept result is what was measured of every trial at one x.
type Swept struct {
	X      float64
	Values Values
}

// Swept returns the result at every x, ascending, from a record's results. Nothing else reads numbers out of names.
func (r Result) Swept(final map[string]Values) (all []Swept) {
	for name, values := range final {
		if at, ok := strings.CutPrefix(name, string(r)+"@"); ok {
			if x, err := strconv.ParseFloat(at, 64); err == nil {
				all = append(all, Swept{x, values})
			}
		}
	}
	slices.SortFunc(all, func(a, b Swept) int { return cmp.Compare(a.X, b.X) })
	return all
}
