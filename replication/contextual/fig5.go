package contextual

import (
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"gonum.org/v1/plot/vg"
)

// Fig5 is C Figure 5: LSTMs that begin in zeros, C(2a), and in a learned distribution, C(4), on linear cosine decay.
var Fig5 = figures.Figure{
	Paper: paper, Name: "fig5",
	Title: "First states of LSTMs on linear cosine decay",
	Panels: []experiment.Panel{{
		Name: "decay", Title: "linear cosine decay", X: "epochs", Y: "validation squared error (scaled)",
		Arms: []experiment.Arm{
			{Name: zeroArm, Label: "zero, told T at every step"}, {Name: learnedArm, Label: "learned distribution"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: comparison{quickForecast}},
			record.Paper: {Trials: 5, Declaration: comparison{paperForecast}},
		},
	}},
	Views: []figures.View{decayErrors},
	Caption: "Squared error of LSTMs on linear cosine decay, on periods that they were not trained on, at the mean " +
		"of the first state.",
	Layout: figures.Layout{Columns: 1, Height: 2.5 * vg.Inch},
	Open:   decayChoices,
}

// forgetBias is that of TensorFlow's LSTM, which C's authors used.
var forgetBias = []chrono.GateInit{chrono.Standard{Forget: 1}}

// comparison is Figure 5 at one scale.
type comparison struct{ forecast }

// Runs implements experiment.Declaration: a run for each arm.
func (c comparison) Runs(seeds []uint64) []experiment.Run {
	return []experiment.Run{
		c.zero(zeroArm, c.trials(zeroArm, seeds), forgetBias),
		c.contextual(learnedArm, c.trials(learnedArm, seeds), forgetBias),
	}
}
