package contextual

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// BeyondAuthors is Figure 5 with the batches and the initial weights of the authors' program. The learned networks also
// continue series after training, as those of Figure 6 do.
var BeyondAuthors = figures.Figure{
	Paper: paper, Name: "beyond-authors",
	Title: "Beyond the paper: linear cosine decay as in the authors' program",
	Panels: []experiment.Panel{{
		Name: "decay", Title: "linear cosine decay, authors' batches and weights", X: "epochs",
		Y: "validation squared error (scaled)", Arms: Fig5.Panels[0].Arms,
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {Trials: 3, Declaration: asAuthors{comparison{authors(quickForecast)}}},
			record.Paper: {Trials: 10, Declaration: asAuthors{comparison{authors(paperForecast)}}},
		},
	}},
	Views: []figures.View{decayErrors},
	Caption: "Beyond the paper: do batches and initial weights decide what Figure 5 shows? Validation error as in " +
		"Figure 5 (a), with the batches and initial weights of the authors' program.",
	Layout: figures.Layout{Columns: 1, Height: 2.5 * vg.Inch},
	Open: []figures.Choice{{
		Open: "what is different from Figure 5",
		Chosen: "batches of one period, as in context/beyond-order; one Glorot-uniform matrix for all inputs, states " +
			"and gates of the LSTM; He's read-out",
		Why: "the authors' code, which has the defaults of TensorFlow's LSTM",
	}},
}

// authors is a forecast with the batches and the initial weights of the authors' program.
func authors(f forecast) forecast {
	f.sorted, f.weights = true, func(inputs int) cell.WeightInit { return JointGlorot{Inputs: inputs} }
	return f
}

// asAuthors is BeyondAuthors at one scale.
type asAuthors struct{ comparison }

// Runs implements experiment.Declaration: those of Figure 5; learned networks continue the examples at the end.
func (a asAuthors) Runs(seeds []uint64) []experiment.Run {
	runs := a.comparison.Runs(seeds)
	for i, run := range runs {
		if run.Trials[0].Arm == learnedArm {
			runs[i].Tests = append(run.Tests, a.generating(run.Length.Total())...)
		}
	}
	return runs
}

// JointGlorot draws the matrices of a cell of four gates as one Glorot-uniform matrix [Inputs + H, 4H], and read-outs
// as cell.He does.
type JointGlorot struct{ Inputs int }

var _ = experiment.Name("context.JointGlorot", JointGlorot{})

// Draw implements cell.WeightInit.
func (g JointGlorot) Draw(rng *rand.Rand, role cell.Role, rows, columns int) []float64 {
	if role == cell.Output {
		return cell.He{}.Draw(rng, role, rows, columns)
	}
	const gates = 4
	limit := math.Sqrt(6 / float64(g.Inputs+columns+gates*columns))
	return cell.UniformWithin{Limit: limit}.Draw(rng, role, rows, columns)
}
