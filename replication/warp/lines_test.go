package warp

import (
	"math"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A change of a world gives an answer in place of one, or keep.
type change func(question) float64

var keep = math.Inf(-1)

// in changes answers about an arm ("" for all) in a figure or panel, whose names hold this.
func in(place, arm, name string, value change) change {
	return func(q question) float64 {
		if (q.figure == place || q.panel == place) && (arm == "" || q.is(arm)) && strings.Contains(q.name, name) {
			return value(q)
		}
		return keep
	}
}

func both(a, b change) change {
	return func(q question) float64 { return pick(a(q) != keep, a(q), b(q)) }
}

func pick(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

func to(value float64) change { return func(question) float64 { return value } }

// eitherChrono changes the accuracies of Figure 5's chrono networks, whatever their Tmax.
func eitherChrono(value change) change {
	return both(in("fig5", chronoArm, "accuracy", value), in("fig5", chronoTestedArm, "accuracy", value))
}

// ends lets a training curve fall to there, and no lower.
func ends(panel, arm string, at float64) change {
	return in(panel, arm, "", func(q question) float64 { return pick(paperCurve(q) < 1, at, keep) })
}

// fall lets the errors at T = 750 fall to nothing after these parts of the updates.
func fall(standard, chrono float64) change {
	return in("adding750", "", "", func(q question) float64 {
		return pick(q.done >= pick(q.is("standard"), standard, chrono), 0.01, 1)
	})
}

// Where the lines are drawn: in the paper's world, but for one thing.
func TestWhereTheLinesAre(t *testing.T) {
	for _, c := range []struct {
		id, what string
		change   change
		want     claim.Answer
		says     string // the reason or the numbers
	}{
		{"fig1.uniform-warp.gated-perfect", "one trial fails at one value",
			in("fig1", "gated", "loss", func(q question) float64 {
				return pick(q.x == 40 && q.Number == 1,
					0.051, 0.049)
			}),
			claim.Inconclusive, someTrials},
		{"fig1.uniform-warp.gated-perfect", "all trials fail at one value",
			in("fig1", "gated", "loss", func(q question) float64 { return pick(q.x == 40, 0.051, 0.049) }),
			claim.Contradicted, "5.1 at 40"},
		{"fig1.variable-pad.leaky-suboptimal", "at the largest value only",
			in("fig1", "leaky", "loss", func(q question) float64 { return pick(q.x == 100, 0.051, 0.049) }),
			claim.Reproduced, "5.1 at 100"},
		{"fig1.variable-pad.leaky-suboptimal", "in some trials",
			in("fig1", "leaky", "loss", func(q question) float64 { return 0.04 + 0.01*float64(q.Number) }),
			claim.Inconclusive, someTrials},
		{"fig1.uniform-pad.gated-beats-rnn", "plain RNNs fail from 55 on",
			in("fig1", "rnn", "loss", func(q question) float64 { return pick(q.x < 55, 1e-9, keep) }),
			claim.Reproduced, "0 at 40, 60.1 [60, 60.2] at 55"},
		{"fig1.uniform-pad.gated-beats-rnn", "one plain RNN fails",
			in("fig1", "rnn", "loss", func(q question) float64 { return pick(q.Number > 0, 1e-9, keep) }),
			claim.Inconclusive, "only some RNNs fail"},
		{"fig1.uniform-pad.gated-beats-rnn", "invisibly",
			in("fig1", "rnn", "loss", to(0.04)), claim.Contradicted, ""},
		{"fig1.uniform-pad.gated-beats-rnn", "by less than half",
			in("fig1", "gated", "loss", func(q question) float64 { return pick(q.x == 25, 0.35, keep) }),
			claim.Inconclusive, "not everywhere better by half"},
		{"fig1.uniform-pad.gated-beats-rnn", "but for one trial",
			in("fig1", "gated", "loss", func(q question) float64 {
				return pick(q.x == 25 && q.Number == 0,
					0.7, keep)
			}),
			claim.Inconclusive, "not everywhere better by half"},
		{"fig1.uniform-pad.gated-beats-rnn", "plain RNNs are better at 40",
			both(in("fig1", "gated", "loss", func(q question) float64 { return pick(q.x == 40, 0.2, keep) }),
				in("fig1", "rnn", "loss", func(q question) float64 { return pick(q.x == 40, 0.01, keep) })),
			claim.Contradicted, ""},
		{"fig1.uniform-pad.gated-beats-rnn", "plain RNNs are better at 10, which is not moderate",
			both(in("fig1", "gated", "loss", func(q question) float64 { return pick(q.x == 10, 0.2, keep) }),
				in("fig1", "rnn", "loss", func(q question) float64 { return pick(q.x == 10, 0.01, keep) })),
			claim.Reproduced, ""},
		{"fig1.uniform-pad.rnn-fails", "from 25 zeros on",
			in("fig1", "rnn", "loss", func(q question) float64 { return pick(q.x == 10, 0.01, keep) }),
			claim.Inconclusive, "from 25 zeros on"},
		{"fig1.uniform-warp.leaky-learns-the-time-scale", "by rounding only",
			in("fig1", "leaky", "leak_bias", func(q question) float64 { return 2 + 1e-6*q.x }),
			claim.Contradicted, "0 of 700 pairs"},
		{"fig1.uniform-warp.leaky-learns-the-time-scale", "up to 70",
			in("fig1", "leaky", "leak_bias", func(q question) float64 { return pick(q.x > 70, 3, keep) }),
			claim.Inconclusive, "some pairs"},
		{"fig1.uniform-warp.leaky-learns-the-time-scale", "solved up to 25",
			in("fig1", "leaky", "", func(q question) float64 { return pick(q.x > 25, 1.5, keep) }),
			claim.Reproduced, "75 of 75 pairs"},
		{"fig1.uniform-warp.leaky-learns-the-time-scale", "solved at 1 only",
			in("fig1", "leaky", "loss", func(q question) float64 { return pick(q.x > 1, 0.5, keep) }),
			claim.Inconclusive, "too few"},
		{"fig1.uniform-warp.leaky-learns-the-time-scale", "two trials at 1 and at 10 solve it",
			in("fig1", "leaky", "loss", func(q question) float64 { return pick(q.x > 10 || q.Number > 1, 0.5, keep) }),
			claim.Inconclusive, "too few"},
		{"fig1.variable-warp.gates-follow-the-clock", "by a factor of 2",
			in("fig1", "gated", "gate_elsewhere", to(0.45)), claim.Inconclusive, "less than a factor of 3"},
		{"fig1.variable-warp.gates-follow-the-clock", "not at 10, where the warping is not moderate, nor at 100, " +
			"which is not solved",
			in("fig1",
				"gated", "", func(q question) float64 {
					return pick(q.x == 10 && q.name != "test_loss" || q.x == 100,
						1, keep)
				}),
			claim.Reproduced, "25 gated RNNs"},
		{"fig1.variable-warp.gates-follow-the-clock", "two trials solve it",
			in("fig1", "gated", "loss", func(q question) float64 {
				return pick(q.x > 1 && (q.x != 55 || q.Number > 1),
					0.5, keep)
			}),
			claim.Inconclusive, "too few"},

		{"fig3.copy500.beats-standard", "at 45 %", ends("copy500", "chrono", 0.45), claim.Reproduced, "chrono 45"},
		{"fig3.copy500.beats-standard", "at 50 %", ends("copy500", "chrono", 0.5), claim.Inconclusive,
			"not better by " +
				"half"},
		{"fig3.copy500.beats-standard", "worse, but neither has learned anything",
			both(ends("copy500", "chrono", 1.3), ends("copy500", "standard", 1)), claim.Inconclusive, claim.NothingLearned},
		{"fig3.copy500.beats-standard", "but for one trial of standard",
			in("copy500", "standard", "", func(q question) float64 { return pick(q.Number == 2, 0.001, keep) }),
			claim.Inconclusive, "in every trial"},
		{"fig3.copy500.beats-standard", "a spike at the end",
			in("copy500", "", "", func(q question) float64 {
				return pick(q.done == 1, 3,
					keep)
			}), claim.Reproduced, "chrono 1, "},
		{"fig3.copy500.no-plateau", "at 89 %", ends("copy500", "chrono", 0.89), claim.Reproduced, ""},
		{"fig3.copy500.no-plateau", "at 93 %, and standard at 80 %",
			both(ends("copy500", "chrono", 0.93), ends("copy500", "standard", 0.8)), claim.Inconclusive, someTrials},
		{"fig3.copy500.no-plateau", "at 96 %, and standard at 80 %",
			both(ends("copy500", "chrono", 0.96), ends("copy500", "standard", 0.8)), claim.Contradicted, ""},
		{"fig3.copy500.no-plateau", "at 96 %, as standard", ends("copy500", "chrono", 0.96), claim.Inconclusive,
			claim.NothingLearned},
		{"fig3.copy.standard-beats-memoryless", "with T = 2000 only", ends("copy500", "standard", 1),
			claim.Reproduced, "T " +
				"= 2000"},
		{"fig3.copy.standard-beats-memoryless", "chrono solves T = 500 only",
			both(in("copy500", "standard", "", to(1)), in("copy2000", "", "", to(1))),
			claim.Inconclusive, "contradicted (copy, T = 500), inconclusive: too short"},
		{"fig3.varcopy500.even", "standard at 4 %", ends("varcopy500", "standard", 0.04), claim.Reproduced, ""},
		{"fig3.varcopy500.even", "standard at 7 %", ends("varcopy500", "standard", 0.07), claim.Contradicted, ""},
		{"fig3.varcopy500.both-well", "standard at 40 %", ends("varcopy500", "standard", 0.4), claim.Reproduced, ""},
		{"fig3.varcopy500.both-well", "standard at 60 %", ends("varcopy500", "standard", 0.6), claim.Contradicted, ""},
		{"fig3.varcopy.same-weights", "one distance differs in one trial",
			in("varcopy1000", "chrono", "loss@600", func(q question) float64 {
				return pick(q.Number == 0,
					0.08, keep)
			}),
			claim.Inconclusive, someTrials},
		{"fig3.varcopy.same-weights", "the first distance differs in one trial",
			in("varcopy1000", "", "loss@200", func(q question) float64 { return pick(q.Number == 0, 0.08, keep) }),
			claim.Inconclusive, someTrials},
		{"fig3.varcopy.same-weights", "one distance differs in a trial that has not learned the task",
			in("varcopy500", "", "", func(q question) float64 {
				return pick(q.Number == 0, pick(q.name == "loss@100", 0.9, 0.3), keep)
			}), claim.Reproduced, "7 models"},
		{"fig3.spikes.harmless", "too many in one curve",
			in("adding200", "chrono", record.Train, func(q question) float64 {
				return pick(q.Number == 0 && q.done > 0.2 && math.Mod(math.Round(100*q.done), 10) == 0, 1, keep)
			}), claim.Inconclusive, "in some curves only"},
		{"fig3.spikes.harmless", "one trial ends in divergence",
			in("adding200", "chrono", record.Train, func(q question) float64 {
				return pick(q.Number == 0 && q.done > 0.5, math.NaN(), keep)
			}), claim.Inconclusive, "in some curves only"},
		{"fig3.spikes.harmless", "and a steep fall at the start, which is none",
			in("copy2000", "", record.Train, func(q question) float64 { return pick(q.done == 0.01, 20, keep) }),
			claim.Reproduced, "1 of 36 curves"},
		{"fig3.spikes.harmless", "and noise, which is none",
			in("copy2000", "standard", record.Train, func(q question) float64 {
				return pick(math.Mod(math.Round(100*q.done), 3) == 0, 1.3, keep)
			}), claim.Reproduced, "1 of 36 curves"},
		{"fig3.spikes.harmless", "and many that are invisible",
			in("adding200", "chrono", record.Train, func(q question) float64 {
				return pick(q.done > 0.2, pick(math.Mod(math.Round(100*q.done), 3) == 0, 1e-3, 1e-6), keep)
			}), claim.Reproduced, "1 of 36 curves"},

		{"fig4.adding750.faster", "standard has not begun", fall(2, 0.7), claim.Reproduced,
			"standard ≥ 40000, ratio ≥ 1.43"},
		{"fig4.adding750.faster", "standard is halfway",
			both(in("adding750", "standard", "", func(q question) float64 {
				return pick(q.done > 0.5,
					0.4, keep)
			}), fall(2, 0.7)),
			claim.Inconclusive, "not twice as fast"},
		{"fig4.adding750.faster", "standard is halfway for long, and converges late",
			both(in("adding750", "standard", "", func(q question) float64 {
				return pick(q.done < 0.8,
					0.4, keep)
			}), fall(0.8, 0.4)),
			claim.Reproduced, "ratio 2"},
		{"fig4.adding750.faster", "chrono does not converge", fall(0.5, 2), claim.Contradicted, "chrono ≥ 40000"},
		{"fig4.adding750.faster", "but for one trial",
			both(in("adding750", "chrono", "", func(q question) float64 {
				return pick(q.Number == 0,
					1, keep)
			}), fall(0.9, 0.1)),
			claim.Inconclusive, someOverlap},
		{"fig4.adding750.7x", "5 times", fall(0.5, 0.1), claim.Reproduced, "ratio 5"},
		{"fig4.adding750.7x", "20 times", fall(1, 0.05), claim.Reproduced, "ratio 20"},
		{"fig4.adding750.7x", "10 times or more", fall(2, 0.1), claim.Reproduced, "ratio ≥ 10"},
		{"fig4.adding750.7x", "twice or more", fall(2, 0.5), claim.Inconclusive, "too short"},
		{"fig4.adding750.7x", "more than 6 times, but for one trial",
			both(in("adding750", "standard", "", func(q question) float64 {
				return pick(q.Number == 0, pick(q.done < 0.05, 1, 0.01), keep)
			}), fall(0.9, 0.1)), claim.Inconclusive, someOverlap},
		{"fig4.adding750.7x", "4 times", fall(0.4, 0.1), claim.Inconclusive, "less than 5"},
		{"fig4.adding750.7x", "3 times", fall(0.3, 0.1), claim.Contradicted, "ratio 3"},
		{"fig4.adding750.7x", "chrono does not converge", fall(0.5, 2), claim.Contradicted, ""},
		{"fig4.adding750.7x", "nothing converges", fall(2, 2), claim.Inconclusive, "too short"},
		{"fig4.adding750.outperforms", "but for one trial",
			in("adding750", "chrono", "", func(q question) float64 { return pick(q.Number == 1, 1, keep) }),
			claim.Inconclusive, "in every trial"},

		{"fig5.networks.decent", "one trial is not",
			in("fig5", "leaky", "accuracy", func(q question) float64 {
				return pick(q.times == 10 && q.Number == 0,
					0.64, keep)
			}),
			claim.Inconclusive, someTrials},
		{"fig5.networks.decent", "70 % where 45 % are free",
			in("fig5", "rnn", "dummy@", func(q question) float64 {
				return pick(q.name[0] != 'l' && q.times == 10,
					0.45, keep)
			}),
			claim.Inconclusive, "contradicted (rate 1e-3, short tests / "},
		{"fig5.networks.not-perfect", "ours does not " +
			"count", in("fig5", "gated", "accuracy", to(1)), claim.Reproduced, "gated 100"},
		{"fig5.chrono.from-100-to-75", "from 99 %",
			eitherChrono(func(q question) float64 { return pick(q.times == 1, 0.99, keep) }),
			claim.Contradicted, "chrono 99"},
		{"fig5.chrono.from-100-to-75", "from 99 %, with one Tmax",
			in("fig5", "chrono", "accuracy", func(q question) float64 { return pick(q.times == 1, 0.99, keep) }),
			claim.Inconclusive, "contradicted (rate 1e-3, short tests, Tmax as trained / "},
		{"fig5.chrono.from-100-to-75", "to 60 %",
			eitherChrono(func(q question) float64 { return pick(q.times == 10, 0.6, keep) }),
			claim.Contradicted, "chrono 60"},
		{"fig5.rnn.below-80", "one trial at 81 %",
			in("fig5", "rnn", "accuracy", func(q question) float64 {
				return pick(q.times == 1 && q.Number == 0,
					0.81, keep)
			}),
			claim.Inconclusive, someTrials},
		{"fig5.chrono.better-than-rnn", "but for one trial",
			eitherChrono(func(q question) float64 { return pick(q.Number == 0, 0.5, keep) }),
			claim.Inconclusive, "their trials overlap"},
		{"fig5.chrono.falls-faster", "by less than a point",
			eitherChrono(func(q question) float64 { return pick(q.times == 10, 0.91, keep) }),
			claim.Inconclusive, "less than one point apart"},
		{"fig5.rnn.flatter", "but for one trial",
			in("fig5", "rnn", "accuracy", func(q question) float64 {
				return pick(q.times == 10 && q.Number == 0,
					0.4, keep)
			}),
			claim.Inconclusive, "their trials overlap"},
	} {
		w := world(func(q question) float64 { return pick(c.change(q) != keep, c.change(q), asThePaperSays(q)) })
		j := judgement(t, w.records(t, experiment.Options{Scale: "paper"}), c.id)
		if j.Verdict != c.want || !strings.Contains(j.Why+"; "+strings.Join(j.Found, "; "), c.says) {
			t.Errorf("%s, %s: %v because %q: %s\nwant %v, %q", c.id, c.what, j.Verdict, j.Why, j.Found, c.want, c.says)
		}
	}
}
