package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
)

// verify trains records again and says of each, number by number, whether it is the same. Paths are records, or
// directories of them.
func verify(ctx context.Context, c request, paths []string, out *command.Output) error {
	var records []*record.Record
	var tasks []experiment.Task
	for _, path := range paths {
		found, err := readRecords(path)
		if err != nil {
			return err
		}
		records = append(records, found...)
	}
	for _, r := range records { // all of them, before hours of training
		task, err := run.Declared(r, allFigures())
		if err != nil {
			return err
		}
		tasks = append(tasks, task)
	}
	backends := map[string]compute.Backend{}
	defer func() {
		for _, b := range backends {
			b.Finalize()
		}
	}()
	progress := newProgress(out, tasks)
	defer progress.stop()
	same, near, differ := 0, 0, 0
	for _, r := range records {
		engine := r.Backend
		if c.backend != "" {
			engine = c.backend
		}
		engine, err := backend.Choose(engine)
		if err != nil {
			return err
		}
		if backends[engine] == nil {
			if backends[engine], err = backend.New(engine); err != nil {
				return err
			}
		}
		runner := run.Runner{Backend: backends[engine], Name: engine, Observe: progress.observe}
		v, err := runner.Verify(ctx, r, allFigures())
		if err != nil {
			return err
		}
		progress.stop()
		switch {
		case len(v.Numbers) == 0:
			same++
			fmt.Fprintf(out, "%s: the same, number by number\n", r.Path)
		case v.Same():
			near++
			fmt.Fprintf(out, "%s: the first points agree to %.2g of their size; more cannot be asked:\n  %s\n",
				r.Path, v.First, strings.Join(v.Settings, "\n  "))
		default:
			differ++
			fmt.Fprintf(out, "%s: not the same:\n  %s\n",
				r.Path, strings.Join(append(v.Numbers, v.Settings...), "\n  "))
		}
	}
	fmt.Fprintf(out, "Of %d records, %d are the same number by number, %d in their first points, and %d are not.\n",
		len(records), same, near, differ)
	if differ > 0 {
		return errDiffers
	}
	return nil
}

// readRecords reads one record, or all in a directory.
func readRecords(path string) ([]*record.Record, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return record.ReadAll(path)
	}
	r, err := record.Read(path)
	return []*record.Record{r}, err
}
