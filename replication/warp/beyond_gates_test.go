package warp

import (
	"strconv"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
)

// unitsOf is the size of the network of an arm of Gates; 0 if it has none.
func unitsOf(q question) float64 {
	units, _ := strings.CutPrefix(q.Arm, "network-")
	n, err := strconv.Atoi(units)
	if err != nil {
		return 0
	}
	return float64(n)
}

// paperGates: the larger the gates' network, the better; one gate is far behind.
func paperGates(q question) float64 {
	switch n := unitsOf(q); {
	case n > 0:
		return 0.4 / n
	case q.is("one-gate"):
		return 0.6
	}
	return 0.01
}

// reverseGates: the smaller the better, and one gate best of all.
func reverseGates(q question) float64 {
	if n := unitsOf(q); n > 0 {
		return 0.01 * n
	}
	return 0.61 - paperGates(q)
}

func TestWhereTheLinesOfGatesAre(t *testing.T) {
	atLargest := func(arm string, value func(q question) float64) change {
		return in(BeyondGates.Name, arm, "loss", func(q question) float64 { return pick(q.x == 100, value(q), keep) })
	}
	for _, c := range []struct {
		id, what string
		change   change
		want     claim.Answer
		says     string
	}{
		{"text.learned-g", "it rises on the way", atLargest("network-16", to(0.2)), claim.Inconclusive, "on the way"},
		{"text.learned-g", "it rises by less than a point", atLargest("network-16", to(0.108)), claim.Reproduced,
			"10.8"},
		{"text.learned-g", "one trial is as bad", atLargest("network-64", func(q question) float64 {
			return pick(q.Number == 0, 0.4, 0.01)
		}), claim.Inconclusive, "overlap"},
		{"text.learned-g", "all are perfect", in(BeyondGates.Name, "", "loss", func(q question) float64 {
			return 0.05 - 0.02*unitsOf(q)/64
		}), claim.Inconclusive, "perfect already"},
		{"text.one-gate-or-many", "by less than half", atLargest("one-gate", to(0.019)), claim.Inconclusive, "by half"},
		{"text.one-gate-or-many", "one trial with one gate learns", atLargest("one-gate", func(q question) float64 {
			return pick(q.Number == 0, 0.005, 0.6)
		}), claim.Inconclusive, "in every trial"},
		{"text.one-gate-or-many", "not at small values",
			in(BeyondGates.Name, "one-gate", "loss", func(q question) float64 {
				return pick(q.x == 10, 0, keep)
			}), claim.Reproduced, "at 55"},
	} {
		w := world(func(q question) float64 { return pick(c.change(q) != keep, c.change(q), asThePaperSays(q)) })
		j := judgement(t, w.records(t, experiment.Options{Scale: "paper"}), c.id)
		if j.Verdict != c.want || !strings.Contains(j.Why+"; "+strings.Join(j.Found, "; "), c.says) {
			t.Errorf("%s, %s: %v because %q: %s\nwant %v, %q", c.id, c.what, j.Verdict, j.Why, j.Found, c.want, c.says)
		}
	}
}
