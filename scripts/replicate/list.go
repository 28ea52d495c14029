package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

// A row of the list: a panel at one scale, or a run.
type row struct {
	figure experiment.Figure
	tasks  []experiment.Task
}

// rows are the panels that were asked for, at all scales; the runs, where a scale was named.
func (c request) rows() (rows []row, err error) {
	if c.Scaled {
		tasks, err := c.Tasks()
		for _, task := range tasks {
			rows = append(rows, row{task.Figure, []experiment.Task{task}})
		}
		return rows, err
	}
	for _, figure := range c.Figures {
		for _, panel := range figure.Panels {
			for _, scale := range record.Scales {
				o := c.Options
				o.Scale, o.Panel = scale, panel.Name
				if _, declared := panel.Sizes[scale]; !declared || o.Panel != c.Options.Panel && c.Options.Panel != "" {
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

// list shows what there is to train, and on what. Where a scale was named it shows the runs, and estimates how long
// each takes.
func list(ctx context.Context, c request, engine string, out *command.Output) error {
	rows, err := c.rows()
	if err != nil {
		return err
	}
	if c.Scaled {
		err = listRuns(ctx, rows, engine, out)
	} else {
		listPanels(rows, out)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "\nBackends:")
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

const letters = "H: hidden units; B: sequences in a batch."

// listPanels has a line for each panel at each scale.
func listPanels(rows []row, out *command.Output) {
	width := 0
	for _, r := range rows {
		width = max(width, len(r.tasks[0].Panel.Name))
	}
	write := func(cells ...any) {
		fmt.Fprintf(out, fmt.Sprintf("  %%-%ds  %%-7v  %%5v  %%4v  %%3v  %%7v  %%6v  %%4v\n", width), cells...)
	}
	for i, r := range rows {
		if id := r.figure.ID(); i == 0 || rows[i-1].figure.ID() != id {
			fmt.Fprintf(out, "%s: %s\n", id, r.figure.Title)
			write("", "scale", "steps", "H", "B", "updates", "trials", "runs")
		}
		h := r.tasks[0].Header("")
		write(h.Panel, h.Scale, h.Steps, h.Units, h.Batch, h.Updates, trialsOf(r.tasks), len(r.tasks))
	}
	note := letters + " -list -scale paper lists runs, and estimates how long each takes here."
	fmt.Fprint(out, "\n", command.Wrap("", note, out.Columns()))
}

// listRuns has a line for each run with how long it takes, and says how long all of them take on several nodes.
func listRuns(ctx context.Context, rows []row, engine string, out *command.Output) error {
	began := time.Now()
	unit, node, clock := "hours", "machine like this", func() time.Duration { return time.Since(began) }
	switch engine {
	case simd.Name: // one core is a run's, as for as many runs at a time as there are cores
		engine, unit, node, clock = backend.Share(engine, runtime.GOMAXPROCS(0)), "core-hours", "core", coreTime
	case "xla:cuda":
		unit, node = "GPU-hours", "GPU"
	}
	b, err := backend.New(engine)
	if err != nil {
		return err
	}
	defer b.Finalize()
	width := 0
	for _, r := range rows {
		width = max(width, len(plan.Name(r.tasks[0])))
	}
	format := fmt.Sprintf("%%-%ds  %%5v  %%4v  %%3v  %%7v  %%6v  %%%dv\n", width, len(unit))
	fmt.Fprintf(out, format, "run", "steps", "H", "B", "updates", "trials", unit)
	var costs []float64 // hours
	alike := map[string]time.Duration{}
	unknown, total := 0, 0.
	for _, r := range rows {
		task, takes := r.tasks[0], "no data"
		if task.Ready() == nil {
			key := fmt.Sprintf("%#v %#v %d", task.Network, task.Data, len(task.Trials))
			if alike[key] == 0 {
				if alike[key], err = update(ctx, run.Runner{Backend: b, Name: engine}, task, clock); err != nil {
					return err
				}
			}
			all := run.All(&task).Work() / run.Status{Task: &task, Update: 1}.Work()
			costs = append(costs, alike[key].Hours()*all)
			takes, total = hours(costs[len(costs)-1]), total+costs[len(costs)-1]
		} else {
			unknown++
		}
		h := task.Header("")
		fmt.Fprintf(out, format, plan.Name(task), h.Steps, h.Units, h.Batch, h.Updates, trialsOf(r.tasks), takes)
	}
	note := fmt.Sprintf("%s All of it takes %s %s, by the fastest of each run's first updates.",
		letters, hours(total), unit)
	if unknown > 0 {
		note += fmt.Sprintf(" That is without %s, whose data are missing.", plan.Count(unknown, "run"))
	}
	note += fmt.Sprintf(" On n nodes that train one run at a time each, the longest first, with one %s for each:", node)
	fmt.Fprint(out, "\n", command.Wrap("", note, out.Columns()), "\n")
	for _, n := range []int{1, 4, 16, 64} {
		_, done := plan.Deal(costs, n)
		fmt.Fprintf(out, "  %2d  %s h\n", n, hours(done))
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

// update is the time that an update of a task takes, by a clock: the fastest of some, which other programs have
// disturbed least. They take about a second, and are two at least after the first. Compilation is left out.
func update(ctx context.Context, runner run.Runner, task experiment.Task, clock func() time.Duration) (
	fastest time.Duration, err error) {
	const enough, most = time.Second, 1000
	if runner.Dir, err = os.MkdirTemp("", "warptime-list-*"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(runner.Dir)
	task.Tests, task.Schedule, task.Window = nil, trial.ConstantRate{}, 1
	task.Length = experiment.Length{Epochs: 1, Updates: most}
	timing, stop := context.WithCancel(ctx)
	defer stop()
	var first, last time.Duration
	runner.Observe = func(s run.Status) {
		now := clock()
		switch took := now - last; {
		case s.Update <= 1 || s.Done:
			first = now
		case fastest == 0 || took < fastest:
			fastest = took
		}
		if last = now; s.Update > 2 && now-first >= enough {
			stop()
		}
	}
	if _, err := runner.Train(timing, task); err != nil && (ctx.Err() != nil || !errors.Is(err, run.ErrInterrupted)) {
		return 0, err
	}
	return fastest, nil
}

// hours writes a number of hours with as many digits as an estimate has.
func hours(h float64) string {
	switch {
	case h < 0.095:
		return fmt.Sprintf("%.3f", h)
	case h < 9.95:
		return fmt.Sprintf("%.1f", h)
	}
	return fmt.Sprintf("%.0f", h)
}
