package main

import (
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/run"
)

// A record that differs weighs more than one that cannot be compared, and that more than any that is the same.
func TestVerifyEnds(t *testing.T) {
	for _, c := range []struct {
		same, incomparable, differ int
		want                       error
	}{{3, 0, 0, nil}, {3, 1, 0, errNotComparable}, {3, 1, 1, errDiffers}} {
		counts := map[run.Verdict]int{run.Same: c.same, run.NotComparable: c.incomparable, run.Differs: c.differ}
		check.Equal(t, outcome(counts), c.want, "%v", counts)
	}
}
