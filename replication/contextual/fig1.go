package contextual

import (
	"fmt"

	"github.com/warptime/warptime/figures"
)

// Fig1 is C Figure 1: the network of associative retrieval, for which nothing is trained here; see Fig2.
var Fig1 = figures.Figure{
	Paper: paper, Name: "fig1",
	Title:  "The network of associative retrieval",
	Charts: []figures.Chart{retrieverSchematic()},
	Caption: "The network of associative retrieval (sizes as in the paper and its authors' code, which has " +
		"37 answers: all symbols). One table ψ " +
		"embeds each character. The first character is also the context: from its embedding, the network g " +
		"computes the initial state h0 and the initial fast weights A0.",
	Layout: figures.Layout{Columns: 1, Height: 2.7 * figures.Inch},
}

// Colours of parts, in both schematics.
const (
	dataShade  = 2
	layerShade = 1
	stateShade = 0
	firstShade = 3
)

// retrieverSchematic is the example of C Section 2.2.1 below, its answer above.
func retrieverSchematic() figures.Chart {
	network := paperRetrieval(1).network(ourWeights[0])
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
	s := figures.Schematic{Height: size, Says: "The characters " + text + " are read from left to right. An " +
		"embedding ψ of each goes to a chain of cells with fast weights, FW. The embedding of the first character " +
		"also goes to a network g, which gives the chain its initial state h0 and fast weights A0. After the last " +
		"character, the chain's state goes through a layer with ReLU to the answer, the digit " + answer + "."}
	step := (right - left) / float64(len(text)-1)
	var embedded, chain []figures.Box
	for t, symbol := range text {
		x := left + float64(t)*step
		read := s.Add(x, symbols, size, string(symbol), dataShade)
		embedded = append(embedded, s.Add(x, psi, size, "ψ", layerShade))
		chain = append(chain, s.Add(x, cells, size, "FW", stateShade))
		s.Chain(read, embedded[t], chain[t])
		if t > 0 {
			s.Chain(chain[t-1], chain[t])
		}
	}
	hidden, last := network.Units(), chain[len(chain)-1]
	s.Chain(embedded[0], s.Add(0.09, psi, 0.1, "g", layerShade), s.Add(0.09, cells, 0.1, "h0, A0", firstShade),
		chain[0])
	s.Chain(last, s.Add(last.X, headRow, 0.06, "ReLU", layerShade), s.Add(last.X, answerRow, size, answer, dataShade))
	s.Boxes = append(s.Boxes, []figures.Box{
		{X: 0.09, Y: 0.055, Text: fmt.Sprintf("g: %d → %d + %d²", network.Embedding, hidden, hidden)},
		{X: 0.75, Y: headRow, Text: fmt.Sprintf("%d units, then %d answers", network.Head, network.Answers)},
		{X: 0.42, Y: cells + 0.045, Text: fmt.Sprintf("fast weights, %d units", hidden)},
		{X: 0.09, Y: symbols - 0.005, Text: fmt.Sprintf("ψ: %d → %d", network.Symbols, network.Embedding)},
	}...)
	return figures.Chart{Drawing: s}
}
