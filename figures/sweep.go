package figures

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/warptime/warptime/replication"
)

// architectures are those of Figures 1 and 5, which are parts with a record each. Gated is last, to lie on top where curves overlap.
var architectures = []string{"rnn", "leaky", "gated"}

// architectureRecords returns the records of a panel's architectures at one scale, the largest that has them all, or else the largest that has any.
func architectureRecords(records []*replication.Record, figure, panel string) panelRecords {
	var best panelRecords
	for _, scale := range replication.Scales { // ascending
		var at panelRecords
		for _, a := range architectures {
			i := slices.IndexFunc(records, func(r *replication.Record) bool {
				return r.Figure == figure && r.Panel == panel && r.Part == a && r.Scale == scale && r.End != nil
			})
			if i >= 0 {
				at.records = append(at.records, records[i])
			} else {
				at.missing = append(at.missing, labels[a])
			}
		}
		if len(at.missing) == 0 || len(at.records) > 0 && (len(best.records) == 0 || len(best.missing) > 0) {
			best = at
		}
	}
	return best
}

func architectureLegend() []entry {
	var legend []entry
	for _, a := range architectures {
		legend = append(legend, entry{labels[a], &curve{style: styles[a], glyphs: true}})
	}
	return legend
}

// sweepOf returns a final result of a finished record's models as a curve over the swept value, on an increasing scale.
func sweepOf(r *replication.Record, final string, scale func(float64) float64) *curve {
	c := &curve{style: styles[r.Part], glyphs: true}
	values := map[float64][]float64{}
	for i, v := range r.End.Final[final] {
		if x := r.Models[i].X; x != nil {
			values[*x] = append(values[*x], v)
		}
	}
	for x := range values {
		c.x = append(c.x, x)
	}
	slices.Sort(c.x)
	for _, x := range c.x {
		s := replication.SpreadOf(values[x])
		c.y = append(c.y, replication.Spread{N: s.N, Mean: scale(s.Mean), Min: scale(s.Min), Max: scale(s.Max)})
	}
	return c
}

// A reference is a dashed curve without a spread: what a loss is to be compared with.
type reference struct {
	x, y   []float64
	dashes []vg.Length
}

// referenceOf returns a final result that is the same for all trials of a swept value.
func referenceOf(r *replication.Record, final string, dashes []vg.Length, scale func(float64) float64) *reference {
	c := sweepOf(r, final, scale)
	ref := &reference{x: c.x, dashes: dashes}
	for _, s := range c.y {
		ref.y = append(ref.y, s.Mean)
	}
	return ref
}

func (r *reference) line() draw.LineStyle { return level{dashes: r.dashes}.line() }

// Plot implements plot.Plotter.
func (r *reference) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	var line []vg.Point
	for i, x := range r.x {
		line = append(line, vg.Point{X: trX(x), Y: trY(r.y[i])})
	}
	c.StrokeLines(r.line(), c.ClipLinesXY(line)...)
}

// pad widens an axis by a share of its length on each side, so that glyphs at its ends stay inside the frame.
func pad(a *plot.Axis, share float64) {
	d := share * (a.Max - a.Min)
	if !(d > 0) || math.IsInf(d, 0) {
		d = 1
	}
	a.Min, a.Max = a.Min-d, a.Max+d
}
