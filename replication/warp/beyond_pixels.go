package warp

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// BeyondPixels asks why chrono learns more slowly than standard on permuted images at rate 1e-3, where W has it ahead
// at the end: because of the input gates, which are nearly closed in slow units; because Tmax is too long; or
// because what reaches the last state is small, so that the learning rate or the read-out does not suit it.
var BeyondPixels = figures.Figure{
	Paper: paper, Name: "beyond-pixels",
	Title:  "Beyond the paper: what slows chrono initialization on permuted images?",
	Panels: []experiment.Panel{pixelControlsPanel()},
	Views: []figures.View{
		someArms{validation, "gates", slices.Concat(pixelBaselines, gateArms)},
		someArms{validation, "Tmax", slices.Concat(pixelBaselines, tmaxArms)},
		someArms{validation, "rates and read-out", slices.Concat(pixelBaselines, rateArms, readOutArms)},
	},
	Caption: "Beyond the paper: what slows chrono initialization on permuted images? Validation accuracy of LSTMs " +
		"that read images pixel by pixel in one random order, one thing changed at a time: (a) which biases follow " +
		"chrono initialization, and a forget gate tied to the input gate; (b) a shorter Tmax; (c) learning rates " +
		"four and sixteen times as high (at sixteen times, most trainings break down), and a read-out whose initial " +
		"weights are six times as large.",
	Layout: figures.Layout{Columns: 1, Height: 2.6 * vg.Inch, Legends: true},
	Open:   choices("beyond-pixels"),
}

// someArms shows some of a panel's arms.
type someArms struct {
	figures.OverEpochs
	what string
	arms []pixelArm
}

// Heading says what the arms differ in.
func (v someArms) Heading() string { return ": " + v.what }

func (v someArms) Chart(title string, p figures.Panel) figures.Chart {
	p.Arms = armsOf(v.arms)
	return v.OverEpochs.Chart(title, p)
}

// A pixelArm is an LSTM of BeyondPixels: how its gates begin, and what else differs from Figure 6.
type pixelArm struct {
	experiment.Arm
	init    func(tmax float64) chrono.GateInit
	tied    bool    // its forget gate, to the input gate
	rate    float64 // factor of the learning rate; 0: 1
	readOut float64 // factor of the read-out's initial weights; 0: 1
}

// The arms at four times the rate.
const standardFaster, chronoFaster = "standard-rate-4", "chrono-rate-4"

func armsOf(arms []pixelArm) (names []experiment.Arm) {
	for _, a := range arms {
		names = append(names, a.Arm)
	}
	return names
}

var (
	pixelBaselines = []pixelArm{
		{Arm: initializations[0], init: forgetOne},
		{Arm: initializations[1], init: chronoOver(1)},
	}
	gateArms = []pixelArm{
		{Arm: forgetOnly, init: func(tmax float64) chrono.GateInit { return ForgetOnly{tmax} }},
		{Arm: inputOnly, init: func(tmax float64) chrono.GateInit { return InputOnly{tmax} }},
		{Arm: experiment.Arm{Name: tiedChronoArm, Label: "chrono, tied gates"}, init: chronoOver(1), tied: true},
	}
	tmaxArms = []pixelArm{
		{Arm: experiment.Arm{Name: "tmax-2", Label: "chrono, Tmax / 2"}, init: chronoOver(2)},
		{Arm: experiment.Arm{Name: "tmax-7", Label: "chrono, Tmax / 7"}, init: chronoOver(7)},
		{Arm: experiment.Arm{Name: "tmax-14", Label: "chrono, Tmax / 14"}, init: chronoOver(14)},
	}
	rateArms = []pixelArm{
		{Arm: experiment.Arm{Name: standardFaster, Label: "standard, rate × 4"}, init: forgetOne, rate: 4},
		{Arm: experiment.Arm{Name: chronoFaster, Label: "chrono, rate × 4"}, init: chronoOver(1), rate: 4},
		{Arm: experiment.Arm{Name: "standard-rate-16", Label: "standard, rate × 16"}, init: forgetOne, rate: 16},
		{Arm: experiment.Arm{Name: "chrono-rate-16", Label: "chrono, rate × 16"}, init: chronoOver(1), rate: 16},
	}
	readOutArms = []pixelArm{
		{Arm: experiment.Arm{Name: "read-out-6", Label: "chrono, read-out × 6"}, init: chronoOver(1), readOut: 6},
	}
	pixelArms = slices.Concat(pixelBaselines, gateArms, tmaxArms, rateArms, readOutArms)
)

func forgetOne(float64) chrono.GateInit { return chrono.Standard{Forget: 1} }

// chronoOver is chrono initialization with a part of Tmax.
func chronoOver(n float64) func(float64) chrono.GateInit {
	return func(tmax float64) chrono.GateInit { return chrono.Chrono{Tmax: tmax / n} }
}

// pixelControlsPanel is Figure 6's second panel, with more arms and other numbers of epochs; at scale reduced its
// baselines have rate 1e-3.
func pixelControlsPanel() experiment.Panel {
	epochs := map[record.Scale]int{record.Quick: 30, record.Reduced: 10, record.Paper: 50}
	p := pixelPanel(permuted, "permuted ", permutation)
	for scale, size := range p.Sizes {
		controls := pixelControls{size.Declaration.(pixelwise)}
		controls.epochs = epochs[scale]
		if scale == record.Reduced {
			controls.rate = paperRate
		}
		size.Declaration = controls
		p.Sizes[scale] = size
	}
	p.Arms = armsOf(pixelArms)
	return p
}

// pixelControls is the panel at one scale.
type pixelControls struct{ pixelwise }

// Runs implements experiment.Declaration: a run for each arm, with trial k as in Figure 6.
func (p pixelControls) Runs(seeds []uint64) []experiment.Run {
	var runs []experiment.Run
	for _, a := range pixelArms {
		trials := experiment.Trials(record.Trial{Arm: a.Name}, seeds)
		e := p.experiment(models{trials, []chrono.GateInit{a.init(p.tmax())}})
		e.Optimizer.Rates = []float64{p.rate * cmp.Or(a.rate, 1)}
		network := e.Network.(experiment.Recurrent)
		if a.tied {
			network.Cell = cell.TiedLSTM{Hidden: p.hidden}
		} else {
			e.Tests = append(e.Tests, biasTest(e.Data))
		}
		if a.readOut != 0 {
			network.WeightInit = ScaledReadOut{a.readOut}
		}
		e.Network = network
		runs = append(runs, experiment.Run{Part: a.Name, Experiment: e})
	}
	return runs
}

// ScaledReadOut draws weights as [cell.Orthogonal] does, and multiplies those of the read-out.
type ScaledReadOut struct {
	By float64 // above 0
}

var _ = experiment.Name("warp.ScaledReadOut", ScaledReadOut{})

func (s ScaledReadOut) Draw(rng *rand.Rand, role cell.Role, rows, columns int) []float64 {
	values := cell.Orthogonal{}.Draw(rng, role, rows, columns)
	if role == cell.Output {
		for i := range values {
			values[i] *= s.By
		}
	}
	return values
}

// Validate returns a one-line error unless the factor is above 0 and finite.
func (s ScaledReadOut) Validate() error {
	if !(s.By > 0) || math.IsInf(s.By, 0) {
		return fmt.Errorf("%#v: want a finite factor above 0", s)
	}
	return nil
}
