package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
)

// verifyAll trains records again and reports for each whether it is the same.
func (c request) verifyAll(ctx context.Context, out *command.Output) error {
	var records []*record.Record
	var tasks []experiment.Task
	var engines []string
	for _, path := range c.verify {
		found, err := record.ReadUnder(path)
		if err != nil {
			return err
		}
		records = append(records, found...)
	}
	for _, r := range records { // all of them, before hours of training
		task, err := experiment.Declared(papers.All.Trained(), r)
		if err != nil {
			return err
		}
		if err := task.Ready(); err != nil {
			return fmt.Errorf("%s: %w", r.Path, err)
		}
		if c.Backend == "" && !backend.Named(r.Backend) { // a record of somebody else chooses no file to load
			return fmt.Errorf("%s: its backend %q is no engine that -verify starts by itself: name one with -backend",
				r.Path, r.Backend)
		}
		engine, err := backend.Choose(cmp.Or(c.Backend, r.Backend))
		if err != nil {
			return fmt.Errorf("%s: %w", r.Path, err)
		}
		tasks, engines = append(tasks, task), append(engines, engine)
	}
	counts := map[run.Verdict]int{}
	for i, r := range records {
		b, err := backend.New(engines[i])
		if err != nil {
			return err
		}
		shown := tasks[i]
		if n := max(c.updates, r.Window); c.updates > 0 && n < r.Updates {
			shown.Length, shown.Tests = experiment.Length{Epochs: 1, Updates: n}, nil
		}
		var shows *progress
		runner := run.Runner{Backend: b, Name: engines[i], Observe: func(s run.Status) {
			if shows == nil || s.Update == s.First && s.Tested == 0 { // it may be trained twice
				shows = newProgress(out, []experiment.Task{shown})
			}
			s.Task = &shown
			shows.observe(s)
		}}
		v, err := runner.Verify(ctx, r, tasks[i], c.updates)
		b.Finalize()
		if err != nil {
			return err
		}
		counts[v.Verdict]++
		says := []string{fmt.Sprintf("%s: %s", r.Path, v.Verdict)}
		if v.Updates < r.Updates {
			says[0] = fmt.Sprintf("%s: its first %d of %d updates: %s", r.Path, v.Updates, r.Updates, v.Verdict)
		}
		if v.Verdict != run.Same {
			says = slices.Concat(says, v.Numbers, v.Unchecked, v.Settings)
		}
		fmt.Fprintln(out, strings.Join(says, "\n  "))
	}
	fmt.Fprintf(out, "Of %d records, %d are the same, %d are equal within rounding, %d are checked in part, and %d "+
		"are not the same.\n", len(records), counts[run.Same], counts[run.Rounded], counts[run.PartlyChecked],
		counts[run.Differs])
	if counts[run.Differs] > 0 {
		return command.Code(1, errors.New("not every number is the same"))
	}
	return nil
}
