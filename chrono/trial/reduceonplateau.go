package trial

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ReduceOnPlateau is W's schedule of Section 3, “learning rates are divided by 2 each time the evaluation loss has not
// decreased after 100 batches”. Call it after each evaluation with the losses of all evaluations so far, [n][R], the
// oldest first, and give what it returns to [Optimizer.Multiply], unless that is nil: a factor of ½ for each trial
// whose last loss is not below the lowest before it, and 1 for the others; nil if all are 1. A NaN is no decrease. The
// first loss is a decrease, unless it is NaN or +Inf.
//
// The last loss is compared with the lowest so far, not with the one before: otherwise noise alone would halve the rate
// at every other evaluation. The factors follow from the losses alone, so that a resumed training is the same as one
// without a break, if checkpoints are saved after Multiply.
//
// It returns a one-line error if there are no losses, or if their number of trials changes.
func ReduceOnPlateau(losses [][]float64) (factors []float64, err error) {
	if len(losses) == 0 {
		return nil, errors.New("trial: rates depend on the losses of evaluations, want one or more")
	}
	last := losses[len(losses)-1]
	lowest := slices.Repeat([]float64{math.Inf(1)}, len(last))
	for _, before := range losses[:len(losses)-1] {
		if len(before) != len(last) {
			return nil, fmt.Errorf("trial: the losses are of %d trials, then of %d", len(before), len(last))
		}
		for r, loss := range before {
			if loss < lowest[r] {
				lowest[r] = loss
			}
		}
	}
	for r, loss := range last {
		if !(loss < lowest[r]) {
			if factors == nil {
				factors = slices.Repeat([]float64{1}, len(last))
			}
			factors[r] = 0.5
		}
	}
	return factors, nil
}
