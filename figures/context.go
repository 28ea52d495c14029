package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// contextDrawings are C's figures.
var contextDrawings = []drawing{
	{
		Figure: experiment.Figure{Paper: contextual.Paper, Name: "fig1"},
		says: "The network of associative retrieval, with the sizes of the declared experiment. Each character is " +
			"embedded by the same table. The first one is also the context of which g makes the first state.",
		columns: 1, height: 2.7 * vg.Inch,
		examples: []Chart{retrieverSchematic()},
	}, {
		Figure: contextual.Fig2,
		says: "Fast weights in associative retrieval, on a validation set: zero, free and learned first states, and " +
			"two controls that are not the paper's. Of the two levels one knows which digits there are, but not " +
			"which belongs to which letter; the other knows nothing.",
		views:   retrieved,
		columns: 2, height: 2.2 * vg.Inch,
	}, {
		Figure: experiment.Figure{Paper: contextual.Paper, Name: "fig3"},
		says: "The network of linear cosine decay, with the sizes of the declared experiment. To generate a series, " +
			"the predicted change is added to the last value, and read next (dashed).",
		columns: 1, height: 2.7 * vg.Inch,
		examples: []Chart{forecasterSchematic()},
	}, {
		Figure: experiment.Figure{Paper: contextual.Paper, Name: "fig4"},
		says: fmt.Sprintf("A series of the linear cosine decay task, with α = %g, β = %g, T = %g, t_f = %d and "+
			"x(0) = %g, and its envelope. At t = 0 it is %g.", contextual.Fig4.Task.Alpha, contextual.Fig4.Task.Beta,
			contextual.Fig4.Periods, contextual.Fig4.Task.Final, contextual.Fig4.Start, contextual.Fig4.At(0)),
		columns: 1, height: 2.2 * vg.Inch,
		examples: []Chart{decayExample()},
	}, {
		Figure: contextual.Fig5,
		says: "Squared error of LSTMs on linear cosine decay, on periods that they were not trained on, at the mean " +
			"of the first state.",
		views:   []view{{kind: decayErrors}},
		columns: 1, height: 2.5 * vg.Inch,
	}, {
		Figure: contextual.Fig6,
		says: "Continuations of one series of each period, generated from ten sampled first states by the model of " +
			"the first trial. The paper shows T = 2 and 3 after the last epoch.",
		shows: "Thin lines are samples; the band is one standard deviation to either side of their mean.",
		views: []view{
			trajectoriesOf(2, 0), trajectoriesOf(3, 0), trajectoriesOf(1, 0), trajectoriesOf(4, 0),
			trajectoriesOf(2, 20), trajectoriesOf(3, 20), trajectoriesOf(2, 5), trajectoriesOf(3, 5),
			trajectoriesOf(2, 1), trajectoriesOf(3, 1),
		},
		columns: 2, height: 1.55 * vg.Inch,
	}, {
		Figure: contextual.BeyondStart,
		says: "Beyond the paper: does a learned first state make up for a bad start? As Figure 2, but from the " +
			"start weights of the authors' program, where all symbols have the same embedding, zero.",
		views:   retrieved,
		columns: 2, height: 2.2 * vg.Inch,
	}, {
		Figure: contextual.BeyondOrder,
		says: "Beyond the paper: does the order of the training series matter? As Figure 5, but in the order of the " +
			"authors' program, where nearly every batch has series of one period.",
		views:   []view{{kind: decayErrors}},
		columns: 1, height: 2.5 * vg.Inch,
	}, {
		Figure: contextual.BeyondWarping,
		says: "Beyond both papers: does a learned first state help under time warping? Training loss of gated " +
			"networks of the first paper's Figure 1; memoryless is the loss of the best model without memory.",
		views:   []view{{kind: curves{}}},
		columns: 1, height: 2.5 * vg.Inch,
	}, {
		Figure: contextual.BeyondChrono,
		says: "Beyond both papers: does the chrono initialization help on linear cosine decay? As Figure 5, with " +
			"forget biases of 1 and with those of the chrono initialization for Tmax = 25.",
		views:   []view{{kind: decayErrors}},
		columns: 1, height: 2.5 * vg.Inch,
	},
}

// retrieved is what Figure 2 shows.
var retrieved = []view{
	{kind: series{name: "valid_log_likelihood", y: "log likelihood (nats)", low: -2.5, high: 0.05,
		levels: likelihoods, solved: 0.99, by: "valid_accuracy"}},
	{kind: series{name: "valid_accuracy", y: "accuracy (%)", percent: true, high: 102, levels: accuracies,
		solved: 0.99, by: "valid_accuracy"}},
}

// decayErrors are the errors of Figure 5.
var decayErrors = series{name: "valid_error", log: true, low: 1e-4, high: 0.1, memoryless: "best constant"}

func trajectoriesOf(period float64, epoch int) view {
	k := trajectories{period, epoch}
	return view{kind: k, heading: k.heading()}
}

// likelihoods and accuracies are what can be had of retrieval without its point.
func likelihoods(p panel) []level {
	t, ok := contextual.RetrievalAt(p.records[0].Scale)
	if !ok {
		return nil
	}
	loss, _ := t.Unbound()
	return []level{{unboundLabel, -loss}, {nothingLabel, -t.Memoryless()}}
}

func accuracies(p panel) []level {
	t, ok := contextual.RetrievalAt(p.records[0].Scale)
	if !ok {
		return nil
	}
	_, accuracy := t.Unbound()
	return []level{{unboundLabel, 100 * accuracy}, {nothingLabel, 100 * math.Exp(-t.Memoryless())}}
}

const (
	unboundLabel = "knows the digits, not whose they are"
	nothingLabel = "knows nothing"
)

// decayExample is Figure 4.
func decayExample() Chart {
	e := contextual.Fig4
	c := CurveChart{
		X: "t", Y: "x(t)", End: float64(e.Task.Final), High: 4.5,
	}
	wave, envelope := Line{Label: "x(t)"}, Reference{Label: "x(0)·(1 − t/t_f)"}
	for t := range e.Task.Final + 1 {
		x := e.At(float64(t))
		wave.X = append(wave.X, float64(t))
		wave.Y = append(wave.Y, record.Spread{N: 1, Mean: x, Min: x, Max: x})
	}
	envelope.X, envelope.Y = []float64{0, float64(e.Task.Final)}, []float64{e.Start, 0}
	c.Lines, c.References = []Line{wave}, []Reference{envelope}
	return c
}

// Colours of parts.
const (
	dataShade  = 2
	layerShade = 1
	stateShade = 0
	firstShade = 3
)

// retrieverSchematic is Figure 1: the example of C Section 2.2.1 below, its answer above.
func retrieverSchematic() Chart {
	network := contextual.RetrieverSketch()
	const (
		text        = "c9k8j3f1??k"
		answer      = "8"
		left, right = 0.26, 0.97
		symbols     = 0.03
		psi         = 0.11
		cells       = 0.21
		headRow     = 0.29
		answerRow   = 0.37
		size        = 0.042
	)
	s := SchematicChart{}
	step := (right - left) / float64(len(text)-1)
	box := func(x, y, width float64, text string, shade int) {
		s.Boxes = append(s.Boxes, Box{X: x, Y: y, Width: width, Height: size, Text: text, Shade: shade})
	}
	arrow := func(through ...[2]float64) { s.Arrows = append(s.Arrows, Arrow{Through: through}) }
	half := size / 2
	for t, symbol := range text {
		x := left + float64(t)*step
		box(x, symbols, size, string(symbol), dataShade)
		box(x, psi, size, "ψ", layerShade)
		box(x, cells, size, "FW", stateShade)
		arrow([2]float64{x, symbols + half}, [2]float64{x, psi - half})
		arrow([2]float64{x, psi + half}, [2]float64{x, cells - half})
		if t > 0 {
			arrow([2]float64{x - step + half, cells}, [2]float64{x - half, cells})
		}
	}
	hidden := network.Units()
	box(0.09, psi, 0.1, "g", layerShade)
	box(0.09, cells, 0.1, "h0, A0", firstShade)
	arrow([2]float64{left - half, psi}, [2]float64{0.14, psi})
	arrow([2]float64{0.09, psi + half}, [2]float64{0.09, cells - half})
	arrow([2]float64{0.14, cells}, [2]float64{left - half, cells})
	box(right, headRow, 0.06, "ReLU", layerShade)
	box(right, answerRow, size, answer, dataShade)
	arrow([2]float64{right, cells + half}, [2]float64{right, headRow - half})
	arrow([2]float64{right, headRow + half}, [2]float64{right, answerRow - half})
	s.Texts = []Box{
		{X: 0.09, Y: 0.055, Text: fmt.Sprintf("%d → %d + %d²", network.Embedding, hidden, hidden)},
		{X: 0.75, Y: headRow, Text: fmt.Sprintf("%d units, then %d answers", network.Head, network.Answers)},
		{X: 0.42, Y: cells + 0.045, Text: fmt.Sprintf("fast weights, %d units", hidden)},
		{X: 0.09, Y: symbols - 0.005, Text: fmt.Sprintf("ψ: %d → %d", network.Symbols, network.Embedding)},
	}
	return s
}

// forecasterSchematic is Figure 3.
func forecasterSchematic() Chart {
	network, first := contextual.ForecasterSketch()
	contextual := first.Mean.(cell.Contextual)
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
	s := SchematicChart{}
	box := func(x, y, width float64, text string, shade int) {
		s.Boxes = append(s.Boxes, Box{X: x, Y: y, Width: width, Height: size, Text: text, Shade: shade})
	}
	arrow := func(through ...[2]float64) { s.Arrows = append(s.Arrows, Arrow{Through: through}) }
	box(0.07, inputs, 0.1, "x0, T", dataShade)
	box(0.07, cells, 0.1, fmt.Sprintf("ReLU %d", contextual.Hidden[0]), layerShade)
	box(0.22, cells, 0.1, "mean μ", layerShade)
	box(0.22, inputs, 0.1, "σ", layerShade)
	box(0.37, cells, 0.1, "h0, c0", firstShade)
	arrow([2]float64{0.07, inputs + half}, [2]float64{0.07, cells - half})
	arrow([2]float64{0.12, cells}, [2]float64{0.17, cells})
	arrow([2]float64{0.27, cells}, [2]float64{0.32, cells})
	arrow([2]float64{0.27, inputs}, [2]float64{0.37, inputs}, [2]float64{0.37, cells - half})
	for t := range 3 {
		x := left + float64(t)*step
		end := fmt.Sprint(t)
		next := fmt.Sprint(t + 1)
		name := "LSTM"
		if t == 2 {
			end, next = fmt.Sprint(network.Task.Final-1), fmt.Sprint(network.Task.Final)
		}
		box(x, inputs, 0.06, "x"+end, dataShade)
		box(x, cells, 0.08, name, stateShade)
		box(x, outputs, 0.06, "δx"+next, layerShade)
		box(x, values, 0.06, "x"+next, dataShade)
		arrow([2]float64{x, inputs + half}, [2]float64{x, cells - half})
		arrow([2]float64{x, cells + half}, [2]float64{x, outputs - half})
		arrow([2]float64{x, outputs + half}, [2]float64{x, values - half})
		from := x - step + 0.04
		if t == 0 {
			from = 0.42
		}
		arrow([2]float64{from, cells}, [2]float64{x - 0.04, cells})
		if t == 0 {
			s.Arrows = append(s.Arrows, Arrow{Dashed: true, Through: [][2]float64{
				{x + 0.03, values}, {x + step/2, values}, {x + step/2, inputs}, {x + step - 0.03, inputs},
			}})
		}
	}
	s.Texts = []Box{
		{X: 0.22, Y: 0.28, Text: "h0 = μ + softplus(σ)·ε"},
		{X: 0.92, Y: cells, Text: fmt.Sprintf("%d units", network.Units())},
		{X: left + 1.5*step, Y: values, Text: "…"},
	}
	return s
}
