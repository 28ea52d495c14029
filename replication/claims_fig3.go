package replication

import (
	"fmt"
	"math"
)

const (
	// beats: half the loss. The paper says "largely" and "heavily" without a number; a factor of two is what an axis from
	// zero to the memoryless loss shows at a glance.
	beatsFactor = 0.5

	// A loss below half of the memoryless one is no plateau at it: at the memoryless loss nothing is remembered, at half of it every other symbol is.
	belowPlateau = 0.5

	// A plateau is a stretch whose median loss is within a quarter of the memoryless loss. The median, because spikes are expected.
	plateauWidth = 0.25

	// even: two curves closer than a tenth of the memoryless loss, which is the height of the paper's axis, cannot be told apart by eye.
	evenWidth = 0.1
)

func fig3Claims() []Claim {
	return []Claim{
		beatsClaim("copy500", "top left"),
		noPlateauClaim("copy500", "top left"),
		plateauClaim("copy500", "top left"),
		{
			ID:        "fig3.copy500.standard-beats-memoryless",
			Where:     "Section 3, Copy tasks; Figure 3, top left",
			Says:      "The baseline, LSTM with forget bias 1, already does better than guessing at random.",
			Criterion: "standard's final loss is at least 1 % below the memoryless loss",
			judge: func(e evidence) (bool, string, error) {
				_, standard, memoryless, found, err := finalLosses(e, "copy500")
				return standard.Max < 0.99*memoryless, found, err
			},
		},
		beatsClaim("copy2000", "top right"),
		noPlateauClaim("copy2000", "top right"),
		plateauClaim("copy2000", "top right"),
		{
			ID:        "fig3.varcopy500.even",
			Where:     "Section 3, Copy tasks; Figure 3, bottom left",
			Says:      "On the variable copy task with T = 500, chrono is even with standard.",
			Criterion: "the mean final losses differ by at most a tenth of the memoryless loss",
			judge: func(e evidence) (bool, string, error) {
				chrono, standard, memoryless, found, err := finalLosses(e, "varcopy500")
				return math.Abs(chrono.Mean-standard.Mean) <= evenWidth*memoryless, found, err
			},
		},
		{
			ID:        "fig3.varcopy500.both-well",
			Where:     "Caption of Figure 3, bottom left",
			Says:      "On the variable copy task with the smaller T, both do well.",
			Criterion: "both final losses are below half of the memoryless loss",
			judge: func(e evidence) (bool, string, error) {
				chrono, standard, memoryless, found, err := finalLosses(e, "varcopy500")
				return max(chrono.Max, standard.Max) < belowPlateau*memoryless, found, err
			},
		},
		beatsClaim("varcopy1000", "bottom right"),
		{
			ID:        "fig3.spikes.harmless",
			Where:     "Section 3, Synthetic tasks; Figure 3",
			Says:      "Without gradient clipping there are a few short-lived spikes, which do not affect final performance.",
			Criterion: "at most 5 % of a curve's points are above 3 × the median of the 21 around them, and the median of its last twentieth is above the lowest of any such stretch by at most 5 % of the memoryless loss",
			judge:     judgeSpikes,
		},
	}
}

func beatsClaim(panel, place string) Claim {
	return Claim{
		ID:        "fig3." + panel + ".beats-standard",
		Where:     "Section 3, Copy tasks; Figure 3, " + place,
		Says:      fmt.Sprintf("On %s, chrono does far better than standard.", panelNames[panel]),
		Criterion: "chrono's mean final loss is at most half of standard's, and its worst trial is better than standard's best",
		judge: func(e evidence) (bool, string, error) {
			chrono, standard, _, found, err := finalLosses(e, panel)
			return beats(chrono, standard), found, err
		},
	}
}

func noPlateauClaim(panel, place string) Claim {
	return Claim{
		ID:        "fig3." + panel + ".no-plateau",
		Where:     "Section 3, Copy tasks; Figure 3, " + place,
		Says:      fmt.Sprintf("On %s, chrono does not stay at the memoryless loss.", panelNames[panel]),
		Criterion: "chrono's final loss is below half of the memoryless loss",
		judge: func(e evidence) (bool, string, error) {
			chrono, _, memoryless, found, err := finalLosses(e, panel)
			return chrono.Max < belowPlateau*memoryless, found, err
		},
	}
}

func plateauClaim(panel, place string) Claim {
	return Claim{
		ID:        "fig3." + panel + ".standard-plateau",
		Where:     "Section 3, Copy tasks (said of chrono by contrast); Figure 3, " + place,
		Says:      fmt.Sprintf("On %s, standard stays near the memoryless loss.", panelNames[panel]),
		Criterion: "standard's median training loss over the second half of the steps is within a quarter of the memoryless loss",
		judge: func(e evidence) (bool, string, error) {
			r, err := e.record("fig3", panel, "")
			if err != nil {
				return false, "", err
			}
			memoryless, err := r.memoryless()
			if err != nil {
				return false, "", err
			}
			models, err := r.trials("standard", nil)
			if err != nil {
				return false, "", err
			}
			var medians []float64
			for _, m := range models {
				_, losses := r.curve(m)
				medians = append(medians, median(losses[len(losses)/2:]))
			}
			s := SpreadOf(medians)
			holds := s.Min >= (1-plateauWidth)*memoryless && s.Max <= (1+plateauWidth)*memoryless
			return holds, fmt.Sprintf("median loss of the second half %v, memoryless %.3g (%d trials)", s, memoryless, s.N), nil
		},
	}
}

// panelNames are the panels of Figures 3 and 4 as the paper calls them.
var panelNames = map[string]string{
	"copy500": "the copy task with T = 500", "copy2000": "the copy task with T = 2000",
	"varcopy500": "the variable copy task with T = 500", "varcopy1000": "the variable copy task with T = 1000",
	"adding200": "the adding task with T = 200", "adding750": "the adding task with T = 750",
}

// beats reports whether a's losses are far below b's.
func beats(a, b Spread) bool { return a.Mean <= beatsFactor*b.Mean && a.Max < b.Min }

// finalLosses returns both arms' final losses in a panel of Figure 3, and the memoryless loss.
func finalLosses(e evidence, panel string) (chrono, standard Spread, memoryless float64, found string, err error) {
	r, err := e.record("fig3", panel, "")
	if err != nil {
		return
	}
	if memoryless, err = r.memoryless(); err != nil {
		return
	}
	spreads := map[string]Spread{}
	for _, arm := range []string{"chrono", "standard"} {
		losses, err := r.losses("loss", arm)
		if err != nil {
			return chrono, standard, 0, "", err
		}
		spreads[arm] = SpreadOf(losses)
	}
	chrono, standard = spreads["chrono"], spreads["standard"]
	found = fmt.Sprintf("chrono %v, standard %v, memoryless %.3g (%s%d trials, %d steps)", chrono, standard, memoryless, lengthOf(r), chrono.N, r.End.Steps)
	return
}

// lengthOf says at which T a panel was run.
func lengthOf(r *Record) string {
	if t, ok := r.Number("T"); ok {
		return fmt.Sprintf("T = %g, ", t)
	}
	return ""
}

const (
	spikeHeight = 3    // times the median around it: noise of a window's mean does not reach that
	spikeAround = 10   // points on each side
	spikeShare  = 0.05 // "a few"
	spikeHarm   = 0.05 // of the memoryless loss: a rise that is not to be seen in the paper's figure
	spikePoints = 100  // fewer points than this say nothing about spikes
)

func judgeSpikes(e evidence) (bool, string, error) {
	share, harm := 0.0, 0.0
	curves := 0
	for _, r := range e {
		if r.Figure != "fig3" {
			continue
		}
		memoryless, err := r.memoryless()
		if err != nil {
			return false, "", err
		}
		for m := range r.Models {
			_, losses := r.curve(m)
			if len(losses) < spikePoints {
				return false, "", missing("%s has only %d points", r.Panel, len(losses))
			}
			spikes := 0
			for i, v := range losses {
				if v > spikeHeight*median(losses[max(0, i-spikeAround):min(len(losses), i+spikeAround+1)]) {
					spikes++
				}
			}
			width := len(losses) / 20
			lowest := math.Inf(1)
			for i := 0; i+width <= len(losses); i++ {
				lowest = min(lowest, median(losses[i:i+width]))
			}
			share = max(share, float64(spikes)/float64(len(losses)))
			harm = max(harm, (median(losses[len(losses)-width:])-lowest)/memoryless)
			curves++
		}
	}
	if curves < minTrials {
		return false, "", missing("no record of fig3")
	}
	return share <= spikeShare && harm <= spikeHarm,
		fmt.Sprintf("of %d curves, the worst has %.2g %% of its points in spikes, and the worst ends %.2g %% of the memoryless loss above its lowest stretch", curves, 100*share, 100*harm), nil
}
