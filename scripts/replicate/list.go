package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
)

// A row of the list is a panel at one scale.
type row struct {
	figure experiment.Figure
	tasks  []experiment.Task
}

// rows are the panels that were asked for, at the scale that was named or at all.
func (c request) rows() (rows []row, err error) {
	scales := record.Scales
	if c.scaled {
		scales = []record.Scale{c.options.Scale}
	}
	for _, figure := range c.figures {
		for _, panel := range figure.Panels {
			for _, scale := range scales {
				o := c.options
				o.Scale, o.Panel = scale, panel.Name
				if _, declared := panel.Sizes[scale]; !declared || o.Panel != c.options.Panel && c.options.Panel != "" {
					continue
				}
				tasks, err := figure.Tasks(o)
				if err != nil {
					return nil, err
				}
				rows = append(rows, row{figure, tasks})
			}
		}
	}
	return rows, nil
}

// list shows what there is to train, and on what. Where a scale was named it also estimates how long each panel takes
// here, one run after another.
func list(ctx context.Context, c request, engine string, out *command.Output) error {
	rows, err := c.rows()
	if err != nil {
		return err
	}
	runner := run.Runner{Name: engine}
	if c.scaled {
		if runner.Backend, err = backend.New(engine); err != nil {
			return err
		}
		defer runner.Backend.Finalize()
	}
	width, total := 0, time.Duration(0)
	for _, r := range rows {
		width = max(width, len(r.tasks[0].Panel.Name))
	}
	write := func(cells ...any) {
		line := fmt.Sprintf(fmt.Sprintf("  %%-%ds  %%-7v  %%5v  %%4v  %%3v  %%7v  %%6v  %%4v  %%s", width), cells...)
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	for i, r := range rows {
		if id := r.figure.ID(); i == 0 || rows[i-1].figure.ID() != id {
			fmt.Fprintf(out, "%s: %s\n", id, r.figure.Title)
			write("", "scale", "steps", "H", "B", "updates", "trials", "runs", "")
		}
		h, takes := r.tasks[0].Header(""), ""
		if c.scaled {
			estimate, err := estimate(ctx, runner, r.tasks)
			if err != nil {
				return err
			}
			takes, total = about(estimate), total+estimate
		}
		write(h.Panel, h.Scale, h.Steps, h.Units, h.Batch, h.Updates, trialsOf(r.tasks), len(r.tasks), takes)
	}
	note := "H: hidden units; B: sequences in a batch. -list -scale paper estimates how long each panel takes here."
	if c.scaled {
		note = fmt.Sprintf("H: hidden units; B: sequences in a batch. All of it takes about %s on %s, one run after "+
			"another, by the first updates of each panel; several at a time (-jobs) take less.", about(total), engine)
	}
	fmt.Fprint(out, "\n", command.Wrap("", note, out.Columns()), "\nBackends:\n")
	for _, e := range backend.List() {
		state := e.Why
		if e.Missing != "" {
			state = "missing: " + e.Missing
		}
		if e.Name == engine {
			state = "used: " + state
		}
		fmt.Fprint(out, command.Wrap(fmt.Sprintf("  %-8s  ", e.Name), state, out.Columns()))
	}
	return nil
}

// trialsOf is the number of trials of each arm, at each x.
func trialsOf(tasks []experiment.Task) int {
	most := 0
	for _, trial := range tasks[0].Trials {
		most = max(most, trial.Number+1)
	}
	return most
}

// estimate times updates of the first task, for about a second and two updates at least, and multiplies. Compilation is
// left out. It is zero where the task's data are missing.
func estimate(ctx context.Context, runner run.Runner, tasks []experiment.Task) (time.Duration, error) {
	const enough, most = time.Second, 1000
	task := tasks[0]
	if task.Ready() != nil {
		return 0, nil
	}
	dir, err := os.MkdirTemp("", "warptime-list-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	task.Tests, task.Schedule, task.Window = nil, trial.ConstantRate{}, 1
	task.Length = experiment.Length{Epochs: 1, Updates: most}
	timing, stop := context.WithCancel(ctx)
	defer stop()
	var first, last time.Time
	updates := 0
	runner.Dir, runner.Observe = dir, func(s run.Status) {
		if last = time.Now(); s.Update <= 1 {
			first = last
		}
		if updates = s.Update - 1; updates >= 2 && last.Sub(first) >= enough {
			stop()
		}
	}
	if _, err := runner.Train(timing, task); err != nil && (ctx.Err() != nil || !errors.Is(err, run.ErrInterrupted)) {
		return 0, err
	}
	one, sum := work(run.Status{Task: &task, Update: updates}), 0.
	for i := range tasks {
		sum += work(all(&tasks[i]))
	}
	return time.Duration(float64(last.Sub(first)) * sum / one), nil
}

// about writes a time with as many digits as an estimate has.
func about(d time.Duration) string {
	switch {
	case d == 0:
		return "no data"
	case d < 90*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 10*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}
