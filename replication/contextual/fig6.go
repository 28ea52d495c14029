package contextual

import (
	"fmt"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig6 is C Figure 6: continuations of one series of each validated period, sampled after every epoch from the learned
// distribution of Figure 5.
var Fig6 = experiment.Figure{
	Paper: Paper, Name: "fig6",
	Title: "Series generated from sampled first states",
	Panels: []experiment.Panel{{
		Name: "samples", Title: "generated", X: "t", Y: "x",
		Arms: []experiment.Arm{{Name: learnedArm, Label: "learned distribution"}},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: generation{quickForecast}},
			record.Paper: {Trials: 3, Declaration: generation{paperForecast}},
		},
	}},
	Open: decayChoices,
}

// generation is Figure 6 at one scale.
type generation struct{ forecast }

// Runs implements experiment.Declaration: the learned arm of Figure 5, and its samples.
func (g generation) Runs(seeds []uint64) []experiment.Run {
	run := g.contextual("", g.trials(learnedArm, seeds), forgetBias)
	var after, once []experiment.Measure
	for i, periods := range validPeriods {
		after = append(after, experiment.Measure{
			Name: fmt.Sprintf("%s%g", SamplesAt, periods),
			Of:   Trajectories{Task: validatedDecay, From: i * sampled, Series: sampled},
		})
		once = append(once, experiment.Measure{
			Name: fmt.Sprintf("%s%g", TruthAt, periods), Of: Truth{Task: validatedDecay, From: i * sampled},
		})
	}
	run.Tests = append(run.Tests, g.samples(g.updates, after...), g.samples(0, once...))
	return []experiment.Run{run}
}
