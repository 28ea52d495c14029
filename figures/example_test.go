package figures_test

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

func ExampleChart() {
	c := figures.Chart{
		Title: "adding", X: "updates", Y: "error", End: 1200, High: 0.25,
		References: []figures.Reference{{Label: "memoryless", X: []float64{0, 1000}, Y: []float64{0.167, 0.167}}},
	}
	for style, slow := range []float64{400, 150} {
		l := figures.Line{Label: []string{"standard", "chrono"}[style], Style: style}
		for update := 0.; update <= 1000; update += 50 {
			loss := 0.167 * math.Exp(-update/slow)
			l.X = append(l.X, update)
			l.Trials = append(l.Trials, []float64{0.8 * loss, loss, 1.2 * loss})
		}
		c.Lines = append(c.Lines, l)
	}
	fmt.Println(figures.Alt(c))
	// Output: adding: error by updates. standard from 0.167 to 0.0137; chrono from 0.167 to 0.000213; memoryless 0.167.
}

// A figure is one value: what is trained for it, and how that is drawn.
func ExampleFigure() {
	figure := figures.Figure{
		Paper: "mine", Name: "fig1", Title: "A GRU on the adding task",
		Panels: []experiment.Panel{{
			Name: "adding", Title: "adding, T = 50", X: "updates", Y: "mean squared error",
			Arms:  []experiment.Arm{{Name: "gru", Label: "GRU"}},
			Sizes: map[record.Scale]experiment.Size{}, // see package warp
		}},
		Views:   []figures.View{figures.Curves{}},
		Caption: "Mean squared error of a GRU.",
		Layout:  figures.Layout{Columns: 1, Height: 2 * vg.Inch},
	}
	r := &record.Record{
		Header: record.Header{
			Paper: "mine", Figure: "fig1", Panel: "adding", Scale: record.Paper, Backend: "go",
			Trials:  []record.Trial{{Arm: "gru", Number: 0}, {Arm: "gru", Number: 1}},
			Updates: 300, Window: 100, Batch: 32, Steps: 50, Units: 64,
		},
		End: &record.End{Updates: 300},
	}
	for update := 100; update <= 300; update += 100 {
		loss := 20 / float64(update)
		r.Points = append(r.Points, record.Point{
			Update: update, Series: record.Train, Values: record.Values{loss, loss / 2},
		})
	}
	fmt.Println(figure.Draw([]*record.Record{r}).Alt())
	// Output:
	// A GRU on the adding task, scale paper. adding, T = 50: mean squared error by updates. GRU from 0.15 to 0.05.
}
