package figures

import (
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A panel is a declared panel, and what it is drawn from.
type panel struct {
	experiment.Panel
	styles  []string         // names of arms of its figure, each at the place of its style
	records []*record.Record // of one scale; none if it was not run
	missing []string         // labels of arms that were not run, though others were
}

// style is an arm's, the same in every chart of its figure, and in the curves of a record of it.
func (p panel) style(arm string) int { return slices.Index(p.styles, arm) }

// styles are the names of a figure's arms, each at the place of its style. An arm that several panels have is one.
func (d drawing) styles() []string {
	names := slices.Clone(d.arms)
	for _, p := range d.Panels {
		for _, arm := range p.Arms {
			if !slices.Contains(names, arm.Name) {
				names = append(names, arm.Name)
			}
		}
	}
	return names
}

// find returns a panel with its records of the largest scale that has all of its arms, or else of the largest that has
// any.
func (d drawing) find(records []*record.Record, declared experiment.Panel) panel {
	best := panel{Panel: declared, styles: d.styles()}
	for _, scale := range record.Scales { // ascending
		at := panel{Panel: declared, styles: best.styles}
		for _, r := range records {
			if isOf(r.Header, d.Figure, declared) && r.Scale == scale && r.End != nil {
				at.records = append(at.records, r)
			}
		}
		for _, arm := range declared.Arms {
			if !slices.ContainsFunc(at.records, func(r *record.Record) bool { return len(r.Arm(arm.Name)) > 0 }) {
				at.missing = append(at.missing, arm.Label)
			}
		}
		if len(at.records) > 0 && (len(at.missing) == 0 || len(best.records) == 0 || len(best.missing) > 0) {
			best = at
		}
	}
	return best
}

func isOf(h record.Header, figure experiment.Figure, panel experiment.Panel) bool {
	return h.Paper == figure.Paper && h.Figure == figure.Name && h.Panel == panel.Name
}

// title is the panel's title at the scale of its records. Where that is not the paper's, it also says what the paper
// has.
func (p panel) title() string {
	if len(p.records) == 0 {
		return p.Title
	}
	here := p.Sizes[p.records[0].Scale].Title
	if here == "" {
		return p.Title
	}
	ours, paper := strings.Fields(here), strings.Fields(p.Title)
	for len(ours) > 0 && len(paper) > 0 && ours[0] == paper[0] { // of "copy, T = 500" the number is enough
		ours, paper = ours[1:], paper[1:]
	}
	return here + " (paper: " + strings.Join(paper, " ") + ")"
}

// memoryless returns the memoryless loss of all trials; false if some have none, or another.
func memoryless(records []*record.Record) (loss float64, ok bool) {
	for _, r := range records {
		for _, t := range r.Trials {
			if t.Memoryless == nil || ok && *t.Memoryless != loss {
				return 0, false
			}
			loss, ok = *t.Memoryless, true
		}
	}
	return loss, ok
}
