package figures

import (
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A Panel is a declared panel, and the records that it is drawn from.
type Panel struct {
	experiment.Panel
	Records []*record.Record // of one scale; none if the panel was not run
	styles  []string         // names of arms of its figure, each at the place of its style
	missing []string         // labels of arms that were not run, though others were
}

// Style is an arm's, the same in every chart of its figure, and in the curves of a record of it.
func (p Panel) Style(arm string) int { return slices.Index(p.styles, arm) }

// Size is the panel at the scale of its records, of which there must be some.
func (p Panel) Size() experiment.Size { return p.Sizes[p.Records[0].Scale] }

// Epoch is the number of updates in an epoch of the panel's experiments, at the scale of its records.
func (p Panel) Epoch() int { return p.Size().Runs([]uint64{0})[0].Length.Updates }

// styles are the names of a figure's arms, each at the place of its style. An arm that several panels have is one.
func (f Figure) styles() []string {
	names := slices.Clone(f.Arms)
	for _, p := range f.Panels {
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
func (f Figure) find(records []*record.Record, declared experiment.Panel) Panel {
	best := Panel{Panel: declared, styles: f.styles()}
	for _, scale := range record.Scales { // ascending
		at := Panel{Panel: declared, styles: best.styles}
		for _, r := range records {
			if isOf(r.Header, f, declared) && r.Scale == scale && r.End != nil {
				at.Records = append(at.Records, r)
			}
		}
		for _, arm := range declared.Arms {
			if !slices.ContainsFunc(at.Records, func(r *record.Record) bool { return len(r.Arm(arm.Name)) > 0 }) {
				at.missing = append(at.missing, arm.Label)
			}
		}
		if len(at.Records) > 0 && (len(at.missing) == 0 || len(best.Records) == 0 || len(best.missing) > 0) {
			best = at
		}
	}
	return best
}

func isOf(h record.Header, f Figure, panel experiment.Panel) bool {
	return h.Paper == f.Paper && h.Figure == f.Name && h.Panel == panel.Name
}

// FullTitle is the panel's title at the scale of its records. Where that is not the paper's, it also says what the
// paper has.
func (p Panel) FullTitle() string {
	if len(p.Records) == 0 || p.Size().Title == "" {
		return p.Title
	}
	ours, paper := strings.Fields(p.Size().Title), strings.Fields(p.Title)
	for len(ours) > 0 && len(paper) > 0 && ours[0] == paper[0] { // of "copy, T = 500" the number is enough
		ours, paper = ours[1:], paper[1:]
	}
	return p.Size().Title + " (paper: " + strings.Join(paper, " ") + ")"
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
