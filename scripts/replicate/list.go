package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

func listFigures(engine string, out *command.Output) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "Figures (-list -figure warp/fig3 -scale paper lists the runs of one):")
	for _, f := range papers.All.Trained() {
		fmt.Fprintf(table, "  %s\t%s\n", f.ID(), f.Title)
	}
	table.Flush()
	fmt.Fprintln(table, "Backends:")
	for _, e := range backend.List() {
		state := e.Why
		if e.Missing != "" {
			state = "missing: " + e.Missing
		}
		if e.Name == engine {
			state = "used: " + state
		}
		fmt.Fprintf(table, "  %s\t%s\n", e.Name, state)
	}
	return table.Flush()
}

// listRuns has a line for each run: its sizes, and how long it takes by our records.
func listRuns(tasks []experiment.Task, out *command.Output) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "steps\tunits\tbatch\tupdates\tmodels\thours\t run")
	total, longest, unknown := 0., 0., 0
	for _, task := range tasks {
		hours, says := plan.Seconds(task)/3600, "–"
		if hours > 0 {
			says = record.Number(hours)
		} else {
			unknown++
		}
		total, longest = total+hours, max(longest, hours)
		h := task.Header("")
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d\t%s\t %s\n", h.Steps, h.Units, h.Batch, h.Updates, len(h.Trials), says,
			plan.Name(task))
	}
	table.Flush() // out keeps its error
	out.Note(fmt.Sprintf("Hours are those of our records, most of them on one or two cores of a processor. "+
		"Together %s hours, the longest run %s; runs without a record: %d.",
		record.Number(total), record.Number(longest), unknown))
	return nil
}
