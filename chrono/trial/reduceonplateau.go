package trial

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/chrono/internal/given"
)

// ReduceOnPlateau is W's schedule of Section 3, “learning rates are divided by 2 each time the evaluation loss has not
// decreased after 100 batches”: every n updates, a trial's rate is halved if its last evaluation loss is not below the
// lowest before it. A NaN is no decrease. The first loss is a decrease, unless it is NaN or +Inf.
//
// The last loss is compared with the lowest so far, not with the one before: otherwise noise alone would halve the rate
// at every other evaluation.
type ReduceOnPlateau struct {
	Every  int    // n, 1 or more
	Series string // the evaluation losses, with a value at each of those updates
}

// Factors implements Schedule. After every multiple of Every updates it returns ½ or 1 for each trial, and nil if all
// are 1; after other updates it returns nil. It returns an error if the series has fewer values than there were such
// updates, so that one would be judged twice, or if the number of trials in it changes.
func (h ReduceOnPlateau) Factors(update int, series func(name string) [][]float64) ([]float64, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	if update%h.Every != 0 {
		return nil, nil
	}
	if series == nil {
		return nil, errors.New("trial: the series of a schedule are nil, want a function that returns them by name")
	}
	losses := series(h.Series)
	if want := max(1, update/h.Every); len(losses) < want {
		return nil, fmt.Errorf("trial: the rates after update %d depend on series %q, which has %d values, want %d, "+
			"one for every %d updates", update, h.Series, len(losses), want, h.Every)
	}
	last := losses[len(losses)-1]
	lowest := slices.Repeat([]float64{math.Inf(1)}, len(last))
	for _, before := range losses[:len(losses)-1] {
		if len(before) != len(last) {
			return nil, fmt.Errorf("trial: series %q is of %d trials, then of %d", h.Series, len(before), len(last))
		}
		for r, loss := range before {
			if loss < lowest[r] {
				lowest[r] = loss
			}
		}
	}
	factors, changed := slices.Repeat([]float64{1}, len(last)), false
	for r, loss := range last {
		if !(loss < lowest[r]) {
			factors[r], changed = 0.5, true
		}
	}
	if !changed {
		return nil, nil
	}
	return factors, nil
}

// Validate returns a one-line error if Every is below 1, or the series has no name.
func (h ReduceOnPlateau) Validate() error {
	return given.Check(h.Every >= 1 && h.Series != "",
		"trial: rates halved every %d updates by series %q, want 1 or more, and a name", h.Every, h.Series)
}
