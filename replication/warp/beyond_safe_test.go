package warp

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A bias b of an arm's name is that of every unit's forget gate, or the negative of its update gate, and chrono's
// longest time scale is Tmax times the factor: at T = 50, 50 in adding and 75 in copy.
func TestSafeStarts(t *testing.T) {
	tasks, err := BeyondSafe.Tasks(experiment.Options{Scale: "reduced", Seed: 1})
	check.OK(t, err)
	ranges := map[string][2]float64{} // of the time scales of a thousand units
	for _, task := range tasks {
		for i, trial := range task.Trials {
			biases := task.Network.(experiment.Recurrent).GateInit[i].Draw(chrono.RNG(1), 1000)
			keep := biases.Forget
			if strings.HasPrefix(task.Panel.Name, "gru") {
				keep = nil
				for _, b := range biases.Input {
					keep = append(keep, -b)
				}
			}
			name := task.Panel.Name + " " + trial.Arm
			if trial.X != nil {
				name += " " + record.Number(*trial.X)
			}
			ranges[name] = [2]float64{chrono.TimeScale(slices.Min(keep)), chrono.TimeScale(slices.Max(keep))}
		}
	}
	for name, want := range map[string][2]float64{
		"lstm-adding bias0 50": {2, 2}, "lstm-copy bias1 50": {1 + math.E, 1 + math.E}, "gru-adding bias0 50": {2, 2},
		"gru-adding bias1 50": {1 + math.E, 1 + math.E}, "lstm-adding bias2 50": {1 + math.E*math.E, 1 + math.E*math.E},
		"lstm-adding chrono 50": {2, 50}, "lstm-copy chrono 50": {2, 75}, "gru-adding chrono 50": {2, 50},
		"tmax-adding bias1": {1 + math.E, 1 + math.E}, "tmax-adding chrono 0.1": {2, 10},
		"tmax-adding chrono 0.333": {2, 100. / 3}, "tmax-adding chrono 1": {2, 100}, "tmax-copy chrono 10": {2, 750},
	} {
		got := ranges[name]
		if math.Abs(got[0]-want[0]) > 0.02*want[1] || math.Abs(got[1]-want[1]) > 0.02*want[1] {
			t.Errorf("%s: time scales from %g to %g, want %g to %g", name, got[0], got[1], want[0], want[1])
		}
	}
	if low, high := ranges["lstm-copy unknown 50"][0], ranges["lstm-copy unknown 50"][1]; low != 2 || high < 1e6 {
		t.Errorf("unknown time scales from %g to %g", low, high)
	}
}

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
