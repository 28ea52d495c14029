package figures

import (
	"math"
	"strings"

	"gonum.org/v1/plot"

	"github.com/warptime/warptime/replication"
)

// Fig1 draws W Figure 1: the test loss of three architectures against maximum_warping, for uniform and variable warping and padding.
func Fig1(records []*replication.Record) *Figure {
	panels := []struct{ name, title string }{
		{"uniform-warp", "(a) uniform warping"}, {"uniform-pad", "(b) uniform padding"},
		{"variable-warp", "(c) variable warping"}, {"variable-pad", "(d) variable padding"},
	}
	f := &Figure{Name: "fig1", height: panelHeight}
	var used []panelRecords
	var row []*plot.Plot
	for i, panel := range panels {
		parts := architectureRecords(records, "fig1", panel.name)
		used = append(used, parts)
		if len(parts.records) == 0 {
			row = append(row, notRun(panel.title))
		} else {
			row = append(row, Warping(panel.title, parts.records...))
		}
		if i%2 == 1 {
			f.rows, row = append(f.rows, row), nil
		}
	}
	f.legend = append(architectureLegend(),
		entry{"best possible", level{dashes: dashed}}, entry{"best without memory", level{dashes: dotted}})
	f.Caption = "Figure 1. Test loss in nats per step of three architectures on warped and padded sequences, whose warping is, or is at most, what the horizontal axis says. " +
		"Padded sequences have fewer steps with anything to say the longer the padding is, so their axis is logarithmic; a loss below its end is drawn there. " +
		"Lines are means over the trials, bands their range. " + conditions(used)
	f.drawn(used)
	return f
}

// Warping draws one panel of Figure 1 from the finished records of its architectures.
func Warping(title string, records ...*replication.Record) *plot.Plot {
	p := newPlot(title, "maximum warping", "test loss (nats)")
	padded := len(records) > 0 && strings.HasSuffix(records[0].Panel, "pad")
	scale := func(loss float64) float64 { return loss }
	if padded {
		scale = func(loss float64) float64 { return math.Log10(max(loss, lowestPadLoss)) }
	}
	for _, r := range records {
		p.Add(sweepOf(r, "test_loss", scale))
	}
	if len(records) > 0 { // these are the same for every architecture
		memoryless, best := referenceOf(records[0], "memoryless_loss", dotted, scale), referenceOf(records[0], "best_loss", dashed, scale)
		p.Add(memoryless, best)
		for _, loss := range memoryless.y {
			p.Y.Max = max(p.Y.Max, loss)
		}
	}
	pad(&p.X, 0.03)
	if padded {
		p.Y.Tick.Marker = decades{}
		p.Y.Min, p.Y.Max = scale(0), 0
	} else {
		p.Y.Min = min(p.Y.Min, 0)
		pad(&p.Y, 0.04)
	}
	return p
}

// Where the axis of the padded panels ends: a hundredth of the loss without memory at the longest padding, about 0.02 at 100, and so far
// below what the claims call perfect.
const lowestPadLoss = 1e-4
