package contextual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"gonum.org/v1/plot/vg"
)

// Fig6 is C Figure 6: continuations of one series of each validated period, sampled after every epoch from the learned
// distribution of Figure 5.
var Fig6 = figures.Figure{
	Paper: paper, Name: "fig6",
	Title: "Series generated from sampled first states",
	Panels: []experiment.Panel{{
		Name: "samples", Title: "generated", X: "t", Y: "x",
		Arms: []experiment.Arm{{Name: learnedArm, Label: "learned distribution"}},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: generation{quickForecast}},
			record.Paper: {Trials: 3, Declaration: generation{paperForecast}},
		},
	}},
	Views: []figures.View{
		trajectories{2, 0}, trajectories{3, 0}, trajectories{1, 0}, trajectories{4, 0},
		trajectories{2, 20}, trajectories{3, 20}, trajectories{2, 5}, trajectories{3, 5},
		trajectories{2, 1}, trajectories{3, 1},
	},
	Caption: "Continuations of one series of each period, generated from ten sampled first states by the model of " +
		"the first trial. The paper shows T = 2 and 3 after the last epoch.",
	Lines:  "Thin lines are samples; the band is one standard deviation to either side of their mean.",
	Layout: figures.Layout{Columns: 2, Height: 1.55 * vg.Inch},
	Open:   decayChoices,
}

// generation is Figure 6 at one scale.
type generation struct{ forecast }

// Runs implements experiment.Declaration: the learned arm of Figure 5, and its samples.
func (g generation) Runs(seeds []uint64) []experiment.Run {
	run := g.contextual("", g.trials(learnedArm, seeds), forgetBias)
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
	run.Tests = append(run.Tests, g.samples(g.updates, after...), g.samples(0, once...))
	return []experiment.Run{run}
}

// trajectories draws what the first trial generated of one period after an epoch.
type trajectories struct {
	period float64
	epoch  int // 0: the last
}

// Chart implements figures.View.
func (k trajectories) Chart(title string, p figures.Panel) figures.Chart {
	r := p.Records[0]
	c := figures.TrajectoryChart{Title: title, X: p.X, Y: p.Y, Low: -0.5, High: 4.5}
	truth, ok := r.End.Vectors[string(truth.At(k.period))]
	if !ok {
		return c
	}
	start := startOf(k.period, truth[0])
	c.Truth = append([]float64{start}, unscaled(truth[0])...)
	points := r.Series(string(samples.At(k.period)))
	if len(points) == 0 {
		return c
	}
	point := points[len(points)-1]
	if k.epoch > 0 {
		point = points[min(k.epoch, len(points))-1]
	}
	for sample := range slices.Chunk(unscaled(point.Vectors[0]), len(truth[0])) {
		c.Samples = append(c.Samples, append([]float64{start}, sample...))
	}
	return c
}

// Heading says which chart of a panel it is.
func (k trajectories) Heading() string {
	when := "last epoch"
	if k.epoch > 0 {
		when = fmt.Sprintf("epoch %d", k.epoch)
	}
	return strings.Join([]string{"", fmt.Sprintf("T = %g", k.period), when}, ", ")
}

// startOf is a series' value at t = 0, from those at t = 1 … t_f as Trajectories have them.
func startOf(periods float64, trajectory []float64) float64 {
	return unscaled(trajectory)[0] / validatedDecay.At(periods, 1) * validatedDecay.Height()
}

// unscaled are trajectories as they are, not in thousandths.
func unscaled(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v / thousandths
	}
	return out
}
