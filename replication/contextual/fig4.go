package contextual

import (
	"fmt"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/figures"
)

// Fig4 is C Figure 4: one series of linear cosine decay, which is drawn, and not trained on.
var Fig4 = figures.Figure{
	Paper: paper, Name: "fig4",
	Title:  "A series of linear cosine decay",
	Charts: []figures.Chart{exampleSeries()},
	Caption: fmt.Sprintf("A series of the linear cosine decay task (equation 3), and its envelope, with the paper's "+
		"constants: α = %g, β = %g, %d periods in a decay time of %d steps, and x(0) = %d.", example.Alpha,
		example.Beta, examplePeriods, example.Final, exampleStart),
	Layout: figures.Layout{Columns: 1, Height: 2.2 * figures.Inch},
}

var example = task.Decay{Final: 100, Alpha: 0, Beta: 0.001}

const (
	exampleStart   = 4 // x(0)
	examplePeriods = 4 // T
)

// exampleSeries is x(t), C(3), and its envelope.
func exampleSeries() figures.Chart {
	end := float64(example.Final)
	wave := figures.Line{Label: "x(t)"}
	for t := range example.Final + 1 {
		x := exampleStart * example.At(examplePeriods, float64(t))
		wave.X, wave.Trials = append(wave.X, float64(t)), append(wave.Trials, []float64{x})
	}
	return figures.Chart{
		X: "t", Y: "x(t)", End: end, High: 4.5, Lines: []figures.Line{wave},
		References: []figures.Reference{{
			Label: fmt.Sprintf("envelope, x(0)·(1 − t/%d)", example.Final),
			X:     []float64{0, end}, Y: []float64{exampleStart, 0},
		}},
	}
}
