package figures

import (
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A Panel is a declared panel, and the records that it is drawn from.
type Panel struct {
	experiment.Panel
	Records []*record.Record // of one scale; none if the panel was not run
	styles  []string         // names of arms of its figure, each at the place of its style
	missing []string         // labels of arms that were not run, though others were
	letters []string         // of its charts on a page; that of a single chart is empty
	first   Chart            // of these
}

// Style is an arm's, the same in every chart of its figure, and in the curves of a record of it.
func (p Panel) Style(arm string) int { return slices.Index(p.styles, arm) }

// Size is the panel at the scale of its records, of which there must be some.
func (p Panel) Size() experiment.Size { return p.Sizes[p.Records[0].Scale] }

// Epoch is the number of updates in an epoch of the panel's experiments, at the scale of its records.
func (p Panel) Epoch() int { return p.Size().Runs([]uint64{0})[0].Length.Updates }

// FullTitle is the panel's title at the scale of its records, with that at scale paper where that is smaller.
func (p Panel) FullTitle() string {
	paper := p.TitleAt(record.Paper)
	if len(p.Records) == 0 || p.TitleAt(p.Records[0].Scale) == paper {
		return paper
	}
	return p.TitleAt(p.Records[0].Scale) + " (" + paperSize + ": " + paper + ")"
}

const paperSize = "scale paper"

// remark says, in the picture, whether a panel is of scale paper, and what that is if not, where there is room for it.
func (p Panel) remark(room vg.Length) string {
	r := p.Records[0]
	if r.Scale == record.Paper {
		return paperSize
	}
	var full []string
	if paper := p.TitleAt(record.Paper); p.TitleAt(r.Scale) != paper {
		full = append(full, paper)
	}
	steps, units, updates := map[int]bool{}, map[int]bool{}, 0
	if at := p.Sizes[record.Paper]; at.Runs != nil {
		for _, run := range at.Runs([]uint64{0}) {
			_, n, _ := run.Data.Shape()
			steps[n], units[run.Network.Units()] = true, true
			updates = max(updates, run.Length.Total())
		}
	}
	for n := range steps {
		if len(steps) == 1 && len(full) == 0 && n != r.Steps {
			full = append(full, count(n, "step"))
		}
	}
	for n := range units {
		if len(units) == 1 && n != r.Units {
			full = append(full, count(n, "unit"))
		}
	}
	remark := map[record.Scale]string{record.Reduced: "reduced", record.Quick: "quick preview"}[r.Scale]
	if len(full) > 0 {
		long := remark + " (" + paperSize + ": " + strings.Join(full, ", ") + ")"
		if sans(labelSize, grey).Width(long) <= room {
			remark = long
		}
	} else if updates > r.Updates { // which papers mostly leave open
		remark = "shorter training (" + paperSize + ": " + count(updates, "update") + ")"
	}
	return remark
}

// Memoryless returns the memoryless loss of all trials; false if some have none, or another.
func (p Panel) Memoryless() (loss float64, ok bool) {
	for _, r := range p.Records {
		for _, t := range r.Trials {
			if t.Memoryless == nil || ok && *t.Memoryless != loss {
				return 0, false
			}
			loss, ok = *t.Memoryless, true
		}
	}
	return loss, ok
}
