// Figures draws all figures and checks all claims against the records of finished runs. It trains nothing and takes
// seconds.
package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/scripts/internal/command"
)

const usage = `Usage: go run ./scripts/figures [options]

Draws all figures, as SVG and PNG, and prints the verdicts on all claims, from
the records of finished runs. Trains nothing.
`

const exitCodes = `Exit codes: 0 done; 2 bad input, or a file could not be written: one line reports
it, and no file is half written; 130 interrupted.
`

func main() { command.Main("figures", "interrupted; figures that were drawn are complete", run) }

// run is main without the exit. All input is read and checked before anything is written.
func run(ctx context.Context, args []string, out *command.Output) error {
	flags := command.NewFlags(usage, exitCodes)
	recordsDir := flags.String("records", "replication/records", "read the records in these `dirs`, separated by "+
		"commas; copies of one run must have the same numbers")
	dir := flags.String("out", "figures", "write the figures to `dir`")
	claims := flags.String("claims", "", "also write the table of claims to `file`; an existing file is replaced only "+
		"if it is such a table; in this project CLAIMS.md")
	readme := flags.String("readme", "", "also write a summary of the verdicts into `file`, between its two marker "+
		"lines; in this project README.md")
	web := flags.String("web", "", "also write each figure to `dir` as the book shows it: an SVG that shows values "+
		"where the pointer is, its points as CSV, its caption in figures.json")
	if done, err := flags.Parse(args, out); done {
		return err
	}

	records, err := readAll(strings.Split(*recordsDir, ","))
	if err != nil {
		return err
	}
	if err := experiment.CheckDeclared(papers.All.Trained(), records); err != nil {
		return err
	}
	judgements := judge(records)
	documents := map[string][]byte{}
	if *claims != "" {
		if err := command.Replaceable(*claims, "a table of claims", claim.IsPage); err != nil {
			return err
		}
		documents[*claims] = table(judgements)
	}
	if *readme != "" {
		if documents[*readme], err = withSummary(*readme, summary(judgements, records)); err != nil {
			return err
		}
	}
	pages := papers.All.Draw(records)
	for _, page := range pages {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := page.Save(*dir); err != nil {
			return err
		}
	}
	if *web != "" {
		if err := writeWeb(*web, pages); err != nil {
			return err
		}
	}
	for path, document := range documents {
		if err := record.WriteFile(path, document); err != nil {
			return err
		}
	}
	return papers.Page(judgements).WriteText(out.Unquoted(), out.Columns(), out.Colours())
}

// judge judges the claims of all papers.
func judge(records []*record.Record) []claim.Judgement {
	return claim.Judge(papers.All.Claims(), records)
}

const tableHead = `# Claims

This page lists what two papers claim and what the [records](replication/records) of our runs show. No verdict is
written by hand: each claim is code, in [replication/warp](replication/warp) or
[replication/contextual](replication/contextual), and ` + "`go run ./scripts/figures -claims CLAIMS.md`" + ` writes
this page.

`

// table returns the page of claims.
func table(judgements []claim.Judgement) []byte {
	page := papers.Page(judgements)
	page.Links = map[string]string{}
	for _, f := range papers.All.Figures() {
		page.Links[f.ID()] = fmt.Sprintf("[Picture](figures/%[1]s.png), [records](replication/records/%[1]s)", f.ID())
	}
	return []byte(tableHead + page.Markdown())
}

// summary returns how many claims got which verdict, a row for each figure that is trained, and the figures that have
// no claims of their own; with a link to each that was.
func summary(judgements []claim.Judgement, records []*record.Record) string {
	var rows []claim.Row
	rest := judgements
	var without []string
	for _, f := range papers.All.Trained() {
		var ours, others []claim.Judgement
		for _, j := range rest {
			if j.Figure() == f.ID() {
				ours = append(ours, j)
			} else {
				others = append(others, j)
			}
		}
		name := f.ID()
		if slices.ContainsFunc(records, func(r *record.Record) bool { return r.Paper+"/"+r.Figure == f.ID() }) {
			name = fmt.Sprintf("[%s](figures/%s.png)", f.ID(), f.ID())
		}
		if rest = others; len(ours) == 0 {
			without = append(without, fmt.Sprintf("- %s: %s", name, f.Title))
			continue
		}
		if row := (claim.Row{Name: name + ": " + f.Title, Judgements: ours}); len(row.Counted()) > 0 {
			rows = append(rows, row)
		} else {
			without = append(without, fmt.Sprintf("- %s: %s", name, f.Title))
		}
	}
	if len(rest) > 0 {
		rows = append(rows, claim.Row{Name: "claims about several figures, or none", Judgements: rest})
	}
	var b strings.Builder
	b.WriteString(claim.Count(judgements) + "\n\n" + claim.CountTable("figure", rows))
	if len(without) > 0 {
		b.WriteString("\nAdditional experiments on questions that the papers leave open:\n\n" +
			strings.Join(without, "\n") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// withSummary returns what is in a file, with that summary.
func withSummary(path, summary string) ([]byte, error) {
	document, err := command.ReadRegular(path)
	if err != nil {
		return nil, err
	}
	if document, err = claim.ReplaceSummary(document, summary); err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return document, nil
}
