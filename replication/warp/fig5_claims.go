package warp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Our choices of what is decent, "around 75 %", "100 %" and visible.
const (
	decentAccuracy  = 0.65
	around75Low     = 0.65
	around75High    = 0.85
	decentShare     = 0.5 // of the steps that always answering the dummy gets wrong
	accuracy100     = 0.995
	accuracy80      = 0.8
	onePoint        = 0.01
	learnedAccuracy = 0.9 // a network has learned something if its accuracy is at least this
)

const (
	generalizing = "Appendix A, On the generalization capacity of recurrent architectures"
	shortAndLong = bothRates + ", in short tests (as long as in training) and in long ones (ten of the longest warp)" +
		", with chrono's Tmax as trained and as tested"
	shared = "accuracies as shares of what always answering the dummy gets wrong: "
)

func fig5Claims() []claim.Claim {
	return []claim.Claim{
		{
			ID: "warp/fig5.networks.decent", Where: generalizing,
			Says: "Even with warps 10 times longer than trained on, all networks still have decent accuracy.",
			Criterion: "plain, leaky and chrono RNNs: at 10 times, accuracy of at least 65 %, and at least half of " +
				"what always answering the dummy gets wrong is right (its share)" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, decent),
		}, {
			ID: "warp/fig5.networks.not-perfect", Where: generalizing,
			Says:      "No network generalizes perfectly.",
			Criterion: "plain, leaky and chrono RNNs: at 10 times, accuracy of at most 99.5 %" + shortAndLong,
			Judge:     underEveryReading(lengths, tmaxes, notPerfect),
		}, {
			ID: "warp/fig5.chrono.from-100-to-75", Where: generalizing,
			Says: "Accuracy decreases from 100 % to around 75 %.",
			Criterion: "chrono, since plain RNNs are said never to be perfect: at least 99.5 % on the warps trained " +
				"on, and 65 to 85 % at 10 times" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, from100To75),
		}, {
			ID: "warp/fig5.rnn.below-80", Where: generalizing,
			Says:      "Plain RNNs are below 80 % even within the training range.",
			Criterion: "rnn: accuracy of at most 80 % on the warps trained on" + bothRates,
			Judge:     underEveryReading(lengths[:1], tmaxes[:1], below80),
		}, {
			ID: "warp/fig5.chrono.better-than-rnn", Where: generalizing,
			Says: "Overall, gated RNNs perform better than plain ones.",
			Criterion: shared + "averaged over all test warps, every chrono trial is above every plain RNN, on " +
				"average by a point" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, chronoAbovePlain(overall)),
		}, {
			ID: "warp/fig5.chrono.falls-faster", Where: generalizing,
			Says: "With warps 8 to 10 times longer than trained on, gated RNNs lose accuracy faster than plain ones.",
			Criterion: shared + "from 8 to 10 times, every chrono trial loses more than every plain RNN, on average " +
				"by a point" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, chronoAbovePlain(lostFrom8)),
		}, {
			ID: "warp/fig5.rnn.flatter", Where: generalizing,
			Says: "Beyond the training range, plain RNNs have a flatter performance.",
			Criterion: shared + "from the warps trained on to 10 times, every plain RNN loses less than every chrono " +
				"trial, on average by a point" + shortAndLong,
			Judge: underEveryReading(lengths, tmaxes, chronoAbovePlain(lost)),
		},
	}
}

func decent(n networks) claim.Finding {
	var answers []claim.Answer
	for _, arm := range n.theirs() {
		of := n.arms[arm]
		answers = append(answers, claim.AtLeast(of.at10, decentAccuracy), claim.AtLeast(of.share10, decentShare))
	}
	return claim.Found(claim.Every(answers...), someTrials, n.found(at10, share10)...)
}

func notPerfect(n networks) claim.Finding {
	var answers []claim.Answer
	for _, arm := range n.theirs() {
		answers = append(answers, claim.AtMost(n.arms[arm].at10, accuracy100))
	}
	return claim.Found(claim.Every(answers...), someTrials, n.found(at10)...)
}

func from100To75(n networks) claim.Finding {
	of := n.arms[n.chrono]
	around75 := claim.Every(claim.AtLeast(of.at10, around75Low), claim.AtMost(of.at10, around75High))
	return claim.Found(claim.Every(claim.AtLeast(of.trained, accuracy100), around75), someTrials,
		n.found(trained, at10)...)
}

func below80(n networks) claim.Finding {
	return claim.Found(claim.AtMost(n.arms[plain].trained, accuracy80), someTrials, n.found(trained)...)
}

// chronoAbovePlain judges that a quantity of the chrono network is visibly above the plain RNN's.
func chronoAbovePlain(q quantity) func(networks) claim.Finding {
	return func(n networks) claim.Finding {
		answer := claim.Below(q.of(n.arms[plain]), q.of(n.arms[n.chrono]), onePoint)
		return claim.Found(answer, "less than one point apart, or their trials overlap", n.found(q)...)
	}
}

var (
	plain    = rnn.arms[0]
	everyArm = []string{plain, leaky.arms[0], chronoArm, chronoTestedArm, gated.arms[0]}
)

// chronoTestedArm names the chrono network whose Tmax is the longest warp tested.
const chronoTestedArm = "chrono-tested"

// A tmax is a reading of which chrono network is the paper's: its arm, and what its Tmax is.
type tmax struct{ arm, name string }

var tmaxes = []tmax{{chronoArm, "Tmax as trained"}, {chronoTestedArm, "Tmax as tested"}}

// A length is a reading of how long the test sequences are: what is measured on them, and its name.
type length struct {
	accuracy, dummy record.Result
	name            string
}

var lengths = []length{{accuracy, dummy, "short tests"}, {longAccuracy, longDummy, "long tests"}}

// networks are what a panel of Figure 5 shows of each arm under one reading.
type networks struct {
	rate, under string // what the numbers are found under: the rate, and the rate with the length
	chrono      string // the arm that is read as the paper's chrono network
	arms        map[string]network
}

// A network is what is measured of an arm. A share is the part of the steps answered rightly among those that always
// answering the dummy gets wrong.
type network struct {
	trained, at10                     record.Spread // accuracies
	share10, overall, lostFrom8, lost record.Spread // shares
}

// A quantity is one of these, and what it is called in a statement.
type quantity struct {
	name string
	of   func(network) record.Spread
}

var (
	trained   = quantity{"accuracy on the warps trained on", func(n network) record.Spread { return n.trained }}
	at10      = quantity{"accuracy at 10 times", func(n network) record.Spread { return n.at10 }}
	share10   = quantity{"share right at 10 times", func(n network) record.Spread { return n.share10 }}
	overall   = quantity{"mean share right over all test warps", func(n network) record.Spread { return n.overall }}
	lostFrom8 = quantity{"share lost from 8 to 10 times", func(n network) record.Spread { return n.lostFrom8 }}
	lost      = quantity{"share lost since the warps trained on", func(n network) record.Spread { return n.lost }}
)

// underEveryReading judges Figure 5 at both rates, at these lengths and with these Tmax: the paper names none of them.
func underEveryReading(lengths []length, tmaxes []tmax, predicate func(networks) claim.Finding,
) func(claim.Evidence) claim.Finding {
	return claim.Judging(func(r claim.Reader) claim.Finding {
		var readings []claim.Reading
		for _, p := range Fig5.Panels {
			for _, l := range lengths {
				n := networks{p.Title, p.Title, "", map[string]network{}}
				if len(lengths) > 1 {
					n.under += ", " + l.name
				}
				for _, arm := range everyArm {
					n.arms[arm] = networkOf(r, p, arm, l)
				}
				var each []claim.Reading
				for _, m := range tmaxes {
					n.chrono = m.arm
					each = append(each, claim.Reading{
						Name: n.under + ", " + m.name, Learned: n.learned(), Finding: predicate(n),
					})
				}
				readings = append(readings, claim.Merged(n.under, each...)...)
			}
		}
		return claim.UnderEvery(readings...)
	})
}

func networkOf(r claim.Reader, p experiment.Panel, arm string, l length) network {
	declared, _ := p.Sizes[r.Scale].Declaration.(generalization)
	trials := r.Arm(Fig5.ID(), p.Name, arm)
	shares := func(accuracy, dummy record.Result) []float64 {
		shares, dummies := r.Values(trials.Accuracies(accuracy)), r.Values(trials.Accuracies(dummy))
		for k := range shares {
			shares[k] = (shares[k] - dummies[k]) / (1 - dummies[k])
		}
		return shares
	}
	at := func(longest int) []float64 {
		return shares(l.accuracy.At(float64(longest)), l.dummy.At(float64(longest)))
	}
	trained, at8, at10 := shares(accuracy, dummy), at(8*declared.trained), at(10*declared.trained)
	overall := make([]float64, len(trials))
	for _, longest := range declared.tested {
		for k, share := range at(longest) {
			overall[k] += share / float64(len(declared.tested))
		}
	}
	return network{
		trained:   r.Spread(trials.Accuracies(accuracy)),
		at10:      r.Spread(trials.Accuracies(l.accuracy.At(float64(10 * declared.trained)))),
		share10:   record.SpreadOf(at10),
		overall:   record.SpreadOf(overall),
		lostFrom8: difference(at8, at10),
		lost:      difference(trained, at10),
	}
}

func difference(from, to []float64) record.Spread {
	var values []float64
	for k := range from {
		values = append(values, from[k]-to[k])
	}
	return record.SpreadOf(values)
}

// theirs are the networks of the paper's figure.
func (n networks) theirs() []string { return []string{plain, leaky.arms[0], n.chrono} }

// learned tells whether any of the paper's networks is right at most steps of the warps that it was trained on.
func (n networks) learned() bool {
	return slices.ContainsFunc(n.theirs(), func(arm string) bool { return n.arms[arm].trained.Max >= learnedAccuracy })
}

// found has a statement for each quantity.
func (n networks) found(quantities ...quantity) []string {
	var found []string
	for _, q := range quantities {
		var values []string
		for _, arm := range everyArm {
			values = append(values, fmt.Sprintf("%s %v", arm, claim.Percent(q.of(n.arms[arm]))))
		}
		under := n.under
		if q.name == trained.name { // at both lengths the same
			under = n.rate
		}
		found = append(found, fmt.Sprintf("%s: %s in %% %s", under, q.name, strings.Join(values, ", ")))
	}
	return found
}
