package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

// judge judges the claims about the chosen figures by the records of a directory; none if it has none.
func (c request) judge(dir string, tasks []experiment.Task) ([]claim.Judgement, error) {
	records, err := readDeclared(dir)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	judgements, err := papers.Judge(dir, records)
	return slices.DeleteFunc(judgements, func(j claim.Judgement) bool {
		ofIt := func(t experiment.Task) bool { return t.Figure.ID() == j.Set.ID }
		return !c.all() && !slices.ContainsFunc(tasks, ofIt)
	}), err
}

// report judges the claims about the chosen figures and reports what came out: whether the runs agree with ours, what
// is known of the papers, and which picture to open first. Runs at scale quick decide no claim: what our larger ones
// decide is shown in their place. The claims themselves are in files.
func report(c request, tasks []experiment.Task, drawn *pictures, out *command.Output) error {
	if drawn.failed != nil {
		return drawn.failed
	}
	judgements, err := c.judge(c.RecordsDir(), tasks)
	if err != nil {
		return err
	}
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
	fmt.Fprintln(out)
	same, differ, err := compare(c, tasks)
	if err != nil {
		return err
	}
	if same+differ > 0 {
		out.Note(fmt.Sprintf("%d of %d of your runs agree with ours, number by number.", same, same+differ))
	}
	if differ > 0 {
		out.Note("The others were computed by another engine, version of it, instruction set or device, or are " +
			"wrong: -verify finds out which.")
	}
	where := fmt.Sprintf("The claims, with numbers and rules, are in %s.", page)
	larger := slices.ContainsFunc(tasks, func(t experiment.Task) bool { return t.Scale != record.Quick })
	counted := claim.CountOf(judgements).Claims > 0 // and not only checks of our own
	var ours []claim.Judgement
	if !larger && counted {
		ours, _ = c.judge(papers.Committed, tasks) // where there are none of ours, theirs are shown
	}
	if len(ours) > 0 {
		judgements = ours
		where = fmt.Sprintf("These claims are in CLAIMS.md, and what your runs say of them in %s.", page)
		out.Note("Runs at scale quick are too small to decide claims. By the larger runs in " + papers.Committed + ":")
	}
	if counted {
		out.Note(claim.CountOf(judgements).String())
	}
	out.Note(where)
	if n := drawn.drawn; n > 0 {
		out.Note(fmt.Sprintf("%s in %s. Open this one first: %s", plan.Count(n, "picture"), c.Out, drawn.first))
	}
	return nil
}

// compare counts the runs that agree number by number with those of this repository, and those that do not.
func compare(c request, tasks []experiment.Task) (same, differ int, err error) {
	for _, task := range tasks {
		header := task.Header("")
		ours, err := record.Read(record.Path(papers.Committed, header))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		yours, err := record.Read(record.Path(c.RecordsDir(), header))
		switch {
		case err != nil:
			return 0, 0, err
		case !yours.SameExperiment(ours.Header): // other seeds
		case len(record.Compare(ours, yours)) > 0:
			differ++
		default:
			same++
		}
	}
	return same, differ, nil
}
