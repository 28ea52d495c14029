package warp

import (
	"fmt"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Thresholds for Figures 3 and 4, shares of the memoryless loss. They are our choice: the paper says "largely", "does
// not plateau" and "well" without numbers.
const (
	learnedShare = 0.9  // something is learned if the final loss is at most this
	plateauShare = 0.95 // nothing, if it is at least this
	wellShare    = 0.5
	solvedShare  = 0.1
)

// A comparison is what a panel of Figure 3 or 4 shows of its two arms.
type comparison struct {
	claim.Reader
	standard, chrono armLosses
	about            string // the panel and its length, for a statement
}

// armLosses are an arm's training losses, as shares of the memoryless loss.
type armLosses struct {
	trials claim.Trials
	curves []claim.Curve
	final  record.Spread // at the end of the curve
	mean   record.Spread // over all updates
}

// compared judges a panel's two arms.
func compared(f figures.Figure, p experiment.Panel, judge func(comparison) claim.Finding,
) func(claim.Evidence) claim.Finding {
	return claim.Judging(func(r claim.Reader) claim.Finding { return judge(compare(r, f, p)) })
}

func compare(r claim.Reader, f figures.Figure, p experiment.Panel) comparison {
	losses := func(arm string) armLosses {
		a := armLosses{trials: r.Arm(f.ID(), p.Name, arm)}
		a.curves = r.Curves(a.trials.Shares(record.Train))
		a.final, a.mean = spreadOver(a.curves, claim.Curve.Final), spreadOver(a.curves, claim.Curve.Mean)
		return a
	}
	c := comparison{r, losses(standardArm), losses(chronoArm), ""}
	c.about = fmt.Sprintf("%s, %d updates", p.TitleAt(r.Scale), c.chrono.trials[0].Record.Updates)
	return c
}

// spreadOver is the spread of one number of each curve.
func spreadOver(curves []claim.Curve, number func(claim.Curve) float64) record.Spread {
	var values []float64
	for _, curve := range curves {
		values = append(values, number(curve))
	}
	return record.SpreadOf(values)
}

// finals is the statement of both final losses.
func (c comparison) finals() string {
	return fmt.Sprintf("%s: final loss in %% of the memoryless loss, chrono %v, standard %v", c.about,
		claim.Percent(c.chrono.final), claim.Percent(c.standard.final))
}

// learned tells whether any of the trials has.
func (c comparison) learned() bool {
	return min(c.chrono.final.Min, c.standard.final.Min) <= learnedShare
}

// outperforms judges that losses of chrono are far below those of standard.
func (c comparison) outperforms(chrono, standard record.Spread, found string) claim.Finding {
	switch {
	case !c.learned():
		return claim.Found(claim.Inconclusive, claim.NothingLearned, found)
	case max(chrono.Max, standard.Max) <= visibleShare:
		return claim.Found(claim.Inconclusive, "both solve the task, and no difference is visible", found)
	}
	return claim.Found(farBelow(chrono, standard), "chrono is not better by half, and in every trial", found)
}
