package trial

import (
	"fmt"
	"testing"

	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/internal/check"
)

// A sum over the steps is the mean times their number, for each trial.
func TestSumOverSteps(t *testing.T) {
	const steps = 7
	b := draw(steps, 3, 5, 4)
	mean, sum := lossesOf(t, "go", CrossEntropy{}, b), lossesOf(t, "go", SumOverSteps{CrossEntropy{}}, b)
	for r := range mean {
		if sum[r] != steps*mean[r] {
			t.Errorf("trial %d: %g, want %d times %g", r, sum[r], steps, mean[r])
		}
	}
	for want, c := range map[string]struct {
		loss  Loss
		steps int
	}{
		"want [T, R, B]":        {SumOverSteps{CrossEntropy{}}, 0},
		"of no loss, want Of, ": {SumOverSteps{}, steps},
	} {
		err := exceptions.TryCatch[error](func() { lossesOf(t, "go", c.loss, draw(c.steps, 3, 5, 4)) })
		check.Contains(t, fmt.Sprint(err), want)
	}
}
