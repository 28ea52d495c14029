package warp

import (
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Pixels asks why chrono begins more slowly than standard on permuted images in our Figure 6, where W has it ahead at
// the end: whether it is that the input gates of slow units are all but closed, or that Tmax is too long, and whether
// chrono catches up in a longer training.
var BeyondPixels = experiment.Figure{
	Paper: Paper, Name: "beyond-pixels",
	Title: "Beyond the paper: what slows the chrono initialization on permuted images?",
	Panels: []experiment.Panel{{
		Name: "pmnist", Title: panelOf(Fig6, "pmnist").Title, X: "epochs", Y: "validation accuracy (%)",
		Arms: []experiment.Arm{
			initializations[0], initializations[1],
			forgetOnly,
			{Name: "quarter", Label: "chrono, a quarter of Tmax"},
		},
		Sizes: map[record.Scale]experiment.Size{
			record.Quick:   pixelFactorsAt(record.Quick, 60, 1),
			record.Reduced: pixelFactorsAt(record.Reduced, 10, 1),
			record.Paper:   pixelFactorsAt(record.Paper, 50, 1),
		},
	}},
	Open: []experiment.Choice{
		{
			Open: "sizes, data and training", Chosen: "those of Figure 6's second panel, but for longer trainings at " +
				"the smaller scales", Why: "the question is about the gates, and about time",
		}, {
			Open: "input biases 0", Chosen: "input gates begin at 1/2 in all units, forget gates as with chrono",
			Why: "the paper has b_i = -b_f, so that a slow unit takes in little at every step: 1/T of it",
		},
	},
}

// pixelFactors is the panel of Pixels at one scale.
type pixelFactors struct{ pixelwise }

// pixelFactorsAt is Figure 6's second panel at a scale, in so many epochs, validated so often in each.
func pixelFactorsAt(scale record.Scale, epochs, checks int) experiment.Size {
	size := panelOf(Fig6, "pmnist").Sizes[scale]
	of := size.Declaration.(pixelwise)
	of.epochs, of.checks = epochs, checks
	size.Declaration = pixelFactors{of}
	return size
}

// Runs implements experiment.Declaration: all four in one graph, with trial k of each as in Figure 6.
func (p pixelFactors) Runs(seeds []uint64) []experiment.Run {
	trials, biases := bothInitializations(seeds, p.tmax())
	for _, arm := range []struct {
		name string
		init chrono.GateInit
	}{{forgetOnly.Name, ForgetOnly{p.tmax()}}, {"quarter", chrono.Chrono{Tmax: p.tmax() / 4}}} {
		for k, seed := range seeds {
			trials = append(trials, record.Trial{Arm: arm.name, Number: k, Seed: seed})
			biases = append(biases, arm.init)
		}
	}
	return []experiment.Run{{Experiment: p.experiment(trials, biases)}}
}
