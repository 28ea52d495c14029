package figures

import (
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// A drawing says how a declared figure is drawn.
type drawing struct {
	experiment.Figure
	says    string // the caption's first sentences
	shows   string // what lines and bands are, where they are not means and ranges of trials
	views   []view // of each panel, side by side
	columns int
	down    bool // panels go down the first column before they go on with the second
	height  vg.Length
	arms    []string // names, in the order of their styles; nil: as the panels have them

	examples []Chart // what a figure without panels shows
}

// A view is one of the charts that show a panel.
type view struct {
	kind    kind
	heading string // after the panel's title
}

// drawings are the figures of both papers, in their order.
var drawings = slices.Concat(warpDrawings, contextDrawings)

// warpDrawings are W's.
var warpDrawings = []drawing{
	{
		Figure: warp.Fig1,
		says: "Test loss of three architectures on warped and padded sequences, whose warping is (uniform), or " +
			"is at most (variable), what the horizontal axis says. All vertical axes are alike, and logarithmic; " +
			"an arrow is a mean below 0.0001, and arrows at one value stand side by side. The best possible loss " +
			"is 0, and memoryless is that of the best model without memory.",
		views:   []view{{kind: sweep{final: "test_loss", low: 1e-4, high: 3}}},
		columns: 2, down: true, height: 2 * vg.Inch,
	}, {
		Figure: experiment.Figure{Paper: warp.Paper, Name: "fig2"},
		says: "The task of pure warping on the paper's example: say the previous character. Every step of time " +
			"is a cell, and steps that show the same character of the text have the same shade. Input and output " +
			"are warped alike, so the output always has the shade that the input had one character before. The " +
			"dot is the dummy, while there is no character to say.",
		columns: 1, height: 0.72 * vg.Inch,
		examples: []Chart{
			warpedText("unwarped", slices.Repeat([]int{1}, len(example))),
			warpedText("uniform warping, 4 steps each", slices.Repeat([]int{4}, 9)),
			warpedText("variable warping, 1 to 4 steps each", []int{1, 2, 4, 2, 3, 1, 3, 2, 3, 1, 4, 2, 3, 1, 1, 4}),
		},
	}, {
		Figure: warp.Fig3,
		says: "Training loss of LSTMs on the copy and variable copy tasks, on fresh sequences at every update; " +
			"what is above the frame is cut off. Memoryless is the loss of the best model without memory.",
		views:   []view{{kind: curves{}}},
		columns: 2, height: 2.1 * vg.Inch,
	}, {
		Figure: warp.Fig4,
		says: "Mean squared error of LSTMs on the adding task, on fresh sequences at every update; what is above " +
			"the frame is cut off. Memoryless is the error of the best model without memory.",
		views:   []view{{kind: curves{}}},
		columns: 2, height: 2.1 * vg.Inch,
	}, {
		Figure: warp.Fig5,
		says: "Accuracy of networks trained on short warps and tested on longer ones, up to what the horizontal " +
			"axis says. The leftmost points are for the warps trained on. Test sequences are as long as those of " +
			"the training (left), or as ten of the longest warp (right).",
		views: []view{
			{generalization{"", "accuracy", "dummy", "always answering the dummy"}, ", length as trained"},
			{generalization{"long_", "accuracy", "dummy", "always answering the dummy"}, ", length 10 × warp"},
		},
		columns: 2, height: 2.1 * vg.Inch,
	}, {
		Figure: warp.Fig6,
		says: "Validation accuracy of LSTMs that read images pixel by pixel, row by row (left) or in one random " +
			"order, the same for all (right).",
		views:   []view{{kind: pixelAccuracies}},
		columns: 2, height: 2.1 * vg.Inch,
	}, {
		Figure: warp.Fig7,
		says: "How well text is predicted in validation: LSTMs with recurrent batch normalization, character by " +
			"character, with the statistics of each batch (left), and recurrent highway networks, word by word " +
			"(right). Lower is better; what is above the frame is cut off. As printed in the paper, the biases of " +
			"the transform gates would close the carry gates: the third line is of such networks.",
		views:   []view{{kind: predictions}},
		columns: 2, height: 2.1 * vg.Inch,
	}, {
		Figure: warp.BeyondSafe,
		says: "When is the chrono initialization safe? Updates until the training loss is at most a tenth of the " +
			"memoryless error (adding), or nine tenths of the memoryless loss (copy). A mark above the grey line: " +
			"some trials do not get there in all updates; a thin line goes down to the fastest, if that one does. In " +
			"(e) and (f) Tmax is wrong by the factor on the horizontal axis. A GRU has a bias of -b in its update " +
			"gate where an LSTM has a forget bias of b.",
		views:   []view{{kind: learning{}}},
		columns: 2, height: 2.1 * vg.Inch,
		arms: []string{"bias1", "chrono", "bias2", "bias0", "unknown"}, // chrono is red here too
	}, {
		Figure: warp.BeyondGates,
		says: "Beyond the paper: what must gates be able to learn? Test loss on variable warping, with one gate for " +
			"all units or a gate for each, computed from the input and the network's state h, or by a network of " +
			"its own, of 1 to 64 units. The best possible loss is 0; memoryless is that of the best model without " +
			"memory; an arrow is a mean below 0.001.",
		views:   []view{{kind: sweep{final: "test_loss", low: 1e-3, high: 3}}},
		columns: 1, height: 2.6 * vg.Inch,
	}, {
		Figure: warp.BeyondPlain,
		says: "Beyond the paper: when does a plain RNN fail? Test loss on padded and on warped sequences, at four " +
			"learning rates (left) and, at the only rate that the paper names, from three kinds of start weights " +
			"(right). The best possible loss is 0; memoryless is that of the best model without memory; an arrow is " +
			"a mean below 0.001.",
		views:   []view{{kind: sweep{final: "test_loss", low: 1e-3, high: 3}}},
		columns: 2, height: 2.1 * vg.Inch,
	}, {
		Figure: warp.BeyondPixels,
		says: "Beyond the paper: what slows the chrono initialization on permuted images? Validation accuracy of " +
			"LSTMs that read images pixel by pixel in one random order: with standard and chrono initialization, " +
			"with chrono's forget biases alone, so that input gates begin half open, and with a Tmax of a quarter " +
			"of the pixels.",
		views:   []view{{kind: pixelAccuracies}},
		columns: 1, height: 2.6 * vg.Inch,
	},
}

// figure draws the figure from those of the records that are its own.
func (d drawing) figure(records []*record.Record) *Figure {
	f := &Figure{Paper: d.Paper, Name: d.Name, width: figureWidth, height: d.height}
	f.Caption = d.says
	if number, ok := strings.CutPrefix(d.Name, "fig"); ok { // else it is of no paper, and the caption says so
		f.Caption = "Figure " + number + ". " + d.says
	}
	var tiles []tile
	for _, c := range d.examples {
		tiles = append(tiles, tile{chart: c})
	}
	var panels []lettered
	for _, declared := range d.Panels {
		p := lettered{panel: d.find(records, declared)}
		for _, v := range d.views {
			letter := string(rune('a' + len(tiles)))
			p.letters = join(p.letters, letter)
			t := tile{title: "(" + letter + ") " + p.title() + v.heading}
			if len(p.records) > 0 {
				t.chart = v.kind.chart(t.title, p.panel)
			}
			tiles = append(tiles, t)
		}
		for _, r := range p.records {
			f.sources = append(f.sources, filepath.ToSlash(record.Path("", r.Header))+" "+r.End.SHA256)
		}
		panels = append(panels, p)
	}
	if len(panels) > 0 {
		f.Caption += " " + conditions(panels, d.views[0].kind, d.shows)
	}
	f.rows = arrange(tiles, d.columns, d.down)
	return f
}

// arrange puts tiles into rows, and leaves out those rows of which nothing was run.
func arrange(tiles []tile, columns int, down bool) [][]tile {
	n := (len(tiles) + columns - 1) / columns
	rows := make([][]tile, n)
	for i := range n {
		rows[i] = make([]tile, columns)
	}
	for i, t := range tiles {
		if down {
			rows[i%n][i/n] = t
		} else {
			rows[i/columns][i%columns] = t
		}
	}
	return slices.DeleteFunc(rows, func(row []tile) bool {
		return !slices.ContainsFunc(row, func(t tile) bool { return t.chart != nil })
	})
}
