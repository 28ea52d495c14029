package replication

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// The panels of Figure 1 need a common measure: a loss in nats per step means less the longer the warping, since fewer steps are hard.
// A loss is therefore judged by its excess: 0 for the best loss that any model can reach, 1 for the best without memory.
const (
	// perfect: less than a twentieth of what there is to remember is missing. It is the width of a drawn line in the paper's figure.
	perfect = 0.05

	// Moderate warpings start at a fifth of the largest that was tried. The paper gives no number.
	moderate = 0.2

	// "for all values" takes at least this many values of maximum_warping above 1.
	minSweep = 3
)

var architectures = []string{"rnn", "leaky", "gated"}

// fig1Panels are the panels of Figure 1 in the paper's order.
var fig1Panels = []struct{ panel, place, name string }{
	{"uniform-warp", "top left", "uniform warping"},
	{"uniform-pad", "top right", "uniform padding"},
	{"variable-warp", "bottom left", "variable warping"},
	{"variable-pad", "bottom right", "variable padding"},
}

func fig1Claims() []Claim {
	claims := []Claim{{
		ID:        "fig1.unwarped.all-succeed",
		Where:     "Section 3, Pure warpings and paddings",
		Says:      "Without warping, the task is easy for all three architectures.",
		Criterion: "at maximum_warping 1, every architecture's excess loss is at most 5 %",
		judge:     judgeUnwarped,
	}}
	for _, p := range fig1Panels {
		claims = append(claims, Claim{
			ID:        "fig1." + p.panel + ".gated-perfect",
			Where:     "Section 3, Pure warpings and paddings; Figure 1, " + p.place,
			Says:      fmt.Sprintf("Gated RNNs solve %s perfectly at every maximum_warping.", p.name),
			Criterion: "excess loss at most 5 % at every value",
			judge: func(e evidence) (bool, string, error) {
				gated, found, err := excessOf(e, p.panel, "gated")
				return gated.worst() <= perfect, found, err
			},
		})
		claims = append(claims, leakyClaim(p.panel, p.place, p.name), Claim{
			ID:        "fig1." + p.panel + ".gated-beats-rnn",
			Where:     "Section 3, Pure warpings and paddings; Figure 1, " + p.place,
			Says:      fmt.Sprintf("In %s, gated RNNs are significantly better than RNNs as soon as the warping is moderate.", p.name),
			Criterion: "from a fifth of the largest value on: the mean excess loss is at most half of the RNN's, and the worst gated trial is better than the best RNN",
			judge: func(e evidence) (bool, string, error) {
				gated, foundGated, err := excessOf(e, p.panel, "gated")
				if err != nil {
					return false, "", err
				}
				rnn, foundRNN, err := excessOf(e, p.panel, "rnn")
				if err != nil {
					return false, "", err
				}
				holds := true
				for x := range gated.from(moderate) {
					holds = holds && beats(gated[x], rnn[x]) // without an rnn at x: false
				}
				return holds, foundGated + "; " + foundRNN, nil
			},
		}, Claim{
			ID:        "fig1." + p.panel + ".rnn-fails",
			Where:     "Section 1; Figure 1, " + p.place,
			Says:      fmt.Sprintf("Moderate %s makes the task impossible for a plain RNN to learn.", p.name),
			Criterion: "from a fifth of the largest value on, every RNN's excess loss is above 5 %",
			judge: func(e evidence) (bool, string, error) {
				rnn, found, err := excessOf(e, p.panel, "rnn")
				return rnn.from(moderate).best() > perfect, found, err
			},
		})
	}
	return claims
}

// leakyClaim is that a leaky RNN solves the uniform tasks, or that it does not solve the variable ones.
func leakyClaim(panel, place, name string) Claim {
	c := Claim{
		ID:        "fig1." + panel + ".leaky-perfect",
		Where:     "Section 3, Pure warpings and paddings; Figure 1 (its caption), " + place,
		Says:      fmt.Sprintf("Leaky RNNs solve %s perfectly.", name),
		Criterion: "excess loss at most 5 % at every value",
		judge: func(e evidence) (bool, string, error) {
			leaky, found, err := excessOf(e, panel, "leaky")
			return leaky.worst() <= perfect, found, err
		},
	}
	if panel == "variable-warp" || panel == "variable-pad" {
		c.ID = "fig1." + panel + ".leaky-suboptimal"
		c.Where = "Section 3, Pure warpings and paddings; Figure 1, " + place
		c.Says = fmt.Sprintf("Leaky RNNs fail to be optimal in %s.", name)
		c.Criterion = "from a fifth of the largest value on, excess loss above 5 %"
		c.judge = func(e evidence) (bool, string, error) {
			leaky, found, err := excessOf(e, panel, "leaky")
			return leaky.from(moderate).best() > perfect, found, err
		}
	}
	return c
}

func judgeUnwarped(e evidence) (bool, string, error) {
	holds, found := true, "excess loss at 1, in %:"
	for _, architecture := range architectures {
		r, err := e.record("fig1", "uniform-warp", architecture)
		if err != nil {
			return false, "", err
		}
		one := 1.0
		s, err := r.excess(architecture, &one)
		if err != nil {
			return false, "", err
		}
		holds = holds && s.Max <= perfect
		found += fmt.Sprintf(" %s %v", architecture, s.percent())
	}
	return holds, found, nil
}

// sweep is an excess loss for each maximum_warping.
type sweep map[float64]Spread

// from returns the part of the sweep from a share of its largest value on.
func (s sweep) from(share float64) sweep {
	largest := 0.0
	for x := range s {
		largest = max(largest, x)
	}
	part := sweep{}
	for x, spread := range s {
		if x >= share*largest {
			part[x] = spread
		}
	}
	return part
}

// best returns the lowest excess of any trial; +Inf if there is none.
func (s sweep) best() float64 {
	best := math.Inf(1)
	for _, spread := range s {
		best = min(best, spread.Min)
	}
	return best
}

// worst returns the highest excess of any trial; -Inf if there is none.
func (s sweep) worst() float64 {
	worst := math.Inf(-1)
	for _, spread := range s {
		worst = max(worst, spread.Max)
	}
	return worst
}

// excessOf returns an architecture's excess loss at each maximum_warping above 1 of a panel of Figure 1.
func excessOf(e evidence, panel, architecture string) (sweep, string, error) {
	r, err := e.record("fig1", panel, architecture)
	if err != nil {
		return nil, "", err
	}
	s := sweep{}
	for _, m := range r.Models {
		if m.X == nil || *m.X <= 1 {
			continue
		}
		if _, done := s[*m.X]; done {
			continue
		}
		if s[*m.X], err = r.excess(architecture, m.X); err != nil {
			return nil, "", err
		}
	}
	if len(s) < minSweep {
		return nil, "", missing("%d values of maximum_warping above 1 in fig1 %s, needs %d", len(s), panel, minSweep)
	}
	found := architecture + " excess loss in %:"
	for i, x := range slices.Sorted(maps.Keys(s)) {
		if i > 0 {
			found += ","
		}
		found += fmt.Sprintf(" %v at %g", s[x].percent(), x)
	}
	return s, found, nil
}

// excess returns the excess loss of an architecture's trials at one value of maximum_warping.
func (r *Record) excess(architecture string, x *float64) (Spread, error) {
	models, err := r.trials(architecture, x)
	if err != nil {
		return Spread{}, err
	}
	var values [3][]float64
	for i, name := range []string{"test_loss", "best_loss", "memoryless_loss"} {
		if values[i], err = r.final(name, models); err != nil {
			return Spread{}, err
		}
	}
	loss, best, memoryless := diverged(values[0], math.Inf(1)), values[1], values[2]
	for i := range loss {
		if !(memoryless[i] > best[i]) {
			return Spread{}, missing("memoryless loss %g is not above the best loss %g in fig1 %s", memoryless[i], best[i], r.Panel)
		}
		loss[i] = (loss[i] - best[i]) / (memoryless[i] - best[i])
	}
	return SpreadOf(loss), nil
}
