package warp_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
	"github.com/warptime/warptime/replication/worlds"
)

// A change of a world gives an answer in place of one, or keep.
type change = worlds.Answer

type question = worlds.Question

var keep = math.Inf(-1)

// in changes answers about an arm ("" for all) in a figure or panel, whose names hold this.
func in(place, arm, name string, value change) change {
	return func(q question) float64 {
		if (q.Figure == place || q.Panel == place) && (arm == "" || q.Is(arm)) && strings.Contains(q.Name, name) {
			return value(q)
		}
		return keep
	}
}

func both(a, b change) change {
	return func(q question) float64 { return pick(a(q) != keep, a(q), b(q)) }
}

func to(value float64) change { return func(question) float64 { return value } }

// eitherChrono changes the accuracies of Figure 5's chrono networks, whatever their Tmax.
func eitherChrono(value change) change {
	return both(in("fig5", "chrono", "accuracy", value), in("fig5", "chrono-tested", "accuracy", value))
}

// ends lets a training curve fall to there, and no lower.
func ends(panel, arm string, at float64) change {
	return in(panel, arm, "", func(q question) float64 { return pick(worlds.LSTMCurve(q) < 1, at, keep) })
}

// fall lets the errors at T = 750 fall to nothing after these parts of the updates.
func fall(standard, chrono float64) change {
	return in("adding750", "", "", func(q question) float64 {
		return pick(q.Done >= pick(q.Is("standard"), standard, chrono), 0.01, 1)
	})
}

// safeAt lets arms of a panel of Safe ("" for all) learn after a part of the updates, where they have this x.
func safeAt(panel string, x, part float64, arms ...string) change {
	return func(q question) float64 {
		if q.Figure == warp.BeyondSafe.Name && (panel == "" || q.Panel == panel) && q.Sweep == x && q.Is(arms...) {
			return worlds.LearnsAfter(q, part)
		}
		return keep
	}
}

func pick(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

// Where the lines are drawn: in the paper's world, but for one thing. In Figure 1 of ours, 2 is never.
func TestWhereTheLinesAre(t *testing.T) {
	atLargest := func(arm string, value func(q question) float64) change {
		return in(warp.BeyondGates.Name, arm, "loss", func(q question) float64 {
			return pick(q.Sweep == 100, value(q), keep)
		})
	}
	oneFails := func(q question) float64 { return pick(q.Number == 0 && q.Sweep == 100, 0.6, 0.01) }
	for _, c := range []struct {
		id, what string
		change   change
		want     claim.Answer
		says     string // the reason or the numbers
	}{
		{"fig1.uniform-warp.gated-perfect", "one trial fails at one value",
			in("fig1", "gated", "loss", func(q question) float64 {
				return pick(q.Sweep == 50 && q.Number == 1, 0.051, 0.049)
			}),
			claim.Inconclusive, "only some trials"},
		{"fig1.uniform-warp.gated-perfect", "all trials fail at one value",
			in("fig1", "gated", "loss", func(q question) float64 { return pick(q.Sweep == 50, 0.051, 0.049) }),
			claim.Contradicted, "5.1 at 50"},
		{"fig1.uniform-warp.gated-perfect", "all fail at one rate, at which plain RNNs learn",
			in("uniform-warp", "gated", "loss", to(0.06)), claim.Depends, "contradicted at rate 1e-3"},
		{"fig1.variable-pad.leaky-suboptimal", "at the largest value only",
			in("fig1", "leaky", "loss", func(q question) float64 { return pick(q.Sweep == 100, 0.051, 0.049) }),
			claim.Reproduced, "5.1 at 100"},
		{"fig1.variable-pad.leaky-suboptimal", "in some trials",
			in("fig1", "leaky", "loss", func(q question) float64 { return 0.009 + 0.02*float64(q.Number) }),
			claim.Inconclusive, "only some trials"},
		{"fig1.variable-pad.leaky-suboptimal", "by 7 % more than gated ones", in("fig1", "leaky", "loss",
			func(q question) float64 { return 0.045 + 0.02*float64(q.Number) }), claim.Reproduced, "leaky 8.5 "},
		{"fig1.variable-pad.leaky-suboptimal", "by 4 % more", in("fig1", "leaky", "loss", to(0.045)),
			claim.Contradicted, "leaky 4.5 at 1"},
		{"fig1.uniform-pad.leaky-gated-overlap", "one trial fails",
			both(in("fig1", "leaky", "loss", oneFails), in(warp.BeyondPlain.Name, "", "loss", oneFails)),
			claim.Inconclusive, "the trials overlap"},
		{"fig1.uniform-pad.leaky-perfect", "from other weights only", in("fig1", "leaky", "loss", to(0.6)),
			claim.Depends, "reproduced from orthogonal weights"},
		{"fig1.uniform-warp.leaky-time-scale-value", "a quarter of it", in("fig1", "leaky", "leak_bias",
			func(q question) float64 { return 1 + q.Sweep/4 }), claim.Contradicted, "26 at 100"},
		{"fig1.uniform-warp.leaky-time-scale-value", "in one unit", in("fig1", "leaky", "leak_bias",
			func(q question) float64 { return pick(q.Place == 0, q.Sweep, 2) }), claim.Depends,
			"slowest unit in steps, 25 at 25"},
		{"fig1.uniform-warp.leaky-learns-the-time-scale", "in one unit", in("fig1", "leaky", "leak_bias",
			func(q question) float64 { return pick(q.Place == 0, q.Sweep, 2) }), claim.Depends, "0 of 375 pairs"},
		{"fig1.uniform-warp.gated-beats-rnn", "plain RNNs fail from 75 on",
			in("fig1", "rnn", "loss", func(q question) float64 { return pick(q.Sweep < 55, 1e-9, keep) }),
			claim.Reproduced, "0 at 50, 60.1 [60, 60.2] at 75"},
		{"fig1.uniform-warp.gated-beats-rnn", "one plain RNN fails",
			in("fig1", "rnn", "loss", func(q question) float64 { return pick(q.Number > 0, 1e-9, keep) }),
			claim.Inconclusive, "only some RNNs fail"},
		{"fig1.uniform-warp.gated-beats-rnn", "invisibly",
			in("fig1", "rnn", "loss", to(0.04)), claim.Contradicted, ""},
		{"fig1.uniform-warp.gated-beats-rnn", "by less than half",
			in("fig1", "gated", "loss", func(q question) float64 { return pick(q.Sweep == 25, 0.35, keep) }),
			claim.Inconclusive, "not everywhere better by half"},
		{"fig1.uniform-warp.gated-beats-rnn", "but for one trial",
			in("fig1", "gated", "loss", func(q question) float64 {
				return pick(q.Sweep == 25 && q.Number == 0, 0.7, keep)
			}),
			claim.Inconclusive, "not everywhere better by half"},
		{"fig1.uniform-warp.gated-beats-rnn", "plain RNNs are better at 50",
			both(in("fig1", "gated", "loss", func(q question) float64 { return pick(q.Sweep == 50, 0.2, keep) }),
				in("fig1", "rnn", "loss", func(q question) float64 { return pick(q.Sweep == 50, 0.01, keep) })),
			claim.Contradicted, ""},
		{"fig1.uniform-warp.gated-beats-rnn", "plain RNNs are better at 10, which is not moderate",
			both(in("fig1", "gated", "loss", func(q question) float64 { return pick(q.Sweep == 10, 0.2, keep) }),
				in("fig1", "rnn", "loss", func(q question) float64 { return pick(q.Sweep == 10, 0.01, keep) })),
			claim.Reproduced, ""},
		{"fig1.variable-warp.gated-beats-rnn", "plain RNNs learn it from the identity",
			in(warp.BeyondPlain.Name, "identity", "loss", to(0.01)), claim.Depends, "contradicted from the identity"},
		{"fig1.uniform-pad.rnn-fails", "from 25 zeros on",
			in("fig1", "rnn", "loss", func(q question) float64 { return pick(q.Sweep == 10, 0.01, keep) }),
			claim.Depends, "no RNN learns with 12 zeros"}, // in the figure of other paddings
		{"fig1.uniform-pad.rnn-fails", "from 55 zeros on",
			both(in("fig1", "rnn", "loss", func(q question) float64 { return pick(q.Sweep < 55, 0.01, keep) }),
				in(warp.BeyondPlain.Name, "", "loss", to(0.01))),
			claim.Contradicted, "every RNN learns with 40 zeros"},
		{"fig1.uniform-pad.rnn-fails", "one of five learns with 10 zeros",
			in("fig1", "rnn", "loss", func(q question) float64 {
				return pick(q.Sweep == 10 && q.Number == 0, 0.01, keep)
			}), claim.Depends, "only some trials"},
		{"fig1.uniform-warp.leaky-learns-the-time-scale", "by rounding only",
			in("fig1", "leaky", "leak_bias", func(q question) float64 { return 2 + 1e-6*q.Sweep }),
			claim.Contradicted, "0 of 375 pairs"},
		{"fig1.uniform-warp.leaky-learns-the-time-scale", "up to 75",
			in("fig1", "leaky", "leak_bias", func(q question) float64 { return pick(q.Sweep > 75, 3, keep) }),
			claim.Inconclusive, "some pairs"},
		{"fig1.uniform-warp.leaky-learns-the-time-scale", "solved up to 25",
			in("fig1", "leaky", "", func(q question) float64 { return pick(q.Sweep > 25, 1.5, keep) }),
			claim.Reproduced, "75 of 75 pairs"},
		{"fig1.uniform-warp.leaky-learns-the-time-scale", "solved at 1 only",
			in("fig1", "leaky", "loss", func(q question) float64 { return pick(q.Sweep > 1, 0.5, keep) }),
			claim.Inconclusive, "too few"},
		{"fig1.uniform-warp.leaky-learns-the-time-scale", "two trials at 1 and at 10 solve it",
			in("fig1", "leaky", "loss", func(q question) float64 {
				return pick(q.Sweep > 10 || q.Number > 1, 0.5, keep)
			}),
			claim.Inconclusive, "too few"},
		{"fig1.variable-pad.gates-follow-the-clock", "by a factor of 2",
			in("fig1", "gated", "gate_elsewhere", to(0.45)), claim.Contradicted, "gates of 0 units"},
		{"fig1.variable-pad.gates-follow-the-clock", "in one unit", in("fig1", "gated", "gate_elsewhere",
			func(q question) float64 { return pick(q.Place == 0, 0.1, 0.9) }), claim.Reproduced, "gates of 1 units"},
		{"fig1.variable-pad.gates-follow-the-clock", "in some networks", in("fig1", "gated", "gate_elsewhere",
			func(q question) float64 { return pick(q.Number == 0, 0.1, 0.9) }), claim.Inconclusive,
			"only some networks"},
		{"fig1.variable-pad.gates-follow-the-clock", "not at 10, where the warping is not moderate, nor at 100, " +
			"which is not solved",
			in("fig1",
				"gated", "", func(q question) float64 {
					return pick(q.Sweep == 10 && q.Name != "test_loss" || q.Sweep == 100, 1, keep)
				}),
			claim.Reproduced, "15 gated RNNs"},
		{"fig1.variable-pad.gates-follow-the-clock", "two trials solve it",
			in("fig1", "gated", "loss", func(q question) float64 {
				return pick(q.Sweep > 1 && (q.Sweep != 50 || q.Number > 1), 0.5, keep)
			}),
			claim.Inconclusive, "too few"},

		{"fig3.copy500.beats-standard", "at 45 %", ends("copy500", "chrono", 0.45), claim.Reproduced, "chrono 45"},
		{"fig3.copy500.beats-standard", "at 50 %", ends("copy500", "chrono", 0.5), claim.Inconclusive,
			"not better by " +
				"half"},
		{"fig3.copy500.beats-standard", "worse, but neither has learned anything",
			both(ends("copy500", "chrono", 1.3), ends("copy500", "standard", 1)), claim.Inconclusive,
			claim.NothingLearned},
		{"fig3.copy500.beats-standard", "but for one trial of standard",
			in("copy500", "standard", "", func(q question) float64 { return pick(q.Number == 2, 0.001, keep) }),
			claim.Inconclusive, "in every trial"},
		{"fig3.copy500.beats-standard", "a spike at the end",
			in("copy500", "", "", func(q question) float64 {
				return pick(q.Done == 1, 3, keep)
			}), claim.Reproduced, "chrono 1, "},
		{"fig3.copy500.no-plateau", "at 89 %", ends("copy500", "chrono", 0.89), claim.Reproduced, ""},
		{"fig3.copy500.no-plateau", "at 93 %, and standard at 80 %",
			both(ends("copy500", "chrono", 0.93), ends("copy500", "standard", 0.8)), claim.Inconclusive,
			"only some trials"},
		{"fig3.copy500.no-plateau", "at 96 %, and standard at 80 %",
			both(ends("copy500", "chrono", 0.96), ends("copy500", "standard", 0.8)), claim.Contradicted, ""},
		{"fig3.copy500.no-plateau", "at 96 %, as standard", ends("copy500", "chrono", 0.96), claim.Inconclusive,
			claim.NothingLearned},
		{"fig3.copy.standard-beats-memoryless", "with no T",
			both(in("copy500", "standard", "", to(1)), in("copy2000", "standard", "", to(1))),
			claim.Contradicted, ""},
		{"fig3.copy.standard-beats-memoryless", "with T = 2000 only", ends("copy500", "standard", 1),
			claim.Reproduced, "T " +
				"= 2000"},
		{"fig3.copy.standard-beats-memoryless", "chrono solves T = 500 only",
			both(in("copy500", "standard", "", to(1)), in("copy2000", "", "", to(1))), claim.Contradicted,
			"standard's lowest loss in % of the memoryless loss 100"},
		{"fig3.copy.standard-beats-memoryless", "for a while",
			both(in("copy500", "standard", "", func(q question) float64 { return pick(q.Done == 0.5, 0.8, 1) }),
				in("copy2000", "", "", to(1))),
			claim.Inconclusive, "for a while"},
		{"fig3.copy500.beats-standard", "standard still falls",
			in("copy500", "standard", "", func(q question) float64 { return 1 - 0.5*q.Done }),
			claim.Inconclusive, "standard is still improving"},
		{"fig3.varcopy500.even", "standard at 4 %", ends("varcopy500", "standard", 0.04), claim.Reproduced, ""},
		{"fig3.varcopy500.even", "standard at 7 %", ends("varcopy500", "standard", 0.07), claim.Contradicted, ""},
		{"fig3.varcopy500.both-well", "standard at 40 %", ends("varcopy500", "standard", 0.4), claim.Reproduced, ""},
		{"fig3.varcopy500.both-well", "standard at 60 %", ends("varcopy500", "standard", 0.6), claim.Contradicted, ""},
		{"fig3.varcopy.same-weights", "one distance differs in one trial",
			in("varcopy1000", "chrono", "loss@", func(q question) float64 {
				return pick(q.At == 600 && q.Number == 0, 0.08, keep)
			}),
			claim.Inconclusive, "only some trials"},
		{"fig3.varcopy.same-weights", "the first distance differs in one trial",
			in("varcopy1000", "", "loss@", func(q question) float64 {
				return pick(q.At == 200 && q.Number == 0, 0.08, keep)
			}),
			claim.Inconclusive, "only some trials"},
		{"fig3.varcopy.same-weights", "one distance differs in a trial that has not learned the task",
			in("varcopy500", "", "", func(q question) float64 {
				return pick(q.Number == 0, pick(q.At == 100, 0.7, 1), keep)
			}), claim.Reproduced, "7 models"},
		{"fig3.varcopy.same-weights", "nothing is learned in one panel", in("varcopy1000", "", "", to(1)),
			claim.Inconclusive, "too few trials learn"},
		{"text.spikes-harmless", "one trial diverges at the end",
			in("adding200", "chrono", record.Train, func(q question) float64 {
				return pick(q.Number == 0 && q.Done > 0.95, math.NaN(), keep)
			}), claim.Inconclusive, "in some curves only"},
		{"text.spikes-harmless", "too many in one curve",
			in("adding200", "chrono", record.Train, func(q question) float64 {
				return pick(q.Number == 0 && q.Done > 0.2 && math.Mod(math.Round(100*q.Done), 10) == 0, 1, keep)
			}), claim.Inconclusive, "in some curves only"},
		{"text.spikes-harmless", "one trial ends in divergence",
			in("adding200", "chrono", record.Train, func(q question) float64 {
				return pick(q.Number == 0 && q.Done > 0.5, math.NaN(), keep)
			}), claim.Inconclusive, "in some curves only"},
		{"text.spikes-harmless", "and a steep fall at the start, which is none",
			in("copy2000", "", record.Train, func(q question) float64 { return pick(q.Done == 0.01, 20, keep) }),
			claim.Reproduced, "2 of 36 curves"},
		{"text.spikes-harmless", "and noise, which is none",
			in("copy2000", "standard", record.Train, func(q question) float64 {
				return pick(math.Mod(math.Round(100*q.Done), 3) == 0, 1.3, keep)
			}), claim.Reproduced, "2 of 36 curves"},
		{"text.spikes-harmless", "and many that are invisible",
			in("adding200", "chrono", record.Train, func(q question) float64 {
				return pick(q.Done > 0.2, pick(math.Mod(math.Round(100*q.Done), 3) == 0, 1e-3, 1e-6), keep)
			}), claim.Reproduced, "2 of 36 curves"},

		{"fig4.adding750.faster", "standard has not begun", fall(2, 0.7), claim.Reproduced,
			"standard ≥ 60000 (to half ≥ 60000), ratio ≥ 1.43"},
		{"fig4.adding750.faster", "standard is halfway",
			both(in("adding750", "standard", "", func(q question) float64 {
				return pick(q.Done > 0.5, 0.4, keep)
			}), fall(2, 0.7)),
			claim.Inconclusive, "not twice as fast"},
		{"fig4.adding750.faster", "standard is halfway for long, and converges late",
			both(in("adding750", "standard", "", func(q question) float64 {
				return pick(q.Done < 0.8, 0.4, keep)
			}), fall(0.8, 0.4)),
			claim.Reproduced, "ratio 2"},
		{"fig4.adding750.faster", "chrono does not converge", fall(0.5, 2), claim.Contradicted, "chrono ≥ 60000"},
		{"fig4.adding750.faster", "but for one trial",
			both(in("adding750", "chrono", "", func(q question) float64 {
				return pick(q.Number == 0, 1, keep)
			}), fall(0.9, 0.1)),
			claim.Inconclusive, "as fast as some of chrono"},
		{"fig4.adding750.faster", "but for one trial, and standard does not",
			both(in("adding750", "chrono", "", func(q question) float64 {
				return pick(q.Number == 0, 1, keep)
			}), fall(2, 0.1)), claim.Inconclusive, "too short"},
		{"fig4.adding750.7x", "5 times", fall(0.5, 0.1), claim.Reproduced, "ratio 5"},
		{"fig4.adding750.7x", "20 times", fall(1, 0.05), claim.Contradicted, "ratio 20"},
		{"fig4.adding750.7x", "10 times", fall(1, 0.1), claim.Inconclusive, "neither about seven"},
		{"fig4.adding750.7x", "10 times or more", fall(2, 0.1), claim.Inconclusive, "too short"},
		{"fig4.adding750.7x", "20 times or more", fall(2, 0.05), claim.Contradicted, "ratio ≥ 20"},
		{"fig4.adding750.7x", "twice or more", fall(2, 0.5), claim.Inconclusive, "too short"},
		{"fig4.adding750.7x", "more than 6 times, but for one trial",
			both(in("adding750", "standard", "", func(q question) float64 {
				return pick(q.Number == 0, pick(q.Done < 0.08, 1, 0.01), keep)
			}), fall(0.9, 0.1)), claim.Inconclusive, "as fast as some of chrono"},
		{"fig4.adding750.7x", "4 times", fall(0.4, 0.1), claim.Inconclusive, "neither about seven"},
		{"fig4.adding750.7x", "3 times", fall(0.3, 0.1), claim.Contradicted, "ratio 3"},
		{"fig4.adding750.7x", "chrono does not converge", fall(0.5, 2), claim.Contradicted, ""},
		{"fig4.adding750.7x", "nothing converges", fall(2, 2), claim.Inconclusive, "too short"},
		{"fig4.adding750.outperforms", "but for one trial",
			in("adding750", "chrono", "", func(q question) float64 { return pick(q.Number == 1, 1, keep) }),
			claim.Inconclusive, "in every trial"},

		{"fig5.networks.decent", "three trials are not",
			in("fig5", "leaky", "accuracy", func(q question) float64 {
				return pick(q.Times == 10 && q.Number < 3, 0.5, keep)
			}),
			claim.Inconclusive, "on both sides of the threshold"},
		{"fig5.networks.decent", "70 % where 45 % are free",
			in("fig5", "rnn", "dummy@", func(q question) float64 {
				return pick(q.Name[0] != 'l' && q.Times == 10, 0.45, keep)
			}),
			claim.Reproduced, "always answering the dummy is right at 45 %"},
		{"fig5.networks.not-perfect", "ours does not " +
			"count", in("fig5", "gated", "accuracy", to(1)), claim.Reproduced, "gated 100"},
		{"fig5.chrono.from-100-to-75", "from 99 %",
			eitherChrono(func(q question) float64 { return pick(q.Times == 1, 0.99, keep) }),
			claim.Contradicted, "chrono 99"},
		{"fig5.chrono.from-100-to-75", "from 99 %, with one Tmax",
			in("fig5", "chrono", "accuracy", func(q question) float64 { return pick(q.Times == 1, 0.99, keep) }),
			claim.Depends, "reproduced with Tmax as tested; contradicted with Tmax as trained"},
		{"fig5.chrono.from-100-to-75", "to 60 %",
			eitherChrono(func(q question) float64 { return pick(q.Times == 10, 0.6, keep) }),
			claim.Contradicted, "chrono 60"},
		{"fig5.rnn.below-80", "one trial at 99 %",
			in("fig5", "rnn", "accuracy", func(q question) float64 {
				return pick(q.Times == 1 && q.Number == 0, 0.99, keep)
			}),
			claim.Inconclusive, "on both sides of the threshold"},
		{"fig5.chrono.better-than-rnn", "but for one trial of five",
			eitherChrono(func(q question) float64 { return pick(q.Number%5 == 0, 0.5, keep) }),
			claim.Inconclusive, "less than a point"},
		{"fig5.chrono.falls-faster", "by less than a point",
			eitherChrono(func(q question) float64 { return pick(q.Times == 10, 0.91, keep) }),
			claim.Inconclusive, "less than a point"},
		{"fig5.rnn.flatter", "but for one trial of five",
			in("fig5", "rnn", "accuracy", func(q question) float64 {
				return pick(q.Times == 10 && q.Number%5 == 0, 0.4, keep)
			}),
			claim.Inconclusive, "less than a point"},

		{"text.forget-bias-1-2", "bias 2 is 1.7 times slower at T = 10", safeAt("lstm-copy", 10, 0.17, "bias2"),
			claim.Reproduced, "forget bias 2 5250 [5100, 5400], ratio 1.69"},
		{"text.forget-bias-1-2", "bias 2 is 2.5 times slower at T = 10", safeAt("lstm-copy", 10, 0.25, "bias2"),
			claim.Contradicted, ""},
		{"text.forget-bias-1-2", "in one trial of three at T = 10",
			func(q question) float64 {
				return pick(q.Number == 0, safeAt("lstm-copy", 10, 0.5, "bias2")(q), keep)
			},
			claim.Inconclusive, "on both sides of the threshold"},
		{"text.forget-bias-1-2", "not slower at T = 400 in adding", safeAt("lstm-adding", 400, 0.1, "bias1"),
			claim.Contradicted, ""},
		{"text.forget-bias-1-2", "never learns at T = 400", safeAt("lstm-adding", 400, 2, "bias1", "bias2"),
			claim.Reproduced, "forget bias 1 ≥ 20000, ratio ≥ 9"},
		{"text.forget-bias-1-2", "nor does chrono", safeAt("lstm-adding", 400, 2, "bias1", "bias2", "chrono"),
			claim.Inconclusive, "ratio unknown"},
		{"text.forget-bias-1-2", "not slower at T = 200, which is not the longest",
			safeAt("lstm-adding", 200, 0.1, "bias1", "bias2"), claim.Reproduced, ""},
		{"text.forget-bias-0", "neither learns at T = 400", safeAt("lstm-copy", 400, 2, "bias0", "bias1"),
			claim.Reproduced, "T = 200"},
		{"text.forget-bias-0", "bias 0 alone learns at T = 400", safeAt("lstm-copy", 400, 2, "bias1"),
			claim.Contradicted, "T = 400"},
		{"text.forget-bias-0", "bias 0 learns with bias 1", safeAt("lstm-copy", 400, 0.6, "bias0"),
			claim.Inconclusive, "the interval of the ratio holds 1"},
		{"text.gru", "not more than 1.5 times as fast in copy", safeAt("gru-copy", 200, 0.15, "bias1"),
			claim.Contradicted, "ratio 1.5"},
		{"text.gru", "about twice as fast in copy", safeAt("gru-copy", 200, 0.2, "bias1"), claim.Inconclusive,
			"on both sides of the threshold"},
		{"text.gru", "as fast at T = 50, which is not the longest", safeAt("", 50, 0.1, "bias1"), claim.Reproduced,
			""},
		{"text.gru", "slower in copy", safeAt("gru-copy", 200, 0.05, "bias1"), claim.Contradicted, ""},
		{"text.tmax-robust", "3 times Tmax is too much in copy", safeAt("tmax-copy", 3, 0.5, "chrono"),
			claim.Contradicted, "3 times Tmax 15300"},
		{"text.tmax-robust", "10 times Tmax is", safeAt("", 10, 0.5, "chrono"), claim.Depends,
			"reproduced within a factor of 3; contradicted within a factor of 10"},
		{"text.tmax-robust", "a third is never enough", safeAt("tmax-adding", 0.333333333333, 2, "chrono"),
			claim.Contradicted, "0.333 times Tmax ≥ 20000 (ratio ≥ 9"},
		{"text.tmax-robust", "nothing learns", func(q question) float64 {
			return pick(q.Figure == warp.BeyondSafe.Name, 1, keep)
		}, claim.Inconclusive, "on both sides of the threshold"},
		{"beyond-pixels.rate-closes-the-gap", "nothing learns at the higher rate",
			in(warp.BeyondPixels.Name, "", "", func(q question) float64 {
				return pick(strings.HasSuffix(q.Arm, "rate-4"), 0.11, keep)
			}), claim.Inconclusive, "nothing was learned"},
		{"text.unknown-time-scale", "three times slower at one T", safeAt("lstm-copy", 25, 0.3, "unknown"),
			claim.Contradicted, "T = 25"},
		{"text.unknown-time-scale", "nothing learns in one task", in("lstm-copy", "", "", to(1)),
			claim.Inconclusive, "not even chrono learns"},
		{"text.unknown-time-scale", "nothing learns at one T", safeAt("lstm-copy", 400, 2, "unknown", "chrono"),
			claim.Reproduced, "T = 400: ≥ 30000, with Tmax ≥ 30000"},

		{"text.learned-g", "it rises on the way", atLargest("network-16", to(0.2)), claim.Inconclusive, "on the way"},
		{"text.learned-g", "it rises by less than a point", atLargest("network-16", to(0.108)), claim.Reproduced,
			"10.8"},
		{"text.learned-g", "one trial is as bad", atLargest("network-64", func(q question) float64 {
			return pick(q.Number == 0, 0.4, 0.01)
		}), claim.Inconclusive, "overlap"},
		{"text.learned-g", "all are perfect", in(warp.BeyondGates.Name, "", "loss", func(q question) float64 {
			return 0.05 - 0.02*worlds.GateUnits(q)/64
		}), claim.Inconclusive, "perfect already"},
		{"text.one-gate-or-many", "by less than half", atLargest("one-gate", to(0.019)), claim.Inconclusive, "by half"},
		{"text.one-gate-or-many", "one trial with one gate learns", atLargest("one-gate", func(q question) float64 {
			return pick(q.Number == 0, 0.005, 0.6)
		}), claim.Inconclusive, "in every trial"},
		{"text.one-gate-or-many", "not at small values",
			in(warp.BeyondGates.Name, "one-gate", "loss", func(q question) float64 {
				return pick(q.Sweep == 10, 0, keep)
			}), claim.Reproduced, "at 55"},
	} {
		w := worlds.World{Answer: func(q question) float64 {
			return pick(c.change(q) != keep, c.change(q), worlds.Warp[0].Answer(q))
		}}
		j := judgement(t, w, c.id, nil)
		if said := j.Why + "; " + strings.Join(j.Found, "; "); j.Answer != c.want || !strings.Contains(said, c.says) {
			t.Errorf("%s, %s: %v because %q: %q\nwant %v, %q", c.id, c.what, j.Answer, j.Why, j.Found, c.want, c.says)
		}
	}
}

// judgement judges a claim by records of the figures that it is about, without those of a panel.
func judgement(t *testing.T, w worlds.World, id string, without []string) claim.Judgement {
	t.Helper()
	i := slices.IndexFunc(warp.Paper.Claims(), func(c claim.Claim) bool { return c.ID == "warp/"+id })
	if i < 0 {
		t.Fatalf("no claim %s", id)
	}
	c := warp.Paper.Claims()[i]
	about := []string{c.Figure()}
	for _, run := range c.DecidedBy {
		about = append(about, run.Figure)
	}
	figures := slices.DeleteFunc(warp.Paper.Trained(), func(f experiment.Figure) bool {
		return !slices.Contains(about, f.ID())
	})
	records := slices.DeleteFunc(w.Records(figures, experiment.Options{Scale: "paper"}), func(r *record.Record) bool {
		return slices.Contains(without, r.Panel)
	})
	return claim.Judge([]claim.Claim{c}, records)[0]
}
