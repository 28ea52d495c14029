package show

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// What the repository holds of a figure. Figures are named by their identifier, "warp/fig3".

// Figure displays a figure as the records in this repository have it, or says that there are none.
func Figure(id string) {
	records := committed()
	f := Must(papers.All.Figure(id))
	ofIt := func(r *record.Record) bool { return r.Paper == f.Paper && r.Figure == f.Name }
	if len(f.Panels) > 0 && !slices.ContainsFunc(records, ofIt) {
		none(f)
		return
	}
	page(f.Draw(records)).display("")
}

// PanelOf displays the charts of one panel of a figure, as the records in this repository have it.
func PanelOf(id, panel string) {
	records := Records(id, panel)
	if len(records) == 0 {
		return
	}
	for _, chart := range Must(papers.All.PanelCharts(records...)) {
		Panel(chart)
	}
}

// FigureOf displays a figure as it is with these records only, such as those that Watch returned.
func FigureOf(id string, records ...*record.Record) {
	f := Must(papers.All.Figure(id))
	f.Found = "" // by our records
	page(f.Draw(records)).display("")
}

// Claims displays what the paper claims of figures, each claim with its verdict by the records in this repository. An
// identifier may also be that of one claim.
func Claims(ids ...string) {
	judgements := slices.DeleteFunc(Must(papers.Judge(recordsDir(), committed())), func(j claim.Judgement) bool {
		return !slices.Contains(ids, j.Set.ID) && !slices.Contains(ids, j.ID)
	})
	groups := claim.Groups(judgements)
	var b strings.Builder
	for _, g := range groups {
		if len(groups) > 1 {
			fmt.Fprintf(&b, "**%s**\n\n", g.Heading())
		}
		b.WriteString(g.Section + "\n")
	}
	text := strings.ReplaceAll(b.String(), "|---", "|:--") // Jupyter Notebook 6 would align sentences to the right
	c := claim.CountOf(judgements)
	summary := fmt.Sprintf("%d claims. At the paper's size: %s", c.Claims, answers(c.Paper))
	if c.Smaller[claim.NotRun] < c.Claims {
		summary += ". In smaller runs: " + answers(c.Smaller)
	}
	if c.Claims == 0 {
		summary = fmt.Sprintf("%d predictions and checks of our own", len(judgements))
	}
	details(summary, text)
}

// answers lists how many claims got each answer.
func answers(counts map[claim.Answer]int) string {
	var parts []string
	for _, a := range claim.Answers {
		if n := counts[a]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %v", n, a))
		}
	}
	return strings.Join(parts, ", ")
}

// Choices displays what the paper leaves open in a figure, what is done here, and why.
func Choices(id string) {
	rows := papers.All.Open(Must(papers.All.Figure(id)).ID())
	summary := fmt.Sprintf("%d choices, with reasons", strings.Count(rows, "\n"))
	details(summary, "| Open | Here | Why |\n|:--|:--|:--|\n"+rows)
}

// details displays Markdown behind a line that a click opens.
func details(summary, text string) {
	const format = "<details><summary>%s</summary>\n\n%s\n\n</details>\n"
	Markdown(fmt.Sprintf(format, summary, strings.TrimSpace(text)))
}

// Record is Records of a panel that is trained in one graph: the record, or nil. With more of them it stops the cell.
func Record(id, panel string) *record.Record {
	records := Records(id, panel)
	if records == nil {
		return nil
	}
	Assert(len(records) == 1, "%s %s has %d records: use Records", id, panel, len(records))
	return records[0]
}

// Records returns the records of a figure's panel that its picture shows. If there is none, it says so and returns
// none.
func Records(id, panel string) []*record.Record {
	f := Must(papers.All.Figure(id))
	shown := f.Shown(committed(), panel)
	if len(shown) == 0 {
		none(f)
	}
	return shown
}

func none(f figures.Figure) {
	Markdown(fmt.Sprintf("*There is no record of it in `%s`. To make them: `go run ./scripts/replicate -figure %s "+
		"-scale paper`.*", filepath.Join(recordsDir(), f.ID()), f.ID()))
}

// committed reads all records of the repository.
func committed() []*record.Record { return Must(record.ReadAny(recordsDir())) }

func recordsDir() string { return filepath.Join(root(Must(os.Getwd())), papers.Committed) }

// root finds this repository from the notebook's directory upwards: the notebook may be a copy.
func root(notebook string) string {
	for at := notebook; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, papers.Committed)); err == nil || at == filepath.Dir(at) {
			return at
		}
	}
}
