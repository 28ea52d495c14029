package contextual

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig6 is C Figure 6: continuations of one series of each validated period, sampled after every epoch from the learned
// distribution of Figure 5.
var Fig6 = figures.Figure{
	Paper: paper, Name: "fig6",
	Title: "Series generated from sampled initial states",
	Panels: []experiment.Panel{{
		Name: "samples", Title: "generated", X: "t", Y: "x",
		Arms: []experiment.Arm{{Name: learned.Name, Label: "learned distribution"}},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Runs: quickForecast.generated},
			record.Paper: {Trials: 3, Runs: paperForecast.generated},
		},
	}},
	Views: []figures.View{
		trajectories{2, false}, trajectories{3, false}, trajectories{2, true}, trajectories{3, true},
	},
	Caption: "Series generated after the last epoch from ten sampled initial states, by the model of the first trial " +
		"with our batches and initial weights: (a, b) one series of each number of periods T that the paper shows; " +
		"(c, d) their differences from the true series, on a larger scale, where the samples are seen apart. The " +
		"claims are judged by other networks, those of Figure 5 (e, f), with the authors' batches and weights.",
	Layout:     figures.Layout{Height: 1.9 * figures.Inch, Alike: true},
	Conditions: samplesConditions, Claims: fig6Claims,
}

// generated is the run of the learned arm of Figure 5, with samples.
func (f forecast) generated(seeds []uint64) []experiment.Run {
	run := f.contextual("", f.trials(learned.Name, seeds))
	run.Tests = append(run.Tests, f.generating(f.updates)...)
	return []experiment.Run{run}
}

// generating are tests that continue the examples at equal distances during training.
func (f forecast) generating(every int) []experiment.Test {
	var after, once []experiment.Measure
	for i, periods := range validPeriods {
		after = append(after, experiment.Measure{
			Name: samples.At(periods),
			Of:   Trajectories{Task: validatedDecay, From: i * sampled, Series: sampled},
		})
		once = append(once, experiment.Measure{
			Name: truth.At(periods), Of: Truth{Task: validatedDecay, From: i * sampled},
		})
	}
	return []experiment.Test{f.samples(every, after...), f.samples(0, once...)}
}

// trajectories draws what the first trial generated of one period after the last epoch.
type trajectories struct {
	period float64
	errors bool // as differences from the truth
}

func (k trajectories) Heading() string {
	if k.errors {
		return fmt.Sprintf(", T = %g, errors", k.period)
	}
	return fmt.Sprintf(", T = %g", k.period)
}

func (k trajectories) Chart(p figures.Panel) figures.Chart {
	c := figures.Chart{Low: -0.5, High: 4.5, End: float64(validatedDecay.Final), Thin: "samples"}
	if k.errors {
		c.Y, c.High = "x − truth", 0.5
	}
	if p.Records[0].End == nil {
		return c // the truth is written after training
	}
	of := continuationOf(claim.Trial{Record: p.Records[0]}, k.period)
	truth := figures.Line{Label: "truth", Style: 6} // black
	generated := figures.Line{Label: "generated", Style: p.Style(learned.Name) + 1}
	begin := of.x0 * validatedDecay.Height()
	for t := range len(of.truth) + 1 {
		x, at := begin, slices.Repeat([]float64{begin}, len(of.samples))
		if t > 0 {
			x, at = of.truth[t-1], of.at(t-1)
		}
		if k.errors {
			floats.AddConst(-x, at)
			x = 0
		}
		truth.X, truth.Trials = append(truth.X, float64(t)), append(truth.Trials, []float64{x})
		generated.Trials = append(generated.Trials, at)
	}
	generated.X = truth.X
	c.Lines = []figures.Line{generated, truth}
	return c
}
