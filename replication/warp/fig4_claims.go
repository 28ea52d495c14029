package warp

import (
	"fmt"
	"math"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

const addingTask = "Section 3, Adding task"

// A trial has converged when its loss is at most solved. How many times faster is enough is our choice.
const (
	significantly = 2.0
	sevenTimes    = 5.0 // from here on it is about seven, or more
	notSeven      = 3.5 // and up to here it is not
)

func fig4Claims() []claim.Claim {
	adding200, adding750 := panelOf(Fig4, "adding200"), panelOf(Fig4, "adding750")
	outperforms200, outperforms750 := outperforms(adding200), outperforms(adding750)
	return []claim.Claim{
		faster(adding200), outperforms200,
		faster(adding750), outperforms750,
		{
			ID: "warp/fig4.adding750.7x", Where: addingTask,
			Says: fmt.Sprintf("In %s, chrono converges 7 times faster.", adding750.Title),
			Criterion: "on average, standard takes at least 5 times as many updates as chrono to a tenth of the " +
				"memoryless error, where every chrono trial gets before any of standard; contradicted only if all " +
				"get there, in less than 3.5 times as many",
			Judge: inDuel(Fig4, adding750, sevenTimesFaster),
		}, {
			ID: "warp/fig4.with-fig3.all-synthetic", Where: "Section 3, second paragraph",
			Says: "Chrono heavily outperforms standard on all synthetic tasks.",
			Criterion: "beats-standard in Figure 3, but for variable copy with T = 500, which the paper excepts " +
				"itself, and outperforms in Figure 4 are all reproduced",
			Judge: claim.All(beatsStandard(panelOf(Fig3, "copy500")), beatsStandard(panelOf(Fig3, "copy2000")),
				beatsStandard(panelOf(Fig3, "varcopy1000")), outperforms200, outperforms750),
		},
	}
}

func faster(p experiment.Panel) claim.Claim {
	return claim.Claim{
		ID: "warp/fig4." + p.Name + ".faster", Where: addingTask,
		Says: fmt.Sprintf("In %s, chrono significantly speeds up learning.", p.Title),
		Criterion: "every chrono trial gets to a tenth of the memoryless error before any of standard; and on " +
			"average in at most half of the updates, or before any of standard gets to half of that error",
		Judge: inDuel(Fig4, p, func(d duel) claim.Finding {
			r := d.race()
			answer, why := r.first(), someOverlap
			switch {
			case !r.started():
				why = tooShort
			case answer == claim.Reproduced && r.ratio().Mean < significantly &&
				before(r.chrono, r.half) != claim.Reproduced:
				answer, why = claim.Inconclusive, "not twice as fast, as far as the run goes"
			}
			return claim.Found(answer, r.String(), why)
		}),
	}
}

func outperforms(p experiment.Panel) claim.Claim {
	return claim.Claim{
		ID: "warp/fig4." + p.Name + ".outperforms", Where: "Caption of Figure 4",
		Says: fmt.Sprintf("In %s, chrono heavily outperforms standard.", p.Title),
		Criterion: "chrono's error, averaged over all of training, is below standard's in every trial, and on " +
			"average at most half of it",
		Judge: inDuel(Fig4, p, func(d duel) claim.Finding {
			found := fmt.Sprintf("%s: mean error in %% of the memoryless error, chrono %v, standard %v", d.about,
				claim.Percent(d.chrono.mean), claim.Percent(d.standard.mean))
			return d.outperforms(d.chrono.mean, d.standard.mean, found)
		}),
	}
}

func sevenTimesFaster(d duel) claim.Finding {
	r := d.race()
	answer, why := claim.Inconclusive, someOverlap
	switch {
	case r.first() == claim.Contradicted, r.chrono.End() && r.standard.End() && r.ratio().Mean < notSeven:
		answer = claim.Contradicted
	case r.first() == claim.Reproduced && r.ratio().Mean >= sevenTimes:
		answer = claim.Reproduced
	case !r.chrono.End() || !r.standard.End():
		why = tooShort
	case r.first() == claim.Reproduced:
		why = "more than 3.5 times, but less than 5"
	}
	return claim.Found(answer, r.String(), why)
}

const (
	tooShort    = "too short: not all trials converge"
	someOverlap = "some trials of standard are as fast as some of chrono"
)

// A race is when the trials of a duel converge.
type race struct {
	chrono, standard claim.Durations
	half             claim.Durations // of standard, to half of the memoryless error
	about            string
}

func (d duel) race() race {
	return race{
		claim.DurationsOf(d.chrono.curves, solved), claim.DurationsOf(d.standard.curves, solved),
		claim.DurationsOf(d.standard.curves, well), d.about,
	}
}

// started tells whether any trial converges.
func (r race) started() bool {
	return !math.IsInf(min(record.SpreadOf(r.chrono.AtMost).Min, record.SpreadOf(r.standard.AtMost).Min), 1)
}

// first answers whether every trial of chrono converges before any of standard.
func (r race) first() claim.Answer { return before(r.chrono, r.standard) }

// before answers whether a ends in every trial before b does in any.
func before(a, b claim.Durations) claim.Answer {
	return claim.Below(record.SpreadOf(a.AtMost), record.SpreadOf(b.AtMost), 0)
}

// ratio is how many times longer standard takes: a lower bound if only standard does not converge.
func (r race) ratio() claim.Ratio { return claim.RatioOf(r.standard, r.chrono) }

func (r race) String() string {
	found := fmt.Sprintf("%s: updates to a tenth of the memoryless error, chrono %v, standard %v",
		r.about, r.chrono, r.standard)
	if r.chrono.End() {
		found += fmt.Sprintf(", ratio %v", r.ratio())
	}
	return found
}
