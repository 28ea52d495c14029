package main

import (
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/run"
)

// A record that differs weighs more than one that is checked in part, and that more than any that is the same.
func TestVerifyEnds(t *testing.T) {
	for _, c := range []struct {
		rounded, partly, differ int
		want                    error
	}{{3, 0, 0, nil}, {3, 1, 0, errPartlyChecked}, {3, 1, 1, errDiffers}} {
		counts := map[run.Verdict]int{run.Rounded: c.rounded, run.PartlyChecked: c.partly, run.Differs: c.differ}
		check.Equal(t, outcome(counts), c.want, "%v", counts)
	}
}
