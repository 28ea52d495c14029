package warp

import (
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// BeyondPixels asks why chrono begins more slowly than standard on permuted images in our Figure 6, where W has it
// ahead at the end: whether it is that the input gates of slow units are all but closed, or that Tmax is too long, and
// whether chrono catches up in a longer training.
var BeyondPixels = figures.Figure{
	Paper: paper, Name: "beyond-pixels",
	Title:  "Beyond the paper: what slows chrono initialization on permuted images?",
	Panels: []experiment.Panel{pixelFactorsPanel()},
	Views:  []figures.View{validation},
	Caption: "Beyond the paper: what slows chrono initialization on permuted images? Validation accuracy of LSTMs " +
		"that read images pixel by pixel in one random order: with standard and chrono initialization, with " +
		"chrono's forget biases alone, so that input gates begin half open, and with a quarter of the usual Tmax.",
	Layout: figures.Layout{Columns: 1, Height: 2.6 * vg.Inch},
	Open: []figures.Choice{
		{
			Open: "sizes, data and training", Chosen: "those of Figure 6's second panel, but for longer trainings at " +
				"the smaller scales", Why: "the question is about the gates, and about time",
		}, {
			Open: "input biases 0", Chosen: "input gates begin at 1/2 in all units, forget gates as with chrono",
			Why: "the paper has b_i = -b_f, so that a slow unit takes in little at every step: 1/T of it",
		},
	},
}

// pixelFactorsPanel is Figure 6's second panel, with more arms and more epochs, validated once in each.
func pixelFactorsPanel() experiment.Panel {
	epochs := map[record.Scale]int{record.Quick: 60, record.Reduced: 10, record.Paper: 50}
	p := pixelPanel(permuted, "permuted ", permutation, func(s record.Scale, p pixelwise) experiment.Declaration {
		p.epochs, p.checks = epochs[s], 1
		return pixelFactors{p}
	})
	p.Arms = append(slices.Clone(initializations), forgetOnly,
		experiment.Arm{Name: "quarter", Label: "chrono, a quarter of Tmax"})
	return p
}

// pixelFactors is the panel at one scale.
type pixelFactors struct{ pixelwise }

// Runs implements experiment.Declaration: all four in one graph, with trial k of each as in Figure 6.
func (p pixelFactors) Runs(seeds []uint64) []experiment.Run {
	trials, biases := bothInitializations(seeds, p.tmax())
	for _, arm := range []struct {
		name string
		init chrono.GateInit
	}{{forgetOnly.Name, ForgetOnly{p.tmax()}}, {"quarter", chrono.Chrono{Tmax: p.tmax() / 4}}} {
		trials = append(trials, experiment.Trials(record.Trial{Arm: arm.name}, seeds)...)
		biases = append(biases, slices.Repeat([]chrono.GateInit{arm.init}, len(seeds))...)
	}
	return []experiment.Run{{Experiment: p.experiment(trials, biases)}}
}
