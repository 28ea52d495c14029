package papers

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/warptime/warptime/replication/claim"
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

// A cost is a line of hours.txt.
type cost struct {
	claim.Run
	hours float64
}

var costs = func() (all []cost) {
	for line := range strings.Lines(measured) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var c cost
		if _, err := fmt.Sscan(line, &c.Figure, &c.Panel, (*string)(&c.Scale), &c.hours); err != nil {
			panic(fmt.Sprintf("hours.txt: %q: %v", line, err))
		}
		all = append(all, c)
	}
	return all
}()

// MeasuredRuns are those of which the cost was measured.
func MeasuredRuns() []claim.Run {
	var runs []claim.Run
	for _, c := range costs {
		runs = append(runs, c.Run)
	}
	return runs
}

// Hours returns the core-hours that training takes for a run, if that was measured: with other trials than are
// declared, in proportion; of a figure, those of all its panels that were measured.
func Hours(run claim.Run) (hours float64, ok bool) {
	for _, c := range costs {
		if c.Figure != run.Figure || c.Scale != run.Scale || run.Panel != "" && c.Panel != run.Panel {
			continue
		}
		took := c.hours
		if f, err := All.Figure(run.Figure); err == nil && run.Trials > 0 {
			took *= float64(run.Trials) / float64(f.Panel(c.Panel).Sizes[run.Scale].Trials)
		}
		hours, ok = hours+took, true
	}
	return hours, ok
}
