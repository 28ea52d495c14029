package replication

import "math"

// halving is W's schedule of Section 3: a trial's learning rate is halved whenever its evaluation loss, taken every 100 batches, is
// not below the lowest it has had. Each trial has its own: in one graph with others it must do what it would alone.
//
// The lowest so far, and not the loss before, is what it is compared with: else noise alone would halve the rate at every other evaluation.
type halving struct {
	Rates []float64 // [R]
	Best  []float64 // lowest losses so far, [R]; nil before the first
}

// evaluate takes new evaluation losses, [R]. A NaN counts as no decrease. It reports whether a rate has changed.
func (h *halving) evaluate(losses []float64) bool {
	if h.Best == nil {
		h.Best = make([]float64, len(losses))
		for r := range h.Best {
			h.Best[r] = math.MaxFloat64 // not +Inf, which a checkpoint's JSON cannot hold
		}
	}
	changed := false
	for r, loss := range losses {
		if loss < h.Best[r] {
			h.Best[r] = loss
		} else {
			h.Rates[r] /= 2
			changed = true
		}
	}
	return changed
}
