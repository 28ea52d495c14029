// Replicate trains the papers' figures, draws them and checks their claims. Without arguments it does all of it at the
// smallest scale.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
	"github.com/warptime/warptime/scripts/replicate/watch"
)

const usage = `Usage: go run ./scripts/replicate [options]
       go run ./scripts/replicate -verify[=n] [-backend name] record …

Trains the figures, draws each as SVG and PNG as soon as its runs are complete,
and checks the papers' claims against the results. A run that was interrupted or
killed resumes from its last checkpoint; a complete run is not trained again.
Several processes may share -out: each trains what no other is training.

Exit codes: 0 done; 1 -verify found other numbers; 2 an error, which one line
reports, and nothing is lost or overwritten; 4 not complete: interrupted, or
another process is training one of the runs. The same command resumes. go run
prints these codes and itself ends with 1.
`

// An interrupted program waits for the updates in progress this long until it reports that. Tests wait longer.
var silence = 2 * time.Second

func main() {
	command.Main("replicate", func(ctx context.Context, args []string, out *command.Output) error {
		context.AfterFunc(ctx, func() {
			time.Sleep(silence)
			fmt.Fprintln(os.Stderr, "\nreplicate: waiting for the update in progress; Ctrl-C again ends at once")
		})
		return replicate(ctx, args, out)
	})
}

type request struct {
	plan.Choice
	list, figures bool // -list alone lists figures
	watch, idle   bool // -watch trains nothing
	verify        []string
	updates       int // of a record to verify; 0 for all
}

// replicate is main without the exit.
func replicate(ctx context.Context, args []string, out *command.Output) error {
	c, err := parse(args, out)
	if err != nil {
		return err
	}
	if c.watch {
		page, err := watch.Start(c.RecordsDir())
		if err != nil {
			return err
		}
		defer page.Close()
		out.Note(fmt.Sprintf("The curves are at http://%s/ until Ctrl-C", page.Addr))
	}
	switch {
	case c.verify != nil:
		return c.verifyAll(ctx, out)
	case c.idle:
		<-ctx.Done() // which is its regular end
		return nil
	}
	tasks, err := c.Tasks()
	if err != nil {
		return err
	}
	engine, err := backend.Choose(c.Backend)
	if err != nil {
		return err
	}
	switch {
	case c.figures:
		return listFigures(engine, out)
	case len(tasks) == 0:
		out.Note("No runs are left for this share: there are more shares than runs.")
		return nil
	case c.list:
		return listRuns(tasks, out)
	}
	return c.train(ctx, tasks, engine, out)
}

// train trains tasks, draws their figures and reports what came out.
func (c request) train(ctx context.Context, tasks []experiment.Task, engine string, out *command.Output) error {
	backends, finalize, err := backend.Shared(engine, atOnce(len(tasks)))
	if err != nil {
		return err
	}
	defer finalize()
	missing, err := c.Missing(tasks)
	if err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	note, err := plan.Evidence(missing, run.Commit(), papers.Unregistered())
	if err != nil {
		return err
	}
	for _, task := range missing {
		h := task.Header(engine)
		if err := record.Resumable(record.Path(c.RecordsDir(), h), h); err != nil {
			return fmt.Errorf("%s: %w", plan.Name(task), err)
		}
	}
	progress := newProgress(out, tasks)
	runs := plan.Count(len(tasks), "run")
	out.Note(fmt.Sprintf("%s on %s, %d at a time, into %s", runs, engine, len(backends), c.Out))
	if note != "" {
		out.Note(note)
	}
	pictures := &pictures{records: c.RecordsDir(), dir: c.Out, out: out, left: map[string]int{}}
	if !c.Part() {
		if err := pictures.start(c.all(), tasks); err != nil {
			return err
		}
	}
	var workers []worker
	for _, b := range backends {
		runner := run.Runner{Backend: b, Name: engine, Dir: c.RecordsDir(), Rules: papers.Rules}
		workers = append(workers, func(ctx context.Context, task experiment.Task) error {
			trained, runner := false, runner
			runner.Observe = func(s run.Status) {
				trained = true
				progress.observe(s)
			}
			_, err := runner.Train(ctx, task)
			if err == nil && !trained {
				progress.skip(task)
			}
			if err == nil && !c.Part() {
				pictures.complete(task)
			}
			return err
		})
	}
	if err = train(ctx, tasks, workers); err == nil && !c.Part() {
		err = report(c, tasks, pictures, out)
	}
	if err != nil || !c.watch {
		return err
	}
	out.Note("The page with the curves is there until Ctrl-C")
	<-ctx.Done()
	return nil
}

// parse reads the command line.
func parse(args []string, out *command.Output) (c request, err error) {
	flags := &flag.FlagSet{}
	c.Flags(flags)
	flags.BoolVar(&c.list, "list", false, "list figures and backends, and train nothing; with other options, list\n"+
		"the runs that they choose, their sizes, and how long our records say that they take")
	flags.BoolVar(&c.watch, "watch", false, "show the curves of the runs in -out while they grow, on a page for a\n"+
		"browser on this machine, until Ctrl-C; alone or with -out only, train nothing")
	verify := false
	flags.BoolFunc("verify", "retrain records from their own settings and compare the results number by number;\n"+
		"the arguments are records or directories of them; -verify=n compares only the\n"+
		"first n updates of each; interrupted, it starts over", func(text string) error {
		n, err := strconv.Atoi(text)
		if verify, c.updates = true, n; text != "true" && (err != nil || n < 1) {
			return errors.New("want a number of updates from 1 on")
		}
		return nil
	})
	if err := command.Parse(flags, usage, args, out); err != nil {
		return c, err
	}
	switch other := command.Other(flags, "verify", "backend"); {
	case c.list && c.watch:
		return c, errors.New("-watch cannot be combined with -list, which trains nothing and ends at once")
	case verify && flags.NArg() == 0:
		return c, errors.New("-verify needs records: name them after the options")
	case verify && other != "":
		return c, fmt.Errorf("-%s cannot be combined with -verify: records have their settings", other)
	case verify:
		c.verify = flags.Args()
		return c, nil
	}
	c.idle = c.watch && command.Other(flags, "watch", "out") == ""
	c.figures = c.list && command.Other(flags, "list", "backend") == ""
	return c, command.NoArguments(flags)
}

// all reports whether all figures were asked for. With them comes what none of them is: drawings that need no training,
// and the claims that a paper makes in its text, such as those of warp/text.
func (c request) all() bool { return c.Names == "" }

// check finds out, before hours of training, whether the records that are there can be read and drawn.
func (c request) check() error {
	if err := os.MkdirAll(c.RecordsDir(), 0o777); err != nil {
		return err
	}
	if c.Part() {
		return nil // what others train is none of its business
	}
	if err := papers.Replaceable(c.Out); err != nil {
		return err
	}
	if _, err := readDeclared(c.RecordsDir()); err != nil {
		return fmt.Errorf("%w: move it away, or choose another directory with -out", err)
	}
	return nil
}
