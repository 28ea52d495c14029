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
	letters string           // of its charts on a page: "a, b"
}

// Style is an arm's, the same in every chart of its figure, and in the curves of a record of it.
func (p Panel) Style(arm string) int { return slices.Index(p.styles, arm) }

// Size is the panel at the scale of its records, of which there must be some.
func (p Panel) Size() experiment.Size { return p.Sizes[p.Records[0].Scale] }

// Epoch is the number of updates in an epoch of the panel's experiments, at the scale of its records.
func (p Panel) Epoch() int { return p.Size().Runs([]uint64{0})[0].Length.Updates }

// FullTitle is the panel's title at the scale of its records. Where that is not the paper's, it also says what the
// paper has.
func (p Panel) FullTitle() string {
	if len(p.Records) == 0 || p.Size().Title == "" || p.Size().Title == p.Title {
		return p.Title
	}
	ours, paper := strings.Fields(p.Size().Title), strings.Fields(p.Title)
	for len(ours) > 1 && len(paper) > 1 && ours[0] == paper[0] { // of "copy, T = 500" the number is enough
		ours, paper = ours[1:], paper[1:]
	}
	for len(ours) > 1 && len(paper) > 1 && ours[len(ours)-1] == paper[len(paper)-1] {
		ours, paper = ours[:len(ours)-1], paper[:len(paper)-1]
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
