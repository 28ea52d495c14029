// Figures draws all figures and checks all claims against the records of finished runs. It trains nothing and takes
// seconds.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/scripts/internal/command"
)

const usage = `Usage: go run ./scripts/figures [options]

Draws all figures, as SVG and PNG, and prints the verdicts on all claims, from
the records of finished runs. Trains nothing. Exit codes: 0 done; 2 an error, which
one line reports, and no file is half written; 4 interrupted.
`

func main() { command.Main("figures", run) }

// ourFigures has the pictures of our records.
const ourFigures = "figures"

// run is main without the exit. All input is read and checked before anything is written.
func run(ctx context.Context, args []string, out *command.Output) error {
	flags := &flag.FlagSet{}
	recordsDir := flags.String("records", papers.Committed, "read the records in `dir`")
	dir := flags.String("out", ourFigures, "write the figures to `dir`")
	site := flags.String("pages", "", "also write CLAIMS.md and claims.json into `dir`, and the verdicts between the\n"+
		"marker lines of its README.md and FINDINGS.md, if they exist; in this project: -pages .")
	web := flags.String("web", "", "also write each figure to `dir` as the book shows it: an SVG that shows values\n"+
		"where the pointer is, its points as CSV, its caption in figures.json")
	if err := cmp.Or(command.Parse(flags, usage, args, out), command.NoArguments(flags)); err != nil {
		return err
	}
	ours := same(*recordsDir, papers.Committed)
	if !ours && same(*dir, ourFigures) {
		return fmt.Errorf("%s has the pictures of our records: name another directory with -out", *dir)
	}
	records, err := record.ReadAll(*recordsDir)
	if err != nil {
		return err
	}
	if err := experiment.CheckDeclared(papers.All.Trained(), records); err != nil {
		return err
	}
	judgements, err := papers.Judge(*recordsDir, records)
	if err != nil {
		return err
	}
	documents := map[string][]byte{}
	if *site != "" {
		if documents, err = documentsOf(*site, judgements); err != nil {
			return err
		}
	}
	pages := papers.All.Draw(records, ours)
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
	return papers.WriteVerdicts(out, judgements)
}

// same reports whether two paths lead to one directory.
func same(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	return cmp.Or(err, err2) == nil && os.SameFile(first, second)
}

// documentsOf are the pages of a directory that the verdicts are written to, with what they will be.
func documentsOf(dir string, judgements []claim.Judgement) (map[string][]byte, error) {
	if err := papers.Replaceable(dir); err != nil {
		return nil, err
	}
	files, err := papers.Files(judgements)
	if err != nil {
		return nil, err
	}
	documents := map[string][]byte{}
	for name, content := range files {
		documents[filepath.Join(dir, name)] = content
	}
	for name, text := range map[string]string{
		"README.md": claim.CountOf(judgements).String(), "FINDINGS.md": papers.Findings(judgements),
	} {
		path := filepath.Join(dir, name)
		document, err := os.ReadFile(path)
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
