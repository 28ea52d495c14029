package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
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

// list shows what there is to train, and on what: the figures; of figures that were named, the panels with their sizes;
// where a scale was named, or runs were, the runs, with an estimate of how long each takes.
func list(ctx context.Context, c request, engine string, out *command.Output) error {
	switch {
	case c.Scaled:
		return listRuns(ctx, c, engine, out)
	case len(c.Figures) == len(plan.Figures()):
		listFigures(engine, out)
		return nil
	}
	return listPanels(c, out)
}

func listFigures(engine string, out *command.Output) {
	out.Note("Figures (-list -figure warp/fig3 shows the panels of one, and -list -scale quick how long runs take):")
	all := plan.Figures()
	width := 0
	for _, f := range all {
		width = max(width, len(f.ID()))
	}
	for _, f := range all {
		fmt.Fprint(out, command.Wrap(fmt.Sprintf("  %-*s  ", width, f.ID()), f.Title, out.Columns()))
	}
	fmt.Fprintln(out, "Backends:")
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
}

// newTable writes the headings of a table whose first column, flush left, holds these, and returns what writes a row.
// Where the output is too narrow, a row is a paragraph that names each cell.
func newTable(out *command.Output, first []string, names ...string) (row func(cells ...any)) {
	width := 0
	for _, text := range first {
		width = max(width, len(text))
	}
	headings := fmt.Sprintf("  %-*s  %s", width, "", strings.Join(names, "  "))
	wide := len(headings) <= out.Columns()
	if wide {
		fmt.Fprintln(out, headings)
	}
	return func(cells ...any) {
		line, named := fmt.Sprintf("  %-*v", width, cells[0]), fmt.Sprintf("  %v\n", cells[0])
		var all []string
		for i, cell := range cells[1:] {
			line += fmt.Sprintf("  %*v", len(names[i]), cell)
			all = append(all, fmt.Sprintf("%s %v", strings.TrimSpace(names[i]), cell))
		}
		if wide {
			named = line + "\n"
		} else {
			named += command.Wrap("    ", strings.Join(all, ", "), out.Columns())
		}
		fmt.Fprint(out, named)
	}
}

// listPanels has a line for each panel at each scale.
func listPanels(c request, out *command.Output) error {
	for i, figure := range c.Figures {
		if i > 0 {
			fmt.Fprintln(out)
		}
		out.Note(figure.ID() + ": " + figure.Title)
		row := newTable(out, figure.PanelNames(), "  scale", "steps", "units", "batch", "updates", "models", "runs")
		for _, panel := range figure.Panels {
			for _, scale := range record.Scales {
				o, one := c.Options, figure
				o.Scale, one.Panels = scale, []experiment.Panel{panel}
				if _, declared := panel.Sizes[scale]; !declared || o.Panel != "" && o.Panel != panel.Name {
					continue
				}
				tasks, err := one.Tasks(o)
				if err != nil {
					return err
				}
				h := tasks[0].Header("")
				row(h.Panel, h.Scale, h.Steps, h.Units, h.Batch, h.Updates, models(tasks), len(tasks))
			}
		}
	}
	out.Note("Units are hidden units, batch is sequences in a batch, and models are those of each arm at each swept " +
		"value.")
	return nil
}

// models is how many there are of each arm, at each swept value: "3", or "3-8" where that differs.
func models(tasks []experiment.Task) string {
	of := map[string]int{}
	for _, task := range tasks {
		for _, t := range task.Trials {
			name := t.Arm
			if t.X != nil {
				name += " " + record.Number(*t.X)
			}
			of[name]++
		}
	}
	counts := slices.Sorted(maps.Values(of))
	few, many := counts[0], counts[len(counts)-1]
	if few == many {
		return strconv.Itoa(few)
	}
	return fmt.Sprintf("%d-%d", few, many)
}

// listRuns has a line for each run with how long it takes, and says how long all of them take on several nodes.
func listRuns(ctx context.Context, c request, engine string, out *command.Output) error {
	tasks, err := c.Tasks()
	if err != nil {
		return err
	}
	began := time.Now()
	unit, node, clock := "hours", "machine", func() time.Duration { return time.Since(began) }
	switch engine {
	case simd.Name: // one core is a run's, as for as many runs at a time as there are cores
		engine, unit, node, clock = simd.Name+":threads=1", "core-hours", "core", coreTime
	case "xla:cuda":
		unit, node = "GPU-hours", "GPU"
	}
	b, err := backend.New(engine)
	if err != nil {
		return err
	}
	defer b.Finalize()
	var names []string
	for _, task := range tasks {
		names = append(names, plan.Name(task))
	}
	row := newTable(out, names, "updates", "models", unit)
	var costs []float64 // hours
	alike := map[string]time.Duration{}
	var reasons []string // why data are not there
	unknown, total, longest, most := 0, 0., "", 0.
	for i, task := range tasks {
		takes := "no data"
		if err := task.Ready(); err != nil {
			if unknown++; !errors.Is(err, fs.ErrNotExist) {
				takes = "wrong data"
			}
			if !slices.Contains(reasons, err.Error()) {
				reasons = append(reasons, err.Error())
			}
		} else {
			key := fmt.Sprintf("%#v %#v %d", task.Network, task.Data, len(task.Trials))
			if alike[key] == 0 {
				if out.Width != nil {
					out.Draw(fmt.Sprintf("timing the first updates of run %d of %d, %s", i+1, len(tasks), names[i]))
				}
				if alike[key], err = update(ctx, run.Runner{Backend: b, Name: engine}, task, clock); err != nil {
					return err
				}
			}
			all := run.All(&task).Work() / run.Status{Task: &task, Update: 1}.Work()
			cost := alike[key].Hours() * all
			costs = append(costs, cost)
			takes, total = hours(cost), total+cost
			if cost > most {
				longest, most = names[i], cost
			}
		}
		row(names[i], task.Length.Total(), models([]experiment.Task{task}), takes)
	}
	for _, reason := range reasons {
		fmt.Fprintln(out)
		out.Note(reason)
	}
	if unknown == len(tasks) {
		out.Note("Nothing is estimated, because no run has its data.")
		return nil
	}
	note := fmt.Sprintf("Together %s %s, estimated from the first updates of each run.", hours(total), unit)
	if unknown > 0 {
		note += fmt.Sprintf(" That is without %s, for want of data.", plan.Count(unknown, "run"))
	}
	note += fmt.Sprintf(" On n nodes, with one run at a time and one %s on each, the longest run first (%s), it takes:",
		node, longest)
	fmt.Fprintln(out)
	out.Note(note)
	for _, n := range []int{1, 4, 16, 64} {
		_, done := plan.Deal(costs, n)
		fmt.Fprintf(out, "  %2d  %s h\n", n, hours(done))
	}
	return nil
}

// update is the time that an update of a task takes, by a clock: the mean over half a second, and one at least, after
// the first, which may take a compilation.
func update(ctx context.Context, runner run.Runner, task experiment.Task, clock func() time.Duration) (
	mean time.Duration, err error) {
	const enough, most = time.Second / 2, 1000
	if runner.Dir, err = os.MkdirTemp("", "warptime-list-*"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(runner.Dir)
	task.Tests, task.Schedule, task.Window = nil, trial.ConstantRate{}, 1
	task.Length = experiment.Length{Epochs: 1, Updates: most}
	timing, stop := context.WithCancel(ctx)
	defer stop()
	var first time.Duration
	runner.Observe = func(s run.Status) {
		if s.Update <= 1 {
			first = clock()
		} else if took := clock() - first; mean == 0 || timing.Err() == nil {
			mean = took / time.Duration(s.Update-1)
			if took >= enough {
				stop()
			}
		}
	}
	if _, err := runner.Train(timing, task); err != nil && (ctx.Err() != nil || !errors.Is(err, run.ErrInterrupted)) {
		return 0, err
	}
	return mean, nil
}

// hours writes a number of hours with as many digits as an estimate has.
func hours(h float64) string {
	if h < 9.95 {
		return fmt.Sprintf("%.2g", h)
	}
	return fmt.Sprintf("%.0f", h)
}
