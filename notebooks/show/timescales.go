package show

import (
	"image/color"
	"math"

	"github.com/gomlx/compute/support/xslices"
	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// TimeScales displays how the time scales 1/(1 − σ(b_f)) of LSTMs are spread over the units of all trials: grey
// before training, in colour after. The records are of one panel. Standard and chrono initialization have a chart
// each, and tmax is the longest time scale that chrono began with.
func TimeScales(tmax float64, records ...*record.Record) {
	var charts []*Chart
	for _, arm := range []struct {
		name   string
		colour color.Color
		begin  chrono.GateInit
	}{{"standard", Blue, chrono.Standard{Forget: 1}}, {"chrono", Red, chrono.Chrono{Tmax: tmax}}} {
		const drawn = 10_000 // as many as make the bars smooth
		before := xslices.Map(arm.begin.Draw(chrono.RNG(1, "before training"), drawn).Forget, chrono.TimeScale)
		chart := NewChart(arm.name+" initialization", "1/(1 − σ(b_f)), in steps", "share of the units")
		chart.LogX()
		chart.Histogram("before", Grey, thirds, before, Wide)
		chart.Histogram("after training", arm.colour, thirds, learned(records, arm.name))
		charts = append(charts, chart)
	}
	high := max(charts[0].Y.Max, charts[1].Y.Max)
	for _, chart := range charts {
		chart.RangeX(thirds[0], thirds[len(thirds)-1])
		chart.RangeY(0, high)
	}
	Charts(3.4*vg.Inch, 2.3*vg.Inch, charts...)
}

// learned are the time scales of the units of an arm's trials at the end of their records, of the longest of each.
func learned(records []*record.Record, arm string) []float64 {
	var scales []float64
	for _, t := range claim.From(records...).Trials(armOf(records[0], arm)) {
		scales = append(scales, xslices.Map(t.Vector(warp.ForgetBias), chrono.TimeScale)...)
	}
	return scales
}

func armOf(r *record.Record, arm string) claim.Arm {
	return claim.Arm{Figure: r.Paper + "/" + r.Figure, Panel: r.Panel, Name: arm}
}

// thirds are the edges of bins of a third of an octave, from 1 step to 8192.
var thirds = xslices.Map(xslices.Iota(0.0, 3*13+1), func(k float64) float64 { return math.Exp2(k / 3) })

// Final is an arm's training loss at the end of a record, and of more of its panel, as a share of the memoryless loss:
// the number that the claims call the final loss.
func Final(r *record.Record, arm string, more ...*record.Record) record.Spread {
	final := claim.Series{Of: armOf(r, arm), Name: record.Train, Stat: claim.Final, As: claim.OfMemoryless}
	return record.SpreadOf(final.Read(claim.From(append([]*record.Record{r}, more...)...)).Values())
}
