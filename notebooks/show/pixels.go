package show

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/warptime/warptime/replication/record"
)

// Image returns a chart of ink, from 0, white, to 1, black: rows from the top, each from left to right.
func Image(title string, columns int, ink []float32) *Chart {
	chart := NewChart(title, "", "")
	rows := len(ink) / columns
	chart.Add(plotter.NewImage(inBlack(columns, ink), 0, 0, float64(columns), float64(rows)))
	chart.RangeX(0, float64(columns))
	chart.RangeY(0, float64(rows))
	chart.Y.Tick.Marker = plot.ConstantTicks{}
	if rows > 1 { // else the horizontal axis is time
		chart.X.Tick.Marker = plot.ConstantTicks{}
	} else {
		chart.X.Label.Text = "step"
		chart.Y.Width, chart.Y.Padding = 0, 4 // room for the left half of the number 0
	}
	inked := 0
	for _, v := range ink {
		if v > 0 {
			inked++
		}
	}
	chart.words = fmt.Sprintf("%s: %d rows of %d pixels, %d of all with ink.", title, rows, columns, inked)
	return chart
}

// inBlack is a picture of ink.
func inBlack(columns int, ink []float32) image.Image {
	rows := len(ink) / columns
	return blocks(columns, rows, func(column, row int) color.Color {
		const greys = 32 // few enough for a palette
		grey := math.Round(greys*(1-float64(ink[(rows-1-row)*columns+column]))) / greys
		return color.Gray{uint8(255*grey + 0.5)}
	})
}

// Best is the highest value that a series of a record has in each trial of an arm, before it diverged if it did.
func Best(r *record.Record, arm, series string) record.Spread {
	var best []float64
	for _, trial := range r.Arm(arm) {
		highest := math.Inf(-1)
		for _, p := range r.Series(series) {
			if v := p.Values[trial]; v > highest { // not if it is NaN
				highest = v
			}
		}
		best = append(best, highest)
	}
	return record.SpreadOf(best)
}
