package figures

import "github.com/warptime/warptime/replication/record"

// Growing draws a panel as far as its runs are, in one chart, from records that need not be finished: as in its figure,
// where that shows curves which have points by now, else the training losses. The records, of which there must be some,
// are of one panel at one scale.
func (ps Papers) Growing(records []*record.Record) CurveChart {
	f, panel, _ := ps.PanelOf(records[0].Header)
	p := Panel{Panel: panel, styles: f.styles(), Records: records}
	for _, v := range f.Views {
		if v, ok := v.(interface {
			Curves(string, Panel) CurveChart
		}); ok {
			if c := v.Curves(p.FullTitle(), p); len(c.Lines) > 0 {
				return c
			}
		}
	}
	return p.curves()
}
