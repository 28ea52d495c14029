package contextual

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/record"
)

// Fig4 is C Figure 4: one series of linear cosine decay, which is drawn, and not trained on.
var Fig4 = figures.Figure{
	Paper: paper, Name: "fig4",
	Title:  "A series of linear cosine decay",
	Charts: []figures.Chart{fig4Series.chart()},
	Caption: fmt.Sprintf("A series of the linear cosine decay task (equation 3), and its envelope, with the paper's "+
		"constants: α = %g, β = %g, %g periods in a decay time of %d steps, and x(0) = %g.", fig4Series.task.Alpha,
		fig4Series.task.Beta, fig4Series.periods, fig4Series.task.Final, fig4Series.start),
	Layout: figures.Layout{Columns: 1, Height: 2.2 * vg.Inch},
}

var fig4Series = exampleSeries{
	task:  task.Decay{Final: 100, Alpha: 0, Beta: 0.001},
	start: 4, periods: 4,
}

// An exampleSeries is one series of the task.
type exampleSeries struct {
	task    task.Decay
	start   float64 // x(0)
	periods float64 // T
}

// at is x(t), C(3).
func (e exampleSeries) at(t float64) float64 { return e.start * e.task.At(e.periods, t) }

// chart is the series and its envelope.
func (e exampleSeries) chart() figures.Chart {
	c := figures.Chart{
		X: "t", Y: "x(t)", End: float64(e.task.Final), High: 4.5,
	}
	wave := figures.Line{Label: "x(t)"}
	envelope := figures.Reference{Label: fmt.Sprintf("envelope, x(0)·(1 − t/%d)", e.task.Final)}
	for t := range e.task.Final + 1 {
		x := e.at(float64(t))
		wave.X = append(wave.X, float64(t))
		wave.Y = append(wave.Y, record.Spread{N: 1, Mean: x, Min: x, Max: x})
	}
	envelope.X, envelope.Y = []float64{0, float64(e.task.Final)}, []float64{e.start, 0}
	c.Lines, c.References = []figures.Line{wave}, []figures.Reference{envelope}
	return c
}
