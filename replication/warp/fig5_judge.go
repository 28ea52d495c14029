package warp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

var (
	plain    = rnn.arms[0]
	everyArm = []string{plain, leaky.arms[0], chronoArm, chronoTestedArm, gated.arms[0]}
)

// chronoTestedArm names the chrono network whose Tmax is the longest warp tested.
const chronoTestedArm = "chrono-tested"

// A tmax is a reading of which chrono network is the paper's: its arm, and what its Tmax is.
type tmax struct{ arm, name string }

var tmaxes = []tmax{{chronoArm, "Tmax as trained"}, {chronoTestedArm, "Tmax as tested"}}

// A length is a reading of how long the test sequences are: what the names of its results begin with, and its own.
type length struct{ prefix, name string }

var lengths = []length{{"", "short tests"}, {"long_", "long tests"}}

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
	return judging(func(r *reader) claim.Finding {
		var readings []reading
		for _, p := range Fig5.Panels {
			for _, l := range lengths {
				n := networks{p.Title, p.Title, "", map[string]network{}}
				if len(lengths) > 1 {
					n.under += ", " + l.name
				}
				for _, arm := range everyArm {
					n.arms[arm] = r.network(p, arm, l.prefix)
				}
				var each []reading
				for _, m := range tmaxes {
					n.chrono = m.arm
					each = append(each, reading{n.under + ", " + m.name, n.learned(), predicate(n)})
				}
				if first := each[0]; !slices.ContainsFunc(each, func(r reading) bool {
					return r.learned != first.learned || r.Finding != first.Finding
				}) {
					each = []reading{{n.under, first.learned, first.Finding}} // the same with every Tmax
				}
				readings = append(readings, each...)
			}
		}
		return underEvery(readings...)
	})
}

func (r *reader) network(p experiment.Panel, arm, prefix string) network {
	declared, _ := p.Sizes[r.Scale].Declaration.(generalization)
	trials := r.arm(Fig5, p, arm)
	at := func(warp int) string { return fmt.Sprintf("@%d", warp) }
	shares := func(prefix, at string) []float64 {
		shares, dummies := r.take(trials.Accuracies(prefix+"accuracy"+at)), r.take(trials.Accuracies(prefix+"dummy"+at))
		for k := range min(len(shares), len(dummies)) {
			shares[k] = (shares[k] - dummies[k]) / (1 - dummies[k])
		}
		return shares
	}
	trained, at8, at10 := shares("", ""), shares(prefix, at(8*declared.trained)),
		shares(prefix, at(10*declared.trained))
	overall := make([]float64, len(trials))
	for _, longest := range declared.tested {
		for k, share := range shares(prefix, at(longest)) {
			overall[k] += share / float64(len(declared.tested))
		}
	}
	return network{
		trained:   record.SpreadOf(r.take(trials.Accuracies("accuracy"))),
		at10:      record.SpreadOf(r.take(trials.Accuracies(prefix + "accuracy" + at(10*declared.trained)))),
		share10:   record.SpreadOf(at10),
		overall:   record.SpreadOf(overall),
		lostFrom8: difference(at8, at10),
		lost:      difference(trained, at10),
	}
}

func difference(from, to []float64) record.Spread {
	var values []float64
	for k := range min(len(from), len(to)) {
		values = append(values, from[k]-to[k])
	}
	return record.SpreadOf(values)
}

// theirs are the networks of the paper's figure.
func (n networks) theirs() []string { return []string{plain, leaky.arms[0], n.chrono} }

// learned tells whether any of the paper's networks is right at most steps of the warps that it was trained on.
func (n networks) learned() bool {
	return slices.ContainsFunc(n.theirs(), func(arm string) bool { return n.arms[arm].trained.Max >= mostSteps })
}

// found has a statement for each quantity.
func (n networks) found(quantities ...quantity) string {
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
	return strings.Join(found, "; ")
}
