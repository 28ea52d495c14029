package warp

import (
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/support/xslices"

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
	Title:  "What slows chrono initialization on permuted images?",
	Panels: []experiment.Panel{pixelControlsPanel()},
	Views: []figures.View{
		validationOf("gates", gateArms),
		validationOf("Tmax", tmaxArms),
		validationOf("rate × 4, or read-out", rateArms[:2], readOutArms),
		validationOf("rate × 16", rateArms[2:]),
	},
	Found: "Nearly closed gates slow chrono initialization on permuted images at low rates: it makes up most of its " +
		"delay with its forget biases only (a), all with Tmax / 14 (b), and comes near standard initialization at " +
		"four times the rate (c).",
	Caption: "Validation accuracy of LSTMs that read images pixel by pixel in one random order, one thing changed at " +
		"a time: (a) which biases follow chrono initialization, and a forget gate tied to the input gate; (b) Tmax; " +
		"(c) four times the learning rate, or a read-out whose initial weights are six times as large; (d) sixteen " +
		"times the rate, where chrono leads until most trainings break down. What is below 10 % is cut off.",
	Layout: figures.Layout{Columns: 1, Height: 2.6 * figures.Inch, Legends: true},
}

// validationOf shows some arms beside the baselines, and says what they differ in.
func validationOf(what string, arms ...[]variant) figures.View {
	v := validation(10)
	v.After, v.Arms = figures.After(": "+what), armsOf(slices.Concat(pixelBaselines, slices.Concat(arms...)))
	return v
}

var (
	pixelBaselines = []variant{standard, withChrono}
	gateArms       = []variant{
		forgetOnly, inputOnly, withChrono.as(tiedChrono.Name, "chrono, tied gates").of(units[cell.TiedLSTM]),
	}
	tmaxArms = []variant{
		begin("tmax-2", "chrono, Tmax / 2", chronoOver(2)), begin("tmax-7", "chrono, Tmax / 7", chronoOver(7)),
		begin("tmax-14", "chrono, Tmax / 14", chronoOver(14)),
	}
	standardFaster = standard.as("standard-rate-4", "standard, rate × 4").at(4, nil)
	chronoFaster   = withChrono.as("chrono-rate-4", "chrono, rate × 4").at(4, nil)
	rateArms       = []variant{
		standardFaster, chronoFaster, standard.as("standard-rate-16", "standard, rate × 16").at(16, nil),
		withChrono.as("chrono-rate-16", "chrono, rate × 16").at(16, nil),
	}
	readOutArms = []variant{withChrono.as("read-out-6", "chrono, read-out × 6").at(1, ScaledReadOut{6})}
	pixelArms   = slices.Concat(pixelBaselines, gateArms, tmaxArms, rateArms, readOutArms)
)

// pixelControlsPanel is Figure 6's second panel, with more arms and other numbers of epochs; at scale reduced its
// baselines have rate 1e-3.
func pixelControlsPanel() experiment.Panel {
	at := changed(pixelSizes(permutation), scaled(30, 10, 50), func(p *pixelwise, epochs int) { p.epochs = epochs })
	slower := map[record.Scale]float64{record.Reduced: paperRate}
	at = changed(at, slower, func(p *pixelwise, rate float64) { p.rate = rate })
	p := pixelPanel(permuted, "permuted ", at, pixelwise.controls)
	p.Arms = armsOf(pixelArms)
	return p
}

// controls has a run for each arm, with trial k as in Figure 6.
func (p pixelwise) controls(seeds []uint64) []experiment.Run {
	return xslices.Map(pixelArms, func(a variant) experiment.Run {
		trials := experiment.Trials(record.Trial{Arm: a.Name}, seeds)
		return p.run(a.Name, models{a, trials, []chrono.GateInit{a.init(p.tmax())}})
	})
}

// ScaledReadOut draws weights as [cell.Orthogonal] does, and multiplies those of the read-out.
type ScaledReadOut struct {
	By float64 // above 0
}

func (s ScaledReadOut) Draw(rng *rand.Rand, role cell.Role, rows, columns int) []float64 {
	values := cell.Orthogonal{}.Draw(rng, role, rows, columns)
	if role == cell.Output {
		for i := range values {
			values[i] *= s.By
		}
	}
	return values
}
