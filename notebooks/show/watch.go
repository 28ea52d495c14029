package show

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
)

// redraw is the time between two pictures of a training. One takes a twentieth of it.
const redraw = time.Second

// Watch trains a task and draws the losses of its record, in a place of their own below the cell, while it grows. It
// prints the sizes first. The record is not kept among those of the repository: nothing is left of it but what is
// returned. If the cell is interrupted, it ends here, and so do the cells that wait for it.
func Watch(task experiment.Task) *record.Record {
	fmt.Println(sizes(task))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := trainAside(ctx, task)
	if errors.Is(err, run.ErrInterrupted) {
		fmt.Printf("%s: interrupted\n", task)
		stopWaiting()
		os.Exit(1)
	}
	return Must(r, err)
}

// trainAside is Watch without the end of the cell.
func trainAside(ctx context.Context, task experiment.Task) (*record.Record, error) {
	dir, err := os.MkdirTemp("", "warptime")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name, err := backend.Choose("")
	if err != nil {
		return nil, err
	}
	place, drawn := gonbui.UniqueId(), time.Now()
	runner := run.Runner{Backend: Engine(), Name: name, Dir: dir, Observe: func(s run.Status) {
		if time.Since(drawn) < redraw {
			return
		}
		drawn = time.Now()
		if len(s.Record.Points) > 0 {
			page(figures.Single(papers.All.Curves(s.Record))).draft(place)
		}
	}}
	r, err := runner.Train(ctx, task)
	if err == nil {
		page(figures.Single(papers.All.Curves(r))).display(place)
	}
	return r, err
}

// moreTrials ends the names of runs that have further trials of an arm, see experiment.Graphs, and of some arms.
var moreTrials = regexp.MustCompile(`-\d+$`)

// sizes says how large a task is, and how large at the paper's size, "64 units (paper's size: 128)".
func sizes(task experiment.Task) string {
	here := task.Header("")
	there, models := here, map[string]bool{}
	panel := task.Figure
	panel.Panels = []experiment.Panel{task.Panel}
	tasks, _ := panel.Tasks(experiment.Options{Scale: record.Paper})
	same := func(t experiment.Task) bool {
		isArm := slices.ContainsFunc(task.Panel.Arms, func(a experiment.Arm) bool { return a.Name == t.Part })
		return t.Part == task.Part || !isArm && moreTrials.ReplaceAllString(t.Part, "") == task.Part
	}
	if !slices.ContainsFunc(tasks, same) {
		same = func(experiment.Task) bool { return true } // each model has a run of its own
	}
	for _, t := range slices.DeleteFunc(tasks, func(t experiment.Task) bool { return !same(t) }) {
		there = t.Header("")
		for _, trial := range t.Trials {
			models[string(experiment.Encode(trial))] = true // once, if it has a second, longer run
		}
	}
	lines := []string{task.String() + ":"}
	for i, size := range []struct {
		here, there int
		of          string
	}{
		{len(here.Trials), cmp.Or(len(models), len(here.Trials)), "models"}, {here.Units, there.Units, "units"},
		{here.Steps, there.Steps, "steps"}, {here.Batch, there.Batch, "sequences in a batch"},
		{here.Updates, there.Updates, "updates"},
	} {
		text := fmt.Sprintf("%d %s", size.here, size.of)
		if size.here != size.there {
			text += fmt.Sprintf(" (scale paper: %d)", size.there)
		}
		if i > 0 {
			lines[len(lines)-1] += ","
		}
		const columns = 78 // Jupyter breaks longer lines within words
		if last := lines[len(lines)-1]; len(last)+1+len(text) > columns {
			lines = append(lines, " ")
		}
		lines[len(lines)-1] += " " + text
	}
	return strings.Join(lines, "\n")
}
