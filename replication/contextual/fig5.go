package contextual

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig5 is C Figure 5: LSTMs that begin in zeros, C(2a), and in a learned distribution, C(4), on linear cosine decay.
var Fig5 = figures.Figure{
	Paper: paper, Name: "fig5",
	Title: "Initial states of LSTMs on linear cosine decay",
	Panels: []experiment.Panel{{
		Name: "decay", Title: "linear cosine decay", X: "epochs", Y: "validation squared error (scaled)",
		Arms: []experiment.Arm{
			{Name: zeroArm, Label: "zero, reads T at every step"}, {Name: learnedArm, Label: "learned distribution"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: comparison{quickForecast}},
			record.Paper: {Trials: 10, Declaration: comparison{paperForecast}},
		},
	}},
	Views: []figures.View{crossing{}, trainedErrors{}},
	Caption: "Squared error of LSTMs on linear cosine decay: (a) on periods that they were not trained on, at the " +
		"mean of the initial state, as in the authors' code; (b) in training, where the learned " +
		"initial state is sampled. Zero reads T at every step, learned only through its initial state.",
	Layout:     figures.Layout{Height: 2.5 * vg.Inch},
	Open:       decayChoices,
	Conditions: decayConditions, Claims: fig5Claims,
}

// crossing shows the validation errors, and where the curves of both arms cross for the last time.
type crossing struct{}

// Heading says which series they are of.
func (crossing) Heading() string { return ", new periods" }

// Curves are those of runs in progress, for figures.Papers.Growing.
func (crossing) Curves(title string, p figures.Panel) figures.CurveChart {
	return decayErrors.Curves(title, p)
}

// Chart implements figures.View.
func (v crossing) Chart(title string, p figures.Panel) figures.Chart {
	c := v.Curves(title, p)
	if len(c.Lines) != 2 {
		return c
	}
	at := 0.
	for i := 1; i < min(len(c.Lines[0].X), len(c.Lines[1].X)); i++ {
		above := func(i int) bool { return c.Lines[0].Middle(i) > c.Lines[1].Middle(i) }
		if above(i) != above(i-1) {
			at = c.Lines[0].X[i]
		}
	}
	if at > 0 {
		c.References = append(c.References, figures.Reference{
			Label: fmt.Sprintf("medians cross at epoch %g", at), X: []float64{at, at}, Y: []float64{c.Low, c.High},
		})
	}
	return c
}

// trainedErrors shows the training errors.
type trainedErrors struct{}

// Heading says which series they are of.
func (trainedErrors) Heading() string { return ", trained periods" }

// Chart implements figures.View.
func (trainedErrors) Chart(title string, p figures.Panel) figures.Chart {
	v := decayErrors
	v.Of, v.Y, v.Memoryless = record.Train, "training squared error (scaled)", ""
	return v.Curves(title, p)
}

// forgetBias is that of TensorFlow's LSTM, which C's authors used.
var forgetBias = []chrono.GateInit{chrono.Standard{Forget: 1}}

// comparison is Figure 5 at one scale.
type comparison struct{ forecast }

// atOnce is how many trials a graph of Figure 5 has at most.
const atOnce = 5

// Runs implements experiment.Declaration: a run for each arm and each five trials.
func (c comparison) Runs(seeds []uint64) []experiment.Run {
	var runs []experiment.Run
	for _, g := range experiment.Graphs(len(seeds), atOnce, atOnce) {
		runs = append(runs,
			c.zero(zeroArm+g.Suffix, c.trials(zeroArm, seeds)[g.From:g.To], forgetBias),
			c.contextual(learnedArm+g.Suffix, c.trials(learnedArm, seeds)[g.From:g.To], forgetBias))
	}
	return runs
}
