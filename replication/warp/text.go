package warp

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// textClaims are sentences of W about several figures. Those that only sum up what each figure's claims say (chrono
// outperforms standard on all synthetic tasks; it gains much where dependencies are long, and little where they are
// short) are no claims of their own, so that nothing is counted twice: the claims name them in Where.
func textClaims() []claim.Claim {
	var synthetic, real []claim.Run
	for _, f := range []figures.Figure{Fig3, Fig4, Fig6, Fig7} {
		for _, p := range f.Panels {
			run := claim.Run{Figure: f.ID(), Panel: p.Name, Scale: record.Paper}
			if f.Name == Fig3.Name || f.Name == Fig4.Name {
				synthetic = append(synthetic, run)
			} else {
				real = append(real, run)
			}
		}
	}
	synthetic = append(synthetic, claim.Run{Needs: "no run, but how many spikes the paper means by a few"})
	return []claim.Claim{
		{
			ID: "warp/text.spikes-harmless", Where: "Section 3, Synthetic tasks; Figures 3 and 4", DecidedBy: synthetic,
			Says: "Without gradient clipping there are a few short-lived spikes; they do not affect final performance.",
			Criterion: "in the panels of both figures that were run, there are points above 3 times the median of " +
				"those around them (10 on each side), by 5 % of the memoryless loss; in a curve that has any, they " +
				"are at most 5 %; and if it learns something, its last fifth ends at most 5 % of the memoryless " +
				"loss above its lowest fifth. Where most of those around a point have spikes, too, as with chrono " +
				"at copy, T = 2000, the rule sees none",
			Judge: claim.Judging(spikes),
		}, {
			ID: "warp/text.real-outperforms-or-competes", Where: "Section 3, second paragraph", DecidedBy: real,
			Says: "On real-world problems, chrono outperforms standard or competes with it.",
			Criterion: "in no panel of Figures 6 and 7 is every trial of standard visibly better than every trial of " +
				"chrono: in best validation accuracy by half a point, in bits per character by 0.003, in perplexity " +
				"by 3 %; inconclusive if it is where chrono still rises",
			MinTrials: ptbRuns, Judge: claim.Judging(competes),
		},
	}
}

// A spike is a point of a curve above some multiple of the median of its neighbours, spikeAround on each side, and
// visibly above it.
var (
	spike     = claim.Threshold{Name: "spikes of %s times what is around them", Value: 3, From: 1}
	fewSpikes = claim.Threshold{Name: "spikes in up to %s of a curve", Value: 0.05, Percent: true}
)

const spikeAround = 10

// spikes looks at all curves of Figures 3 and 4, of the panels that were run, that have one or that end in divergence.
// A curve that has learned nothing has nothing to lose.
func spikes(r claim.Reader) claim.Finding {
	var shares, harms []float64
	var ran []string
	var missing error
	curves := 0
	for _, f := range []figures.Figure{Fig3, Fig4} {
		for _, p := range f.Panels {
			standard, noStandard := r.Evidence.Arm(f.ID(), p.Name, standardArm)
			chrono, noChrono := r.Evidence.Arm(f.ID(), p.Name, chronoArm)
			if err := cmp.Or(noStandard, noChrono); err != nil {
				missing = cmp.Or(missing, err)
				continue
			}
			ran = append(ran, p.TitleAt(r.Scale))
			for _, curve := range r.Curves(slices.Concat(standard, chrono).Shares(record.Train)) {
				curves++
				n, diverged := countSpikes(r, curve.Values), math.IsInf(curve.Final(), 1)
				if n == 0 && !diverged {
					continue
				}
				shares = append(shares, float64(n)/float64(len(curve.Values)))
				switch {
				case diverged:
					harms = append(harms, math.Inf(1))
				case slices.Min(curve.Values) <= r.Threshold(something):
					harms = append(harms, endAboveLowest(curve))
				}
			}
		}
	}
	if len(ran) == 0 {
		r.Need(missing)
	}
	panels := strings.Join(ran, "; ")
	switch {
	case len(shares) == 0:
		return claim.Found(claim.Inconclusive, "there are no spikes",
			fmt.Sprintf("%s: none of %d curves has a spike", panels, curves)).With("0 of %d curves have spikes", curves)
	case len(harms) == 0:
		return claim.Found(claim.Inconclusive, "no curve with spikes has learned anything",
			fmt.Sprintf("%s: %d of %d curves have spikes", panels, len(shares), curves)).
			With("%d of %d curves have spikes", len(shares), curves)
	}
	share, harm := record.SpreadOf(shares), record.SpreadOf(harms)
	few := claim.AtMost(share, r.Threshold(fewSpikes))
	return claim.Found(claim.Every(few, claim.AtMost(harm, r.Threshold(visible))), "it is so in some curves only",
		fmt.Sprintf("%s: %d of %d curves have spikes, in %v %% of their points; %d of them learn something, and end "+
			"%v %% of the memoryless loss above their lowest fifth", panels, len(shares), curves, claim.Percent(share),
			len(harms), claim.Percent(harm)),
	).With("%d of %d curves have spikes, and end at most %.1f %% higher", len(shares), curves,
		100*harm.Max)
}

func countSpikes(r claim.Reader, losses []float64) int {
	n := 0
	for i, loss := range losses {
		before := min(spikeAround, i) // as many on each side, but at the end: a steep fall at the start is none
		median := claim.Median(losses[i-before : min(len(losses), i+before+1)])
		if loss > r.Threshold(spike)*median && loss > median+r.Threshold(visible) {
			n++
		}
	}
	return n
}

// endAboveLowest is how far a curve ends above its lowest stretch of the same length.
func endAboveLowest(c claim.Curve) float64 {
	points, lowest := c.FinalPoints(), math.Inf(1)
	for i := 0; i+points <= len(c.Values); i++ {
		lowest = min(lowest, claim.Median(c.Values[i:i+points]))
	}
	return c.Final() - lowest
}

// competes looks for a panel of real data in which standard is better than chrono.
func competes(r claim.Reader) claim.Finding {
	var found []string
	lost, soon, unlearned := 0, 0, false
	for _, p := range Fig6.Panels {
		a := accuraciesOf(r, p)
		found = append(found, a.String())
		if claim.Below(a.chrono, a.standard, r.Threshold(clearly)) == claim.Reproduced {
			if lost++; a.rising == chronoArm {
				soon++
			}
		}
		unlearned = unlearned || max(a.chrono.Max, a.standard.Max) < r.Threshold(recognized)
	}
	c, w := charactersOf(r), wordsOf(r)
	found = append(found, c.String(), w.String())
	chrono, standard := record.SpreadOf(c.chrono.test), record.SpreadOf(c.standard.test)
	for _, answer := range []claim.Answer{
		claim.Below(standard, chrono, r.Threshold(leastBits)),
		claim.Below(w.standard, w.chrono, r.Threshold(similarTo)*w.standard.Mean),
	} {
		if answer == claim.Reproduced {
			lost++
		}
	}
	unfit := []string{c.unfit(), w.unfit()}
	answer, why := claim.Reproduced, ""
	switch {
	case madeUp(r.Scale):
		answer, why = claim.Inconclusive, "no real data at this scale"
	case slices.Contains(unfit, diverged):
		answer, why = claim.Inconclusive, diverged
	case lost > soon:
		answer = claim.Contradicted
	case lost > 0:
		answer, why = claim.Inconclusive, "too short: chrono is still rising where it is behind"
	case unlearned || slices.Contains(unfit, claim.NothingLearned):
		answer, why = claim.Inconclusive, claim.NothingLearned
	}
	return claim.Found(answer, why, found...).With("chrono is behind in %d of %d panels", lost, 2+len(Fig6.Panels))
}
