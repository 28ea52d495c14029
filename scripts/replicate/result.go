package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/scripts/internal/command"
)

// committed is where this repository's own records are, seen from its root.
const committed = "replication/records"

// claimsPage is where the claims go.
func (c request) claimsPage() string { return filepath.Join(c.Out, "CLAIMS.md") }

// report judges the claims about the chosen figures and reports what came out: whether the runs agree with ours, what
// is known of the papers, and which picture to open first. Runs at scale quick decide no claim: what our larger ones
// decide is shown in their place. The claims themselves are in a file.
func report(c request, tasks []experiment.Task, drawn *pictures, out *command.Output) error {
	if drawn.failed != nil {
		return drawn.failed
	}
	records, err := readDeclared(c.RecordsDir(), "")
	if err != nil {
		return err
	}
	judgements := claim.Judge(c.claims(), records)
	page := c.claimsPage()
	if err := record.WriteFile(page, []byte(papers.Page(judgements))); err != nil {
		return err
	}
	var ours []*record.Record // none where the program does not run in the repository's root
	if _, err := os.Stat(committed); err == nil {
		ours, err = readDeclared(committed, "")
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(out)
	if len(ours) > 0 && c.compare == "" {
		if err := compare(c, tasks, out); err != nil {
			return err
		}
	}
	small := !slices.ContainsFunc(tasks, func(t experiment.Task) bool { return t.Scale != record.Quick })
	where := fmt.Sprintf("The claims, with numbers and rules, are in %s.", page)
	if small && len(ours) > 0 {
		judgements = claim.Judge(c.claims(), ours)
		where = fmt.Sprintf("These claims are in CLAIMS.md, and what your runs say of them in %s.", page)
		out.Note("Runs at scale quick are too small to decide claims. By the larger runs in " + committed + ":")
	}
	out.Note(claim.CountOf("", judgements).String())
	out.Note(where)
	fmt.Fprint(out, "\n", drawn.list())
	return nil
}

// compare reports how many runs agree number by number with those in the directory that -compare names, and how the
// others differ; without -compare, how many agree with the repository's own.
func compare(c request, tasks []experiment.Task, out *command.Output) error {
	dir := cmp.Or(c.compare, committed)
	same, absent := 0, 0
	var differ []string // a paragraph for each run
	for _, task := range tasks {
		header := task.Header("")
		theirs, err := record.Read(record.Path(dir, header))
		if errors.Is(err, os.ErrNotExist) {
			absent++
			continue
		}
		if err != nil {
			return err
		}
		yours, err := record.Read(record.Path(c.RecordsDir(), header))
		if err != nil {
			return err
		}
		if c.compare == "" && !yours.SameExperiment(theirs.Header) { // other seeds or trials
			absent++
			continue
		}
		if differences := record.Compare(theirs, yours); len(differences) > 0 {
			differ = append(differ, fmt.Sprintf("%s:\n  %s\n", task, strings.Join(differences, "\n  ")))
		} else {
			same++
		}
	}
	if c.compare == "" {
		text := fmt.Sprintf("%d of %d of your runs agree with ours, number by number.", same, same+len(differ))
		if len(differ) > 0 {
			text += " Another engine, instruction set or device gives other last bits; -compare " + committed +
				" shows the differences."
		}
		if absent < len(tasks) {
			out.Note(text)
		}
		return nil
	}
	fmt.Fprint(out, strings.Join(differ, ""))
	fmt.Fprintf(out, "\nOf %d runs, %d agree with %s number by number, %d do not, and %d are not there.\n",
		len(tasks), same, c.compare, len(differ), absent)
	if len(differ) > 0 {
		return errDiffers
	}
	return nil
}
