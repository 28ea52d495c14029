package torch_test

import (
	"math"
	"testing"

	"github.com/warptime/warptime/replication/torch"
)

// Both results have three trials of either initialization, and a point for each window.
func TestResults(t *testing.T) {
	for _, r := range []torch.Result{torch.Adding, torch.Copy} {
		for _, arm := range []string{"standard", "chrono"} {
			curves := r.Curves(arm)
			if len(curves) != 3 {
				t.Errorf("%s: %d trials of %s, want 3", r.Task, len(curves), arm)
			}
			for _, losses := range curves {
				if len(losses)*r.Window != r.Updates {
					t.Errorf("%s, %s: %d points for %d updates", r.Task, arm, len(losses), r.Updates)
				}
				for _, loss := range losses {
					if !(loss > 0) || math.IsInf(loss, 0) {
						t.Errorf("%s, %s: a loss of %g", r.Task, arm, loss)
					}
				}
			}
		}
	}
}
