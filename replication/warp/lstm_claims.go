package warp

import (
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Thresholds for Figures 3 and 4, shares of the memoryless loss. They are our choice: the paper says "largely", "does
// not plateau" and "well" without numbers.
const (
	learned = 0.9  // something is learned if the final loss is at most this
	stuck   = 0.95 // nothing, if it is at least this
	well    = 0.5
	solved  = 0.1
)

// finalPart of a curve is its end. The median there is the final loss: a spike does not move it.
const finalPart = 0.05

// A duel is what a panel of Figure 3 or 4 shows of its two arms.
type duel struct {
	standard, chrono contestant
	about            string // the panel and its length, for a statement
}

// A contestant is an arm's trials.
type contestant struct {
	trials claim.Trials
	curves []claim.Curve // training loss, as a share of the memoryless loss
	final  record.Spread // at the end of the curve
	mean   record.Spread // over all updates
}

func (r *reader) duel(f figures.Figure, p experiment.Panel) duel {
	d := duel{r.contestant(f, p, standardArm), r.contestant(f, p, chronoArm), p.Title}
	if size := p.Sizes[r.Scale]; size.Title != "" {
		d.about = size.Title
	}
	if len(d.chrono.trials) > 0 {
		d.about += fmt.Sprintf(", %d updates", d.chrono.trials[0].Record.Updates)
	}
	return d
}

func (r *reader) contestant(f figures.Figure, p experiment.Panel, arm string) contestant {
	c := contestant{trials: r.arm(f, p, arm)}
	c.curves = r.shares(c.trials)
	var final, mean []float64
	for _, curve := range c.curves {
		final = append(final, claim.Median(curve.Last(finalPart).Values))
		mean = append(mean, curve.Mean())
	}
	c.final, c.mean = record.SpreadOf(final), record.SpreadOf(mean)
	return c
}

// shares are the trials' training losses, as shares of the memoryless loss.
func (r *reader) shares(trials claim.Trials) []claim.Curve {
	curves, err := trials.Shares(record.Train)
	r.Miss(err)
	return curves
}

// finals is the statement of both final losses.
func (d duel) finals() string {
	return fmt.Sprintf("%s: final loss in %% of the memoryless loss, chrono %v, standard %v", d.about,
		claim.Percent(d.chrono.final), claim.Percent(d.standard.final))
}

// learned tells whether any of the trials has.
func (d duel) learned() bool { return min(d.chrono.final.Min, d.standard.final.Min) <= learned }

// outperforms judges that losses of chrono are far below those of standard.
func (d duel) outperforms(chrono, standard record.Spread, found string) claim.Finding {
	switch {
	case !d.learned():
		return claim.Found(claim.Inconclusive, found, nothingLearned)
	case max(chrono.Max, standard.Max) <= visible:
		return claim.Found(claim.Inconclusive, found, "both solve the task, and no difference is visible")
	}
	return claim.Found(farBelow(chrono, standard), found, "chrono is not better by half, and in every trial")
}

// inDuel judges a panel's two arms.
func inDuel(f figures.Figure, p experiment.Panel, of func(duel) claim.Finding) func(claim.Evidence) claim.Finding {
	return judging(func(r *reader) claim.Finding { return of(r.duel(f, p)) })
}

// A spike is a point of a curve that is so many times the median of those around it, so many on each side, and
// visibly above it.
const (
	spikeHeight = 3
	spikeAround = 10
	spikeShare  = 0.05 // "a few" of a curve's points
)

// spikes looks at all curves of Figures 3 and 4 that have one, or that end in divergence.
func spikes(r *reader) claim.Finding {
	var shares, harms []float64
	curves := 0
	for _, f := range []figures.Figure{Fig3, Fig4} {
		for _, p := range f.Panels {
			d := r.duel(f, p)
			for _, c := range slices.Concat(d.standard.curves, d.chrono.curves) {
				curves++
				n, harm := countSpikes(c.Values), harmed(c.Values)
				if n > 0 || math.IsInf(harm, 1) {
					shares, harms = append(shares, float64(n)/float64(len(c.Values))), append(harms, harm)
				}
			}
		}
	}
	if len(shares) == 0 {
		return claim.Found(claim.Inconclusive, fmt.Sprintf("none of %d curves has a spike", curves),
			"there are no spikes")
	}
	share, harm := record.SpreadOf(shares), record.SpreadOf(harms)
	found := fmt.Sprintf("%d of %d curves have spikes, in %v %% of their points, and end %v %% of the memoryless loss "+
		"above their lowest twentieth", len(shares), curves, claim.Percent(share), claim.Percent(harm))
	answer := claim.Every(claim.AtMost(share, spikeShare), claim.AtMost(harm, visible))
	return claim.Found(answer, found, "it is so in some curves only")
}

func countSpikes(losses []float64) int {
	n := 0
	for i, loss := range losses {
		around := min(spikeAround, i, len(losses)-1-i) // as many on each side: a steep fall at the start is none
		median := claim.Median(losses[i-around : i+around+1])
		if loss > spikeHeight*median && loss > median+visible {
			n++
		}
	}
	return n
}

// harmed is how far a curve ends above its lowest stretch of the same length.
func harmed(losses []float64) float64 {
	end := max(1, int(finalPart*float64(len(losses))))
	lowest := math.Inf(1)
	for i := 0; i+end <= len(losses); i++ {
		lowest = min(lowest, claim.Median(losses[i:i+end]))
	}
	return claim.Median(losses[len(losses)-end:]) - lowest
}
