package warp

import (
	"fmt"
	"math"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

const copyTasks = "Section 3, Copy tasks"

// below is how far below the memoryless loss a model surely does better than a random answer: 1 %.
const below = 0.99

func fig3Claims() []claim.Claim {
	copy500, copy2000 := panelOf(Fig3, "copy500"), panelOf(Fig3, "copy2000")
	varcopy500, varcopy1000 := panelOf(Fig3, "varcopy500"), panelOf(Fig3, "varcopy1000")
	return []claim.Claim{
		beatsStandard(copy500), noPlateau(copy500),
		beatsStandard(copy2000), noPlateau(copy2000),
		{
			ID: "warp/fig3.copy.standard-beats-memoryless", Where: copyTasks,
			Says: "The baseline, standard initialization, already does better than random prediction.",
			Criterion: "standard's final loss is at least 1 % below the memoryless loss, with one T at least; " +
				"contradicted only if it is not where chrono solves the task",
			Judge: func(e claim.Evidence) claim.Finding {
				return underSome(reading{copy500.Title, true, inDuel(Fig3, copy500, standardBeatsMemoryless)(e)},
					reading{copy2000.Title, true, inDuel(Fig3, copy2000, standardBeatsMemoryless)(e)})
			},
		}, {
			ID: "warp/fig3.varcopy500.even", Where: copyTasks,
			Says: fmt.Sprintf("In %s, chrono is even with standard.", varcopy500.Title),
			Criterion: "the mean final losses differ by at most 5 % of the memoryless loss, and one of them is at " +
				"most half of it in every trial",
			Judge: inDuel(Fig3, varcopy500, even),
		}, {
			ID: "warp/fig3.varcopy500.both-well", Where: "Caption of Figure 3, bottom left",
			Says:      fmt.Sprintf("In %s, both initializations perform well.", varcopy500.Title),
			Criterion: "both final losses are at most half of the memoryless loss",
			Judge:     inDuel(Fig3, varcopy500, bothWell),
		},
		beatsStandard(varcopy1000),
		{
			ID: "warp/fig3.varcopy.same-weights", Where: "Footnote 6",
			Says: "A model need not be trained anew for other warpings, as variable copy arguably illustrates.",
			Criterion: "with both T, in the trials that end at 10 % of the memoryless loss or less: the losses at " +
				"the five distances between text and signal differ by at most 5 % of it",
			Judge: judging(func(r *reader) claim.Finding { return sameWeights(r, varcopy500, varcopy1000) }),
		}, {
			ID: "warp/fig3.spikes.harmless", Where: "Section 3, Synthetic tasks; Figures 3 and 4",
			Says: "Without gradient clipping there are a few short-lived spikes; they do not affect final performance.",
			Criterion: "there are points above 3 times the median of those around them (10 on each side), by 5 % of " +
				"the memoryless loss; in a curve that has any, they are at most 5 %, and it ends at most 5 % of the " +
				"memoryless loss above its lowest twentieth",
			Judge: judging(spikes),
		},
	}
}

func beatsStandard(p experiment.Panel) claim.Claim {
	return claim.Claim{
		ID: "warp/fig3." + p.Name + ".beats-standard", Where: copyTasks + "; Figure 3",
		Says:      fmt.Sprintf("In %s, chrono largely outperforms standard.", p.Title),
		Criterion: "chrono's final loss is below standard's in every trial, and on average at most half of it",
		Judge: inDuel(Fig3, p, func(d duel) claim.Finding {
			return d.outperforms(d.chrono.final, d.standard.final, d.finals())
		}),
	}
}

func noPlateau(p experiment.Panel) claim.Claim {
	return claim.Claim{
		ID: "warp/fig3." + p.Name + ".no-plateau", Where: copyTasks + "; Figure 3",
		Says: fmt.Sprintf("In %s, chrono does not plateau at the memoryless loss.", p.Title),
		Criterion: "chrono's final loss is at most 90 % of the memoryless loss; contradicted only if it is 95 % or " +
			"more in every trial, and a trial of standard is at 90 % or less",
		Judge: inDuel(Fig3, p, func(d duel) claim.Finding {
			if !d.learned() {
				return claim.Found(claim.Inconclusive, d.finals(), nothingLearned)
			}
			return claim.Found(not(atLeast(d.chrono.final, stuck, learned)), d.finals(), someTrials)
		}),
	}
}

func standardBeatsMemoryless(d duel) claim.Finding {
	answer, why := claim.AtMost(d.standard.final, below), someTrials
	if answer == claim.Contradicted && d.chrono.final.Max > solved {
		answer, why = claim.Inconclusive, "too short: chrono has not solved the task either"
	}
	return claim.Found(answer, d.finals(), why)
}

func even(d duel) claim.Finding {
	answer, why := claim.Inconclusive, "the trials spread too widely"
	switch {
	case min(d.chrono.final.Max, d.standard.final.Max) > well:
		why = "too short: neither is at half of the memoryless loss"
	case claim.Below(d.chrono.final, d.standard.final, visible) != claim.Inconclusive:
		answer = claim.Contradicted
	case math.Abs(d.chrono.final.Mean-d.standard.final.Mean) <= visible:
		answer = claim.Reproduced
	}
	return claim.Found(answer, d.finals(), why)
}

func bothWell(d duel) claim.Finding {
	chrono, standard := claim.AtMost(d.chrono.final, well), claim.AtMost(d.standard.final, well)
	if chrono != claim.Reproduced && standard != claim.Reproduced {
		return claim.Found(claim.Inconclusive, d.finals(), "too short: neither is at half of the memoryless loss")
	}
	return claim.Found(claim.Every(chrono, standard), d.finals(), someTrials)
}

// sameWeights looks at the models of either arm that have learned the task.
func sameWeights(r *reader, panels ...experiment.Panel) claim.Finding {
	var differences []float64
	for _, p := range panels {
		for _, arm := range []string{standardArm, chronoArm} {
			trials := r.arm(Fig3, p, arm)
			least, most := make([]float64, len(trials)), make([]float64, len(trials))
			for i, name := range distances(p, r.Scale) {
				for k, share := range r.take(trials.Excess(name)) {
					if i == 0 {
						least[k], most[k] = share, share
					}
					least[k], most[k] = min(least[k], share), max(most[k], share)
				}
			}
			for k, final := range r.take(trials.Excess("loss")) {
				if final <= solved {
					differences = append(differences, most[k]-least[k])
				}
			}
		}
	}
	if len(differences) < r.MinTrials {
		found := fmt.Sprintf("variable copy: %d models have learned it", len(differences))
		return claim.Found(claim.Inconclusive, found, "too few trials learn the task")
	}
	difference := record.SpreadOf(differences)
	found := fmt.Sprintf("variable copy: in the %d models that have learned it, losses at five distances differ by %v "+
		"%% of the memoryless loss", len(differences), claim.Percent(difference))
	return claim.Found(claim.AtMost(difference, visible), found, someTrials)
}

// distances are the names of the losses that a panel measures at fixed distances.
func distances(p experiment.Panel, scale record.Scale) []string {
	var names []string
	declared, _ := p.Sizes[scale].Declaration.(comparison)
	for _, test := range declared.tests {
		names = append(names, string(test.Measures[0].Name))
	}
	return names
}
