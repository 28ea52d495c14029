package contextual

import (
	"fmt"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// BeyondBatch asks whether a free initial state, C(2b), trains in batches of several sequences if it is tiled: the
// variable is the same for all sequences of a batch, which is C's remedy for a free state that does not scale.
var BeyondBatch = figures.Figure{
	Paper: paper, Name: "beyond-batch",
	Title: "A free initial state in larger batches",
	Panels: []experiment.Panel{{
		Name: "retrieval", Title: "retrieval, 4 pairs", X: "sequences in a batch",
		Y:      "updates to learn",
		Arms:   []experiment.Arm{zero, {Name: free.Name, Label: "free, tiled"}},
		Target: solvedShare,
		Sizes: map[record.Scale]experiment.Size{
			record.Quick: {
				Title: "retrieval, 2 pairs", Trials: 3,
				Runs: inBatches(quickRetrieval(1), []batchSize{{1, 30_000}, {8, 10_000}, {128, 1_500}}),
			},
			record.Paper: {
				Trials: 10, Runs: inBatches(paperRetrieval(1), []batchSize{{1, 120_000}, {8, 20_000}, {128, 4_000}}),
			},
		},
	}},
	Views: []figures.View{figures.TimesToLearn{}},
	Found: "In batches of 8 and 128 a free initial state that is tiled learns nearly as fast as zeros.",
	Caption: "Updates until the training loss of fast weights in associative retrieval is a tenth of the memoryless " +
		"loss. Fewer are better. Marks above the grey line: not every trial got there; the bar ends at the fastest " +
		"trial.",
	Layout: figures.Layout{Columns: 1, Height: 2.5 * figures.Inch},
	Claims: batchClaims,
}

type batchSize struct{ sequences, updates int }

// inBatches has a run for each size, each initial state and each graph of trials.
func inBatches(r retrieval, sizes []batchSize) func(seeds []uint64) []experiment.Run {
	return func(seeds []uint64) (runs []experiment.Run) {
		for _, size := range sizes {
			r.batch, r.updates, r.train = size.sequences, size.updates, 0
			for _, arm := range ourWeights[:2] { // zero and free
				for _, g := range experiment.Graphs(len(seeds), 3, 7) { // three trials were trained first
					run := r.run(arm, seeds[g.From:g.To])
					run.Part = fmt.Sprintf("%s-b%03d%s", arm.Name, size.sequences, g.Suffix)
					for i := range run.Trials {
						run.Trials[i].X = experiment.Number(float64(size.sequences))
						run.Trials[i].Number += g.From
					}
					run.Window, run.Tests[0].Every = size.updates/100, size.updates
					runs = append(runs, run)
				}
			}
		}
		return runs
	}
}
