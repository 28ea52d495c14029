package contextual

import (
	"fmt"

	"github.com/warptime/warptime/figures"
)

// Fig3 is C Figure 3: the network of linear cosine decay, for which nothing is trained here; see Fig5.
var Fig3 = figures.Figure{
	Paper: paper, Name: "fig3",
	Title:  "The network of linear cosine decay",
	Charts: []figures.Chart{forecasterSchematic()},
	Caption: "The network of linear cosine decay. A layer computes the mean μ of the initial state from the first " +
		"value and T, the number of periods (the paper calls it the period); σ is a variable, and ε is drawn from a " +
		"normal distribution. At each step the network reads a value and predicts the change to the next one. In " +
		"training it reads the true values; to generate a series, it reads its own predictions (dashed).",
	Layout: figures.Layout{Columns: 1, Height: 2.7 * figures.Inch},
}

func forecasterSchematic() figures.Chart {
	const (
		inputs  = 0.05
		cells   = 0.17
		outputs = 0.28
		values  = 0.37
		left    = 0.52
		step    = 0.15
		size    = 0.05
		half    = size / 2
	)
	s := figures.Schematic{Height: size, Says: fmt.Sprintf("The first value x0 and the period T go through %d "+
		"units with ReLU to a mean μ. The initial state h0, c0 of an LSTM is μ plus softplus of σ times noise ε. At "+
		"each of %d steps the LSTM reads a value, from x0 on, and predicts the change δx to the next. A dashed arrow "+
		"leads from the predicted x1 back to the input of the second step.", paperForecast.context,
		validatedDecay.Final)}
	context := s.Add(0.07, inputs, 0.1, "x0, T", dataShade)
	hidden := s.Add(0.07, cells, 0.1, fmt.Sprintf("ReLU %d", paperForecast.context), layerShade)
	mean := s.Add(0.22, cells, 0.1, "mean μ", layerShade)
	sigma := s.Add(0.22, inputs, 0.08, "σ", layerShade)
	noise := s.Add(0.37, inputs, 0.14, "softplus(σ)·ε", layerShade)
	state := s.Add(0.37, cells, 0.1, "h0, c0", firstShade)
	s.Chain(context, hidden, mean, state)
	s.Chain(sigma, noise, state)
	for t, n := range []int{0, 1, validatedDecay.Final - 1} {
		x := left + float64(t)*step
		read := s.Add(x, inputs, 0.06, fmt.Sprintf("x%d", n), dataShade)
		cell := s.Add(x, cells, 0.08, "LSTM", stateShade)
		change := s.Add(x, outputs, 0.06, fmt.Sprintf("δx%d", n+1), layerShade)
		next := s.Add(x, values, 0.06, fmt.Sprintf("x%d", n+1), dataShade)
		s.Chain(read, cell, change, next)
		s.Chain(state, cell)
		state = cell
		if t == 0 {
			s.Arrows = append(s.Arrows, figures.Arrow{Dashed: true, Through: [][2]float64{
				{x + 0.03, values}, {x + step/2, values}, {x + step/2, inputs}, {x + step - 0.03, inputs},
			}})
		}
	}
	s.Boxes = append(s.Boxes, []figures.Box{
		{X: 0.25, Y: 0.25, Text: "h0, c0 = μ + softplus(σ)·ε, with ε from N(0, 1)"},
		{X: 0.93, Y: cells, Text: fmt.Sprintf("%d units", paperForecast.hidden)},
		{X: 0.93, Y: values, Text: "next value"},
		{X: 0.93, Y: outputs, Text: "its change"},
		{X: 0.93, Y: inputs, Text: "value read"},
		{X: left + 1.5*step, Y: values, Text: "…"},
	}...)
	return figures.Chart{Drawing: s}
}
