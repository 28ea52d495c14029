// Figures draws all figures and judges all claims from the records of finished runs. It trains nothing and takes
// seconds.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/scripts/internal/terminal"
)

const usage = `Usage: go run ./scripts/figures [options]

Draws all figures, as SVG and PNG, and prints the verdicts on all claims, from
the records of finished runs. Trains nothing.

  -records dir   where the records are (default replication/records)
  -out dir       where the figures go (default figures)
  -claims file   also write the table of claims as this file (in this project
                 CLAIMS.md)
  -readme file   also write a summary of the verdicts into this file, between
                 its two marker lines (in this project README.md)
  -help          say this

Exit codes: 0 done; 2 bad input, or something could not be written: one line
says what, and no file is half written.
`

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(2)
	}
}

// run is main without the exit. All input is read and checked before anything is written.
func run(args []string, stdout *os.File) error {
	flags := flag.NewFlagSet("figures", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // its errors have a line, and are enough without the usage
	recordsDir := flags.String("records", "replication/records", "")
	out := flags.String("out", "figures", "")
	claims := flags.String("claims", "", "")
	readme := flags.String("readme", "", "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, usage)
		return err
	} else if err != nil {
		return fmt.Errorf("%w; see -help", err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	}
	if *out == "" {
		return errors.New(`-out is empty: "." is the current directory`)
	}

	records, err := record.ReadAll(*recordsDir)
	if err != nil {
		return err
	}
	judgements := judge(records)
	documents := map[string][]byte{}
	if *claims != "" {
		documents[*claims] = table(judgements)
	}
	if *readme != "" {
		if documents[*readme], err = withSummary(*readme, summary(judgements, records)); err != nil {
			return err
		}
	}
	for _, page := range papers.All.Draw(records) {
		if err := page.Save(*out); err != nil {
			return err
		}
	}
	for path, document := range documents {
		if err := record.WriteFile(path, document); err != nil {
			return err
		}
	}
	return claim.WriteText(stdout, judgements, terminal.Columns(stdout), terminal.Colours(stdout))
}

// judge judges the claims of all papers.
func judge(records []*record.Record) []claim.Judgement {
	return claim.Judge(papers.All.Claims(), records)
}

const tableHead = `# Claims

What the papers say was found, and what our records say of it. Each claim is code, in ` + "`replication/warp`" + ` or
` + "`replication/contextual`" + `, that judges the records in ` + "`replication/records`" + `. This page is generated:

    go run ./scripts/figures -claims CLAIMS.md

`

// table returns the page of claims.
func table(judgements []claim.Judgement) []byte {
	titles := map[string]string{}
	for _, paper := range papers.All {
		titles[paper.Name] = paper.Title
	}
	for _, f := range papers.All.Trained() {
		titles[f.ID()] = "Figure " + strings.TrimPrefix(f.Name, "fig") + ": " + f.Title
	}
	return []byte(tableHead + claim.Markdown(judgements, titles))
}

// summary returns how many claims got which verdict, a row for each figure that is trained, and the figures that have
// no claims of their own; with a link to each that was.
func summary(judgements []claim.Judgement, records []*record.Record) string {
	var b strings.Builder
	b.WriteString(claim.Count(judgements) + "\n\n| figure | what it shows | claims |\n|---|---|---|\n")
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
		name, verdicts := f.ID(), claim.Verdicts(ours)
		if slices.ContainsFunc(records, func(r *record.Record) bool { return r.Paper+"/"+r.Figure == f.ID() }) {
			name = fmt.Sprintf("[%s](figures/%s.png)", f.ID(), f.ID())
		}
		if rest = others; verdicts == "" {
			without = append(without, fmt.Sprintf("- %s: %s", name, f.Title))
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, f.Title, verdicts)
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "| – | what is said of several figures, or of none | %s |\n", claim.Verdicts(rest))
	}
	if len(without) > 0 {
		b.WriteString("\nFigures of ours, for questions that the papers' figures leave:\n\n" +
			strings.Join(without, "\n") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// withSummary returns what is in a file, with that summary.
func withSummary(path, summary string) ([]byte, error) {
	document, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if document, err = claim.ReplaceSummary(document, summary); err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return document, nil
}
