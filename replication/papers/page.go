package papers

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// Page returns judgements as a page, with the titles of papers and figures and with what runs cost.
func Page(judgements []claim.Judgement) claim.Page {
	titles, terms := map[string]string{}, map[string]string{}
	for _, paper := range All {
		titles[paper.Name], terms[paper.Name] = paper.Title, paper.Terms
	}
	for _, f := range All.Figures() {
		if number, ok := strings.CutPrefix(f.Name, "fig"); ok {
			titles[f.ID()] = "Figure " + number + ": " + f.Title
		} else {
			titles[f.ID()] = f.Title
		}
	}
	for _, paper := range All {
		titles[paper.Name+"/text"] = "Claims of the text"
	}
	return claim.Page{Judgements: judgements, Titles: titles, Terms: terms, Hours: Hours}
}

// measured has what runs that are declared cost. Its comment says how that was measured.
//
//go:embed hours.txt
var measured string

// Hours returns the core-hours that training takes for a run, if that was measured: with more trials than are declared,
// in proportion; of a figure, those of all its panels.
func Hours(run claim.Run) (hours float64, ok bool) {
	for line := range strings.Lines(measured) {
		var figure, panel, scale string
		var took float64
		if n, _ := fmt.Sscan(line, &figure, &panel, &scale, &took); n < 4 || figure != run.Figure ||
			record.Scale(scale) != run.Scale || run.Panel != "" && panel != run.Panel {
			continue
		}
		if run.Trials > 0 {
			took *= float64(run.Trials) / float64(trials(run, panel))
		}
		hours, ok = hours+took, true
	}
	return hours, ok
}

// trials is how many a panel has at a run's scale.
func trials(run claim.Run, panel string) int {
	f, err := All.Figure(run.Figure)
	if err != nil {
		return run.Trials
	}
	return f.Panel(panel).Sizes[run.Scale].Trials
}
