package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/scripts/internal/command"
)

// committed is where this repository's own records are, seen from its root.
const committed = "replication/records"

// report judges the claims about the chosen figures and reports what came out: whether the runs agree with ours, what
// is known of the papers, and which picture to open first. Runs at scale quick decide no claim: what our larger ones
// decide is shown in their place. The claims themselves are in files.
func report(c request, tasks []experiment.Task, drawn *pictures, out *command.Output) error {
	if drawn.failed != nil {
		return drawn.failed
	}
	records, err := readDeclared(c.RecordsDir(), "")
	if err != nil {
		return err
	}
	judgements := claim.Judge(c.claims(), records)
	files, err := papers.Files(judgements)
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := record.WriteFile(filepath.Join(c.Out, name), content); err != nil {
			return err
		}
	}
	page := filepath.Join(c.Out, papers.ClaimsPage)
	var ours []*record.Record // none where the program does not run in the repository's root
	if _, err := os.Stat(committed); err == nil {
		ours, err = readDeclared(committed, "")
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(out)
	if len(ours) > 0 {
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

// compare reports how many runs agree number by number with those of this repository.
func compare(c request, tasks []experiment.Task, out *command.Output) error {
	same, differ := 0, 0
	for _, task := range tasks {
		header := task.Header("")
		ours, err := record.Read(record.Path(committed, header))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		yours, err := record.Read(record.Path(c.RecordsDir(), header))
		switch {
		case err != nil:
			return err
		case !yours.SameExperiment(ours.Header): // other seeds or trials
		case len(record.Compare(ours, yours)) > 0:
			differ++
		default:
			same++
		}
	}
	text := fmt.Sprintf("%d of %d of your runs agree with ours, number by number.", same, same+differ)
	if differ > 0 {
		text += " The others were computed by another engine, version of it, instruction set or device, or are " +
			"wrong: -verify finds out which."
	}
	if same+differ > 0 {
		out.Note(text)
	}
	return nil
}
