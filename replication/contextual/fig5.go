package contextual

import (
	"math"
	"math/rand/v2"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Fig5 is C Figure 5: LSTMs that begin in zeros, C(2a), and in a learned distribution, C(4), on linear cosine decay.
var Fig5 = figures.Figure{
	Paper: paper, Name: "fig5",
	Title: "Initial states of LSTMs on linear cosine decay",
	Panels: []experiment.Panel{
		decayPanel("", "our batches and weights", 10, false, false),
		decayPanel("beyond-order", "authors' batches", 5, true, false),
		decayPanel("beyond-authors", "authors' batches, weights", 10, true, true),
	},
	Views: []figures.View{
		figures.Curves{
			Of: validError, Log: true, Low: 5e-5, High: 0.1, Levels: bestConstant, After: ", new periods",
		},
		figures.Curves{
			Of: record.Train, Y: "training squared error (scaled)", Log: true, Low: 5e-5, High: 0.1,
			After: ", trained periods",
		},
	},
	Found: "A learned initial state is ahead early; at the end it is behind with our batches and weights (a, b), " +
		"and ahead on average with the authors' (e, f).",
	Caption: "Squared error of LSTMs on linear cosine decay: (a, c, e) on periods that they were not trained on, at " +
		"the mean of the initial state, as in the authors' code; (b, d, f) in training, where the learned initial " +
		"state is sampled. Zero reads T at every step, learned only through its initial state. (a, b) are with our " +
		"batches and initial weights, (c, d) with the authors' batches, where nearly every batch has series of one " +
		"period, and (e, f) with their batches and initial weights.",
	Layout:     figures.Layout{Height: 2.5 * figures.Inch},
	Conditions: decayConditions, Claims: fig5Claims,
}

// decayPanel declares a panel of Figure 5, whose records go by the name of a figure.
func decayPanel(of, title string, trials int, sorted, glorot bool) experiment.Panel {
	size := func(f forecast, trials int) experiment.Size {
		f.sorted, f.glorot = sorted, glorot
		return experiment.Size{Trials: trials, Runs: f.bothArms}
	}
	return experiment.Panel{
		Name: "decay", Of: of, Title: title, X: "epochs", Y: "validation squared error (scaled)",
		Arms: []experiment.Arm{
			{Name: zero.Name, Label: "zero, reads T at every step"},
			{Name: learned.Name, Label: "learned distribution"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: size(quickForecast, 3), record.Paper: size(paperForecast, trials),
		},
	}
}

func bestConstant(figures.Panel) []figures.Reference {
	return []figures.Reference{figures.Level("best constant", validatedDecay.Memoryless())}
}

// forgetBias is that of TensorFlow's LSTM, which C's authors used.
var forgetBias = []chrono.GateInit{chrono.Standard{Forget: 1}}

// bothArms has a run for each arm and each five trials. With the authors' weights, learned networks continue the
// examples of Figure 6 at the end.
func (f forecast) bothArms(seeds []uint64) (runs []experiment.Run) {
	for _, g := range experiment.Graphs(len(seeds), 5, 5) {
		learned := f.contextual(learned.Name+g.Suffix, f.trials(learned.Name, seeds)[g.From:g.To])
		if f.glorot {
			learned.Tests = append(learned.Tests, f.generating(learned.Length.Total())...)
		}
		runs = append(runs, f.zero(zero.Name+g.Suffix, f.trials(zero.Name, seeds)[g.From:g.To]), learned)
	}
	return runs
}

// JointGlorot draws the matrices of a cell of four gates as one Glorot-uniform matrix [Inputs + H, 4H], and read-outs
// as cell.He does.
type JointGlorot struct{ Inputs int }

func (g JointGlorot) Draw(rng *rand.Rand, role cell.Role, rows, columns int) []float64 {
	if role == cell.Output {
		return cell.He{}.Draw(rng, role, rows, columns)
	}
	const gates = 4
	limit := math.Sqrt(6 / float64(g.Inputs+columns+gates*columns))
	return experiment.UniformWithin{Limit: limit}.Draw(rng, role, rows, columns)
}
