package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"

	"github.com/warptime/warptime/replication"
)

// Fig5 draws W Figure 5: the accuracy of three architectures on warps longer than those that they were trained on.
func Fig5(records []*replication.Record) *Figure {
	f := &Figure{Name: "fig5", height: 1.2 * panelHeight}
	parts := architectureRecords(records, "fig5", "generalization")
	p := notRun("generalization to longer warps")
	trained := ""
	if len(parts.records) > 0 {
		p = Generalization(parts.records...)
		if x, ok := parts.records[0].Number("train_warp"); ok {
			trained = fmt.Sprintf("warps between 1 and %g (the leftmost points are for these) and tested on ", x)
		}
	}
	f.rows = [][]*plot.Plot{{p}}
	f.legend = architectureLegend()
	f.Caption = "Figure 5. Accuracy of three architectures trained on " + trained + "longer ones, up to what the horizontal axis says. " +
		"Lines are means over the trials, bands their range. " + conditions([]panelRecords{parts})
	f.drawn([]panelRecords{parts})
	return f
}

// Generalization draws the panel of Figure 5 from the finished records of its architectures.
func Generalization(records ...*replication.Record) *plot.Plot {
	p := newPlot("", "maximum warp in the test set", "accuracy (%)")
	if len(records) > 0 {
		if trained, ok := records[0].Number("train_warp"); ok {
			p.Add(span{trained, "trained on"})
		}
	}
	for _, r := range records {
		c := &curve{style: styles[r.Part], glyphs: true}
		add := func(x float64, final string) {
			if values, ok := r.End.Final[final]; ok {
				s := replication.SpreadOf(values)
				c.x = append(c.x, x)
				c.y = append(c.y, replication.Spread{N: s.N, Mean: 100 * s.Mean, Min: 100 * s.Min, Max: 100 * s.Max})
			}
		}
		if trained, ok := r.Number("train_warp"); ok {
			add(trained, "valid_accuracy")
		}
		for _, warp := range r.TestWarps() {
			add(warp, replication.TestAccuracy(warp))
		}
		p.Add(c)
	}
	p.X.Min = 0
	p.Y.Min = max(0, 10*math.Floor(p.Y.Min/10-0.2)) // a little below the lowest point, since accuracies start far from 0
	p.Y.Max = 100
	pad(&p.X, 0.02)
	pad(&p.Y, 0.03)
	return p
}
