package warp

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// BeyondPixels asks why chrono learns more slowly than standard on permuted images in our Figure 6, where W has it
// ahead at the end: because of the input gates, which are nearly closed in slow units; because Tmax is too long; or
// because what reaches the last state is small, so that the learning rate or the read-out does not suit it.
var BeyondPixels = figures.Figure{
	Paper: paper, Name: "beyond-pixels",
	Title:  "Beyond the paper: what slows chrono initialization on permuted images?",
	Panels: []experiment.Panel{pixelControlsPanel()},
	Views: []figures.View{
		someArms{validation, "gates", []string{standardArm, chronoArm, forgetOnly.Name, inputOnly.Name, tiedChronoArm}},
		someArms{validation, "Tmax", []string{standardArm, chronoArm, "tmax-2", "tmax-7", "tmax-14"}},
		someArms{validation, "rates and read-out", []string{
			standardArm, chronoArm, "standard-rate-4", "chrono-rate-4", "chrono-rate-16", "read-out-6",
		}},
	},
	Caption: "Beyond the paper: what slows chrono initialization on permuted images? Validation accuracy of LSTMs " +
		"that read images pixel by pixel in one random order, one thing changed at a time: (a) which biases follow " +
		"chrono initialization, and a forget gate tied to the input gate; (b) a shorter Tmax; (c) higher learning " +
		"rates, and a read-out whose initial weights are six times as large.",
	Layout: figures.Layout{Columns: 1, Height: 2.6 * vg.Inch, Legends: true},
	Open: []figures.Choice{
		{
			Open: "sizes, data and training", Chosen: "those of Figure 6's second panel, but 10 epochs at scale " +
				"reduced, and 30 at scale quick", Why: "the question is about the beginning of the training",
		}, {
			Open: "input biases 0", Chosen: "input gates begin at 1/2 in all units, forget gates as with chrono",
			Why: "the paper has b_i = -b_f, so that a slow unit takes in little at every step: 1/T of it",
		}, {
			Open: "input biases of chrono alone", Chosen: "forget biases 1, as with standard initialization",
			Why: "if the input gates are what slows the learning, this is slow, too",
		}, {
			Open: "Tmax", Chosen: "a half, a seventh and a fourteenth of the number of pixels: 98, 28 and 14 at " +
				"scale reduced", Why: "14 is a row of these images",
		}, {
			Open: "read-out × 6", Chosen: "its initial weights, with nothing else changed",
			Why: "before training, what differs between images in the last state was measured to be about six times " +
				"as small with chrono as with standard; if the read-out makes up for it, that is why chrono is slow",
		},
	},
}

// someArms shows some of a panel's arms.
type someArms struct {
	figures.OverEpochs
	what  string
	names []string
}

// Heading says what the arms differ in.
func (v someArms) Heading() string { return ": " + v.what }

// Chart implements figures.View.
func (v someArms) Chart(title string, p figures.Panel) figures.Chart {
	p.Arms = slices.DeleteFunc(slices.Clone(p.Arms), func(a experiment.Arm) bool {
		return !slices.Contains(v.names, a.Name)
	})
	return v.OverEpochs.Chart(title, p)
}

// A pixelArm is an LSTM of BeyondPixels, and how it begins.
type pixelArm struct {
	experiment.Arm
	init    func(tmax float64) chrono.GateInit
	tied    bool    // its gates
	rate    float64 // times the panel's
	readOut float64 // its initial weights, times those of all others
}

var pixelArms = []pixelArm{
	{initializations[0], forgetOne, false, 1, 1},
	{initializations[1], chronoOver(1), false, 1, 1},
	{forgetOnly, func(tmax float64) chrono.GateInit { return ForgetOnly{tmax} }, false, 1, 1},
	{inputOnly, func(tmax float64) chrono.GateInit { return InputOnly{tmax} }, false, 1, 1},
	{experiment.Arm{Name: tiedChronoArm, Label: "chrono, tied gates"}, chronoOver(1), true, 1, 1},
	{experiment.Arm{Name: "tmax-2", Label: "chrono, Tmax / 2"}, chronoOver(2), false, 1, 1},
	{experiment.Arm{Name: "tmax-7", Label: "chrono, Tmax / 7"}, chronoOver(7), false, 1, 1},
	{experiment.Arm{Name: "tmax-14", Label: "chrono, Tmax / 14"}, chronoOver(14), false, 1, 1},
	{experiment.Arm{Name: "standard-rate-4", Label: "standard, rate × 4"}, forgetOne, false, 4, 1},
	{experiment.Arm{Name: "chrono-rate-4", Label: "chrono, rate × 4"}, chronoOver(1), false, 4, 1},
	{experiment.Arm{Name: "chrono-rate-16", Label: "chrono, rate × 16"}, chronoOver(1), false, 16, 1},
	{experiment.Arm{Name: "read-out-6", Label: "chrono, read-out × 6"}, chronoOver(1), false, 1, 6},
}

func forgetOne(float64) chrono.GateInit { return chrono.Standard{Forget: 1} }

// chronoOver is chrono initialization with a part of Tmax.
func chronoOver(n float64) func(float64) chrono.GateInit {
	return func(tmax float64) chrono.GateInit { return chrono.Chrono{Tmax: tmax / n} }
}

// pixelControlsPanel is Figure 6's second panel, with more arms and other numbers of epochs, validated once in each.
func pixelControlsPanel() experiment.Panel {
	epochs := map[record.Scale]int{record.Quick: 30, record.Reduced: 10, record.Paper: 50}
	p := pixelPanel(permuted, "permuted ", permutation, func(s record.Scale, p pixelwise) experiment.Declaration {
		p.epochs, p.checks = epochs[s], 1
		return pixelControls{p}
	})
	p.Arms = nil
	for _, a := range pixelArms {
		p.Arms = append(p.Arms, a.Arm)
	}
	return p
}

// pixelControls is the panel at one scale.
type pixelControls struct{ pixelwise }

// Runs implements experiment.Declaration: a run for each arm, with trial k as in Figure 6.
func (p pixelControls) Runs(seeds []uint64) []experiment.Run {
	var runs []experiment.Run
	for _, a := range pixelArms {
		trials := experiment.Trials(record.Trial{Arm: a.Name}, seeds)
		e := p.experiment(trials, []chrono.GateInit{a.init(p.tmax())})
		e.Optimizer.Rates = []float64{a.rate * p.rate}
		network := e.Network.(experiment.Recurrent)
		if a.tied {
			network.Cell = cell.TiedLSTM{Hidden: p.hidden}
		} else {
			e.Tests = append(e.Tests, biasTest(e.Data))
		}
		if a.readOut != 1 {
			network.WeightInit = ScaledReadOut{a.readOut}
		}
		e.Network = network
		runs = append(runs, experiment.Run{Part: a.Name, Experiment: e})
	}
	return runs
}

// ScaledReadOut draws weights as [cell.Orthogonal] does, and multiplies those of the read-out.
type ScaledReadOut struct {
	By float64
}

var _ = experiment.Name("warp.ScaledReadOut", ScaledReadOut{})

// Draw implements cell.WeightInit.
func (s ScaledReadOut) Draw(rng *rand.Rand, role cell.Role, rows, columns int) []float64 {
	values := cell.Orthogonal{}.Draw(rng, role, rows, columns)
	if role == cell.Output {
		for i := range values {
			values[i] *= s.By
		}
	}
	return values
}

// Validate returns a one-line error unless the factor is above 0.
func (s ScaledReadOut) Validate() error {
	if !(s.By > 0) {
		return fmt.Errorf("%#v: want a factor above 0", s)
	}
	return nil
}
