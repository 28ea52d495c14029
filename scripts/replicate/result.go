package main

import (
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

// report judges the claims about the chosen figures and reports what came out: whether the runs agree with ours, what
// is known of the papers, and which picture to open first. Runs at scale quick decide no claim: what our larger ones
// decide is shown in their place. The claims themselves are in a file.
func report(c request, tasks []experiment.Task, drawn *pictures, out *command.Output) error {
	records, err := record.ReadAny(c.RecordsDir())
	if err != nil {
		return err
	}
	judged := papers.Page(claim.Judge(c.claims(), records))
	page := filepath.Join(c.Out, "CLAIMS.md")
	if err := record.WriteFile(page, []byte("# Claims, judged by the records in "+c.RecordsDir()+"\n\n"+
		judged.Markdown())); err != nil {
		return err
	}
	var ours []*record.Record // none where the program does not run in the repository's root
	if _, err := os.Stat(committed); err == nil {
		ours, err = record.ReadAny(committed)
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(out)
	if len(ours) > 0 && c.compare == "" {
		if err := agree(c, tasks, out); err != nil {
			return err
		}
	}
	small := !slices.ContainsFunc(tasks, func(t experiment.Task) bool { return t.Scale != record.Quick })
	where := fmt.Sprintf("The claims, with numbers and rules, are in %s.", page)
	if small && len(ours) > 0 {
		judged = papers.Page(claim.Judge(c.claims(), ours))
		where = fmt.Sprintf("These claims are in CLAIMS.md, and what your runs say of them in %s.", page)
		out.Note("Runs at scale quick are too small to decide claims. By the larger runs in " + committed + ":")
	}
	if err := judged.WriteCounts(out, out.Columns(), out.Colours()); err != nil {
		return err
	}
	out.Note(where)
	fmt.Fprint(out, "\n", drawn.list())
	return nil
}

// agree reports how many runs agree with the repository's own, number by number.
func agree(c request, tasks []experiment.Task, out *command.Output) error {
	result, err := compareWith(c, committed, tasks)
	if err != nil {
		return err
	}
	compared := result.same + len(result.differ)
	if compared == 0 {
		return nil
	}
	text := fmt.Sprintf("%d of %d of your runs agree with ours, number by number.", result.same, compared)
	if len(result.differ) > 0 {
		text += " Another engine, instruction set or device gives other last bits; -compare " + committed +
			" shows the differences."
	}
	out.Note(text)
	return nil
}

// comparison is how the runs of some tasks compare with those in another directory.
type comparison struct {
	same, absent int
	differ       []string // a paragraph for each run that does not agree
}

func compareWith(c request, dir string, tasks []experiment.Task) (comparison, error) {
	var result comparison
	for _, task := range tasks {
		header := task.Header("")
		ours, err := record.Read(record.Path(dir, header))
		if errors.Is(err, os.ErrNotExist) {
			result.absent++
			continue
		}
		if err != nil {
			return result, err
		}
		yours, err := record.Read(record.Path(c.RecordsDir(), header))
		if err != nil {
			return result, err
		}
		if differences := record.Compare(ours, yours); len(differences) > 0 {
			result.differ = append(result.differ, fmt.Sprintf("%s:\n  %s\n", task, strings.Join(differences, "\n  ")))
		} else {
			result.same++
		}
	}
	return result, nil
}

// compare reports of each task whether its record has the same numbers as that of the directory that -compare names.
func compare(c request, tasks []experiment.Task, out *command.Output) error {
	result, err := compareWith(c, c.compare, tasks)
	if err != nil {
		return err
	}
	fmt.Fprint(out, strings.Join(result.differ, ""))
	fmt.Fprintf(out, "\nOf %d runs, %d agree with %s number by number, %d do not, and %d are not there.\n",
		len(tasks), result.same, c.compare, len(result.differ), result.absent)
	if len(result.differ) > 0 {
		return errDiffers
	}
	return nil
}
