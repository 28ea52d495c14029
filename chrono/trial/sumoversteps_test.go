package trial

import "testing"

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
}
