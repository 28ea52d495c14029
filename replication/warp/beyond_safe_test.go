package warp

import (
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A user who asks for some number of trials gets as many of each arm, whatever is declared.
func TestSafeTrials(t *testing.T) {
	for _, trials := range []int{2, 4, moreTrials} {
		tasks, err := BeyondSafe.Tasks(experiment.Options{Scale: record.Reduced, Panel: "gru-adding", Trials: trials})
		check.OK(t, err)
		numbers := map[string][]int{}
		for _, task := range tasks {
			for _, of := range task.Trials {
				name := of.Arm + " " + record.Number(*of.X)
				numbers[name] = append(numbers[name], of.Number)
			}
		}
		for name, got := range numbers {
			if slices.Sort(got); len(slices.Compact(got)) != trials {
				t.Errorf("%d trials: %s has %v", trials, name, got)
			}
		}
	}
}
