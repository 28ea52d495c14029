package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/terminal"
)

// list shows what there is to train, on what, and how long it takes here.
func list(ctx context.Context, c command, stdout *os.File) error {
	scales := record.Scales
	if c.scaled {
		scales = []record.Scale{c.options.Scale}
	}
	var rows []row
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
					return err
				}
				rows = append(rows, row{figure, tasks})
			}
		}
	}
	times, err := c.times(ctx, rows)
	if err != nil {
		return err
	}
	var b strings.Builder
	writeRows(&b, rows, times)
	columns := terminal.Columns(stdout)
	for _, line := range times.says(c) {
		b.WriteString(terminal.Wrap("", line, columns))
	}
	b.WriteString("\nBackends:\n")
	best, _ := backend.Choose("")
	for _, engine := range backend.List() {
		state := engine.Why
		if engine.Missing != "" {
			state = "missing: " + engine.Missing
		}
		if engine.Name == best {
			state = "taken by default: " + state
		}
		b.WriteString(terminal.Wrap(fmt.Sprintf("  %-8s  ", engine.Name), state, columns))
	}
	_, err = io.WriteString(stdout, b.String())
	return err
}

// A row of the list is a panel at one scale.
type row struct {
	figure experiment.Figure
	tasks  []experiment.Task
}

// writeRows writes a table for each figure, 59 columns wide besides the panels' names.
func writeRows(w io.Writer, rows []row, times times) {
	name := 0
	for _, r := range rows {
		name = max(name, len(r.tasks[0].Panel.Name))
	}
	format := fmt.Sprintf("  %%-%ds  %%-5s  %%5s  %%3s  %%3s  %%7s  %%6s  %%4s  %%8s\n", name)
	all := map[string]total{}
	for i, r := range rows {
		id := r.figure.ID()
		if i == 0 || rows[i-1].figure.ID() != id {
			fmt.Fprintf(w, "%s: %s\n", id, r.figure.Title)
			fmt.Fprintf(w, format, "", "scale", "steps", "H", "B", "updates", "trials", "runs", "time")
		}
		h, t := r.tasks[0].Header(""), total{}
		for _, task := range r.tasks {
			t.add(times.of(task))
		}
		number := func(n int) string { return fmt.Sprint(n) }
		fmt.Fprintf(w, format, h.Panel, h.Scale, number(h.Steps), number(h.Units), number(h.Batch), number(h.Updates),
			number(trialsOf(r.tasks)), number(len(r.tasks)), t)
		for _, of := range []string{id + " ", ""} {
			sum := all[of+string(h.Scale)]
			sum.join(t)
			all[of+string(h.Scale)] = sum
		}
		if i == len(rows)-1 || rows[i+1].figure.ID() != id {
			writeTotals(w, format, all, id+" ", "in all")
			fmt.Fprintln(w)
		}
	}
	if rows[0].figure.ID() != rows[len(rows)-1].figure.ID() {
		fmt.Fprintln(w, "All figures:")
		writeTotals(w, format, all, "", "")
		fmt.Fprintln(w)
	}
}

// writeTotals writes how long all panels take, at each scale that several have.
func writeTotals(w io.Writer, format string, all map[string]total, of, name string) {
	for _, scale := range record.Scales {
		if sum := all[of+string(scale)]; sum.panels > 1 {
			fmt.Fprintf(w, format, name, scale, "", "", "", "", "", fmt.Sprint(sum.runs), sum)
		}
	}
}

// trialsOf is the number of trials of each arm, at each x.
func trialsOf(tasks []experiment.Task) int {
	most := 0
	for _, trial := range tasks[0].Trials {
		most = max(most, trial.Number+1)
	}
	return most
}

// A total adds up the times of runs.
type total struct {
	seconds              float64
	panels, runs, unsure int
	measured             bool // some of it
}

func (t *total) add(one estimate) {
	t.panels = 1
	t.runs++
	t.seconds += one.seconds
	if one.by == unknown {
		t.unsure++
	}
	t.measured = t.measured || one.by == measured
}

func (t *total) join(other total) {
	t.panels, t.runs, t.unsure = t.panels+other.panels, t.runs+other.runs, t.unsure+other.unsure
	t.seconds, t.measured = t.seconds+other.seconds, t.measured || other.measured
}

// String is the time, with a star if it was measured now.
func (t total) String() string {
	switch {
	case t.unsure > 0:
		return "unknown"
	case t.measured:
		return about(t.seconds) + "*"
	}
	return about(t.seconds)
}

// An estimate is how long a run takes here, and what that rests on.
type estimate struct {
	seconds float64 // of the wall-clock time; runs at the same time share it
	by      basis
}

type basis int

const (
	unknown  basis = iota
	recorded       // by a record that was made here
	measured       // on first updates, now
)

// times are what is known about how long runs take.
type times struct {
	past   run.Past
	each   map[string]float64 // measured now: the seconds of an update, of tasks that are alike
	engine string
	jobs   int
	none   error // why nothing is known
}

func (t times) of(task experiment.Task) estimate {
	if seconds, ok := t.past.Seconds(task); ok {
		return estimate{seconds, recorded}
	}
	if each, ok := t.each[run.Alike(task)]; ok {
		return estimate{each * run.Worth(task) / float64(t.jobs), measured}
	}
	return estimate{}
}

// committed is where this project's own records lie, seen from its top folder.
const committed = "replication/records"

// past reads what the records in the output directory and, in this project, the committed ones tell about times. Those
// that cannot be read tell nothing.
func (c command) past(runner *run.Runner) run.Past {
	var records []*record.Record
	for _, dir := range []string{c.recordsDir(), committed, c.compare} {
		if dir != "" {
			found, _ := record.ReadAny(dir)
			records = append(records, found...)
		}
	}
	return runner.Past(records)
}

// times finds out how long the runs of a list take: by records that were made here and, if a scale was asked for, by
// the first updates of what has none.
func (c command) times(ctx context.Context, rows []row) (times, error) {
	engine, err := backend.Choose(c.backend)
	if err != nil {
		return times{none: err}, nil // the list says which backends there are
	}
	jobs := 0 // as many as will be trained at the same time
	for _, r := range rows {
		jobs += len(r.tasks)
	}
	jobs = min(c.jobs, jobs)
	b, err := backend.New(backend.Share(engine, jobs))
	if err != nil {
		return times{none: err}, nil
	}
	defer b.Finalize()
	runner := &run.Runner{Backend: b, Name: engine}
	t := times{past: c.past(runner), each: map[string]float64{}, engine: engine, jobs: jobs}
	var missing []experiment.Task // one of those that are alike
	for _, r := range rows {
		for _, task := range r.tasks {
			_, known := t.each[run.Alike(task)]
			if !known && t.of(task).by == unknown && c.scaled && task.Ready() == nil {
				t.each[run.Alike(task)] = 0
				missing = append(missing, task)
			}
		}
	}
	if len(missing) == 0 {
		return t, nil
	}
	fmt.Fprintf(os.Stderr, "Measuring the first updates of %s. Ctrl-C lists without.\n", count(len(missing), "run"))
	return t, t.measure(ctx, runner, missing)
}

// measure measures runs, as many at the same time as will be trained at the same time.
func (t *times) measure(ctx context.Context, runner *run.Runner, tasks []experiment.Task) error {
	clear(t.each)
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		first error
	)
	queue := make(chan experiment.Task)
	for range t.jobs {
		wg.Go(func() {
			for task := range queue {
				seconds, err := runner.Measure(ctx, task)
				mu.Lock()
				if err == nil {
					t.each[run.Alike(task)] = seconds
				} else if first == nil && !errors.Is(err, run.ErrInterrupted) {
					first = err
				}
				mu.Unlock()
			}
		})
	}
	for _, task := range tasks {
		queue <- task
	}
	close(queue)
	wg.Wait()
	return first
}

// left says how long the tasks that are not done yet take, by records that were made here.
func (c command) left(runner *run.Runner, tasks []experiment.Task) string {
	past, seconds := c.past(runner), 0.
	for _, task := range tasks {
		path := record.Path(c.recordsDir(), task.Header(""))
		if _, err := os.Stat(path); err == nil {
			continue
		}
		all, known := past.Seconds(task)
		if !known {
			return "How long it takes is not known before the first updates"
		}
		if r, err := record.ReadPartial(path); err == nil && len(r.Points) > 0 {
			all *= 1 - float64(r.Points[len(r.Points)-1].Update)/float64(r.Updates)
		}
		seconds += all
	}
	if seconds == 0 {
		return "All are complete"
	}
	return fmt.Sprintf("It takes about %s, by records that were made here", about(seconds))
}

// says tells what the times rest on.
func (t times) says(c command) []string {
	if t.none != nil {
		return []string{"Times are unknown: " + t.none.Error()}
	}
	lines := []string{fmt.Sprintf("Times are what the records in %s and %s took that were made with %s on a processor "+
		"of this name. Runs at the same time share the machine, and so the time.",
		c.recordsDir(), committed, t.engine)}
	if len(t.each) > 0 {
		lines = append(lines, fmt.Sprintf("* By the first updates, measured now, %d runs at a time, beside all else "+
			"that the machine does. What tests take is reckoned from them.", t.jobs))
	}
	if !c.scaled {
		lines = append(lines, "Unknown times are measured where a scale is named: -list -scale paper.")
	}
	return lines
}

// about writes a time with as many digits as an estimate has.
func about(seconds float64) string {
	switch minutes, hours := seconds/60, seconds/3600; {
	case seconds < 90:
		return fmt.Sprintf("%.0f s", seconds)
	case minutes < 90:
		return fmt.Sprintf("%.0f min", minutes)
	case hours < 10:
		return fmt.Sprintf("%.1f h", hours)
	default:
		return fmt.Sprintf("%.0f h", hours)
	}
}
