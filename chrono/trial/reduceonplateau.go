package trial

import (
	"fmt"
	"math"
)

// Halving is W's rule of Section 3, “learning rates are divided by 2 each time the evaluation loss has not decreased
// after 100 batches”: every so many updates, each trial's rate is halved whose last evaluation loss is not below the
// lowest before it. A NaN is no decrease. The first loss is one, unless it is NaN or +Inf.
//
// The lowest so far, and not the loss before, is what the last is compared with: else noise alone would halve the
// rate at every other evaluation.
type ReduceOnPlateau struct {
	Every  int    // updates, 1 or more
	Series string // the evaluation losses, with a value at each of those updates
}

// Factors implements Schedule: ½ or 1 for each trial after every update that Every divides, nil if all are 1. It is an
// error if the series has no values, or is not as wide throughout.
func (h ReduceOnPlateau) Factors(update int, series func(name string) [][]float64) ([]float64, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	if update%h.Every != 0 {
		return nil, nil
	}
	losses := series(h.Series)
	if len(losses) == 0 {
		return nil, fmt.Errorf("trial: halving after update %d by series %q, which has no values", update, h.Series)
	}
	last := losses[len(losses)-1]
	lowest := make([]float64, len(last))
	for r := range lowest {
		lowest[r] = math.Inf(1)
	}
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
	factors, changed := make([]float64, len(last)), false
	for r, loss := range last {
		factors[r] = 1
		if !(loss < lowest[r]) {
			factors[r], changed = 0.5, true
		}
	}
	if !changed {
		return nil, nil
	}
	return factors, nil
}

// Validate refuses an Every below 1, and a series without a name.
func (h ReduceOnPlateau) Validate() error {
	if h.Every < 1 || h.Series == "" {
		return fmt.Errorf("trial: halving every %d updates by series %q, want 1 or more, and a name", h.Every, h.Series)
	}
	return nil
}
