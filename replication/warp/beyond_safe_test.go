package warp

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// learnsAfter is a training loss that falls after this part of the updates, a little later in each trial.
func learnsAfter(q question, part float64) float64 {
	return pick(q.done < part*(1+0.02*float64(q.Number)), 1, 0.01)
}

// paperSafe: biases of 1 and 2 are as good as chrono over 10 steps only, and a wrong Tmax or none does little harm.
func paperSafe(q question) float64 {
	switch {
	case q.is(bias0Arm):
		return learnsAfter(q, 0.9)
	case q.is(bias1Arm, bias2Arm) && q.x != 10:
		return learnsAfter(q, 0.6)
	case q.is(unknownArm), strings.HasPrefix(q.panel, "tmax") && q.x != 1:
		return learnsAfter(q, 0.12)
	}
	return learnsAfter(q, 0.1)
}

// reverseSafe: the lower the constant bias the better, chrono is slow, and without the right Tmax it never learns.
func reverseSafe(q question) float64 {
	switch {
	case q.is(bias0Arm):
		return learnsAfter(q, 0.05)
	case q.is(bias1Arm, bias2Arm):
		return learnsAfter(q, 0.1)
	case q.is(unknownArm), strings.HasPrefix(q.panel, "tmax") && q.x != 1:
		return 1
	}
	return learnsAfter(q, 0.4)
}

// safeAt lets arms of a panel of Safe ("" for all) learn after a part of the updates, where they have this x.
func safeAt(panel string, x, part float64, arms ...string) change {
	return func(q question) float64 {
		if q.figure == BeyondSafe.Name && (panel == "" || q.panel == panel) && q.x == x && q.is(arms...) {
			return learnsAfter(q, part)
		}
		return keep
	}
}

// Where the lines are drawn: in the paper's world, but for one thing. 2 is never.
func TestWhereTheLinesOfSafeAre(t *testing.T) {
	for _, c := range []struct {
		id, what string
		change   change
		want     claim.Answer
		says     string
	}{
		{"text.forget-bias-1-2", "bias 2 is 1.9 times slower at T = 10", safeAt("lstm-copy", 10, 0.19, bias2Arm),
			claim.Reproduced, "forget bias 2 5850 [5700, 6000], ratio 1.89"},
		{"text.forget-bias-1-2", "bias 2 is 2.2 times slower at T = 10", safeAt("lstm-copy", 10, 0.22, bias2Arm),
			claim.Contradicted, ""},
		{"text.forget-bias-1-2", "in one trial of three at T = 10",
			func(q question) float64 {
				return pick(q.Number == 0, safeAt("lstm-copy", 10, 0.5, bias2Arm)(q), keep)
			},
			claim.Inconclusive, betweenRatio},
		{"text.forget-bias-1-2", "not slower at T = 400 in adding", safeAt("lstm-adding", 400, 0.1, bias1Arm),
			claim.Contradicted, ""},
		{"text.forget-bias-1-2", "never learns at T = 400", safeAt("lstm-adding", 400, 2, bias1Arm, bias2Arm),
			claim.Reproduced, "forget bias 1 ≥ 20000, ratio ≥ 9"},
		{"text.forget-bias-1-2", "nor does chrono", safeAt("lstm-adding", 400, 2, bias1Arm, bias2Arm, chronoArm),
			claim.Inconclusive, "ratio unknown"},
		{"text.forget-bias-1-2", "not slower at T = 200, which is not the longest",
			safeAt("lstm-adding", 200, 0.1, bias1Arm, bias2Arm), claim.Reproduced, ""},
		{"text.forget-bias-0", "neither learns at T = 400", safeAt("lstm-copy", 400, 2, bias0Arm, bias1Arm),
			claim.Reproduced, "T = 200"},
		{"text.forget-bias-0", "bias 0 alone learns at T = 400", safeAt("lstm-copy", 400, 2, bias1Arm),
			claim.Contradicted, "T = 400"},
		{"text.forget-bias-0", "bias 0 learns with bias 1", safeAt("lstm-copy", 400, 0.6, bias0Arm),
			claim.Inconclusive, "as fast as some"},
		{"text.gru", "not more than 1.5 times as fast in copy", safeAt("gru-copy", 200, 0.15, bias1Arm),
			claim.Inconclusive, "not surely twice"},
		{"text.gru", "as fast at T = 50, which is not the longest", safeAt("", 50, 0.1, bias1Arm), claim.Reproduced,
			""},
		{"text.gru", "slower in copy", safeAt("gru-copy", 200, 0.05, bias1Arm), claim.Contradicted, ""},
		{"text.tmax-robust", "3 times Tmax is too much in copy", safeAt("tmax-copy", 3, 0.5, chronoArm),
			claim.Contradicted, "3 times Tmax 15300"},
		{"text.tmax-robust", "10 times Tmax is", safeAt("", 10, 0.5, chronoArm), claim.Reproduced,
			"10 times Tmax 10200"},
		{"text.tmax-robust", "a third is never enough", safeAt("tmax-adding", 0.333333333333, 2, chronoArm),
			claim.Contradicted, "0.333 times Tmax ≥ 20000 (ratio ≥ 9"},
		{"text.tmax-robust", "nothing learns", func(q question) float64 {
			return pick(q.figure == BeyondSafe.Name, 1, keep)
		}, claim.Inconclusive, betweenRatio},
		{"text.unknown-time-scale", "three times slower at one T", safeAt("lstm-copy", 25, 0.3, unknownArm),
			claim.Contradicted, "T = 25"},
		{"text.unknown-time-scale", "nothing learns at one T", safeAt("lstm-copy", 400, 2, unknownArm, chronoArm),
			claim.Reproduced, "T = 400: ≥ 30000, with Tmax ≥ 30000"},
	} {
		w := world(func(q question) float64 { return pick(c.change(q) != keep, c.change(q), asThePaperSays(q)) })
		j := judgement(t, w.records(t, experiment.Options{Scale: "paper"}), c.id)
		if j.Verdict != c.want || !strings.Contains(j.Why+"; "+strings.Join(j.Found, "; "), c.says) {
			t.Errorf("%s, %s: %v because %q: %s\nwant %v, %q", c.id, c.what, j.Verdict, j.Why, j.Found, c.want, c.says)
		}
	}
}

// A bias b of an arm's name is that of every unit's forget gate, or the negative of its update gate, and chrono's
// longest time scale is Tmax times the factor: at T = 50, 50 in adding and 75 in copy.
func TestSafeStarts(t *testing.T) {
	tasks, err := BeyondSafe.Tasks(experiment.Options{Scale: "reduced", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
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
