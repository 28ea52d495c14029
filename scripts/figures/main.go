// Figures draws all figures and checks all claims against the records of finished runs. It trains nothing and takes
// seconds.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
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
	site := flags.String("pages", "",
		"also write CLAIMS.md and claims.json into `dir`, and the verdicts between the marker "+
			"lines of its README.md and FINDINGS.md, if they exist; in this project: -pages .")
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
	judgements, err := papers.Judge(strings.Split(*recordsDir, ",")[0], records)
	if err != nil {
		return err
	}
	documents := map[string][]byte{}
	if *site != "" {
		if documents, err = documentsOf(*site, judgements); err != nil {
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
	// In this order CLAIMS.md is the last: scripts/slurm takes it for a sign that all is written.
	for _, path := range slices.Backward(slices.Sorted(maps.Keys(documents))) {
		if err := record.WriteFile(path, documents[path]); err != nil {
			return err
		}
	}
	return papers.WriteVerdicts(out, judgements)
}

// documentsOf are the pages of a directory that the verdicts are written to, with what they will be.
func documentsOf(dir string, judgements []claim.Judgement) (map[string][]byte, error) {
	files, err := papers.Files(judgements)
	if err != nil {
		return nil, err
	}
	documents := map[string][]byte{}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := command.Replaceable(path, "a page of claims", papers.IsFile); err != nil {
			return nil, err
		}
		documents[path] = content
	}
	for name, text := range map[string]string{
		"README.md": papers.Summary(judgements), "FINDINGS.md": papers.Findings(judgements),
	} {
		path := filepath.Join(dir, name)
		document, err := command.ReadRegular(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if documents[path], err = papers.Between(document, text); err != nil {
			return nil, fmt.Errorf("%s %w", path, err)
		}
	}
	return documents, nil
}
