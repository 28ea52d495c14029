// Replicate trains the papers' figures, draws them and checks their claims. Without arguments it does all of it at the
// smallest scale.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/filesystem"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
	"github.com/warptime/warptime/scripts/replicate/watch"
)

const usage = `Usage: go run ./scripts/replicate [options]
       go run ./scripts/replicate -verify [-updates n] [-backend name] record …

Trains the figures, draws each as SVG and PNG as soon as its runs are complete,
and checks the papers' claims against the results. A run that was interrupted or
killed resumes from its last checkpoint; a complete run is not trained again.
`

const exitCodes = `Exit codes: 0 done; 1 -verify found other numbers; 2 bad input, or a file could
not be read or written: one line reports it, and nothing is lost or overwritten;
3 -verify compared some numbers by their size alone, as they were computed with
another engine, instruction set or device; 4 another process is training one of
the runs, and all others are complete; 130 interrupted (Ctrl-C, SIGTERM, a
closed terminal); 141 the reader of the output has gone. go run prints these
codes and itself ends with 1.
`

// errDiffers is why -verify ends with exit code 1.
var errDiffers = command.Code(1, errors.New("not every number is the same"))

// An interrupted program waits this long for the updates in progress, or their compilation, until it reports that it
// waits, and until it gives up: what was saved before is kept then, and the same command resumes from there. Tests wait
// longer.
var (
	silence  = 2 * time.Second
	patience = 20 * time.Second
)

func main() {
	command.Main("replicate", "", func(ctx context.Context, args []string, out *command.Output) error {
		context.AfterFunc(ctx, func() {
			time.Sleep(silence)
			fmt.Fprintln(os.Stderr, "\nreplicate: waiting for the update in progress; Ctrl-C again ends at once")
			time.Sleep(patience - silence)
			fmt.Fprintln(os.Stderr, "replicate: interrupted within an update; the same command resumes a training")
			os.Exit(130)
		})
		return replicate(ctx, args, out)
	})
}

// request is what the user asks for.
type request struct {
	plan.Choice
	jobs    int
	devices []string // a process for each; nil to train in this one
	list    bool
	watch   bool
	idle    bool     // -watch trains nothing
	verify  []string // records; nil to train figures
	updates int      // how many to verify; 0 for all
}

// replicate is main without the exit.
func replicate(ctx context.Context, args []string, out *command.Output) error {
	c, done, err := parse(args, out)
	switch {
	case done:
		return err
	case c.verify != nil:
		return verify(ctx, c, c.verify, out)
	case c.idle:
		return watchOnly(ctx, c, out)
	}
	tasks, err := c.Tasks()
	if err != nil {
		return err
	}
	if len(tasks) == 0 {
		out.Note("No runs are left for this share: there are more shares than runs.")
		return nil
	}
	engine, err := backend.Choose(c.Backend)
	if err != nil {
		return err
	}
	if c.list {
		return list(ctx, c, engine, out)
	}
	if tasks = inOrder(tasks); c.devices != nil {
		tasks = plan.LongestFirst(tasks)
	}
	progress := newProgress(out, tasks)
	workers, finalize, err := c.workers(engine, progress)
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
	if err := c.Registered(missing, run.Commit()); err != nil {
		return err
	}
	for _, task := range missing {
		h := task.Header(engine)
		if err := record.Resumable(record.Path(c.RecordsDir(), h), h); err != nil {
			return fmt.Errorf("%s: %w", plan.Name(task), err)
		}
	}
	var page *watch.Server
	if c.watch {
		whole := progress.whole
		if c.devices != nil {
			whole = nil // the processes of the devices do not tell
		}
		if page, err = watch.Start(c.RecordsDir(), whole); err != nil {
			return err
		}
		defer page.Close()
		out.Note("The curves are at " + page.URL())
	}
	out.Note(fmt.Sprintf("%s on %s, %d at a time, into %s", c.what(tasks), engine, len(workers), c.Out))
	if note := smaller(tasks); note != "" && !c.Part() {
		out.Note(note)
	}
	if note := plan.Unclear(tasks, run.Commit()); note != "" {
		out.Note(note)
	}
	var pictures *pictures
	complete := func(experiment.Task) {}
	if !c.Part() {
		if pictures, err = draw(c, tasks, out); err != nil {
			return err
		}
		complete = pictures.complete
	}
	if err := train(ctx, tasks, workers, complete); err != nil {
		if page != nil {
			out.End()
			out.Note("To see the curves again: go run ./scripts/replicate -watch -out " + c.Out)
		}
		return err
	}
	if pictures != nil {
		if err := report(c, tasks, pictures, out); err != nil {
			return err
		}
	}
	if page != nil {
		out.Note(fmt.Sprintf("The curves stay at %s until Ctrl-C", page.URL()))
		<-ctx.Done()
	}
	return err
}

// what says what is trained: "8 runs at scale quick".
func (c request) what(tasks []experiment.Task) string {
	if c.Runs != nil {
		return plan.Count(len(tasks), "run")
	}
	return fmt.Sprintf("%s at scale %s", plan.Count(len(tasks), "run"), c.Options.Scale)
}

// watchOnly shows what is in the output directory until it is interrupted, which is its regular end.
func watchOnly(ctx context.Context, c request, out *command.Output) error {
	page, err := watch.Start(c.RecordsDir(), nil)
	if err != nil {
		return err
	}
	defer page.Close()
	out.Note(fmt.Sprintf("The curves are at %s until Ctrl-C", page.URL()))
	<-ctx.Done()
	return nil
}

// Bounds: more jobs than this are a typing mistake; and more than a few runs at once take memory and gain nothing.
const (
	maxJobs     = 64
	defaultJobs = 4
)

// parse reads the command line. The program is done if it asked for help, or if there is an error.
func parse(args []string, out *command.Output) (c request, done bool, err error) {
	flags := command.NewFlags(usage, exitCodes)
	complete := c.Flags(flags)
	flags.IntVar(&c.jobs, "jobs", min(runtime.GOMAXPROCS(0), defaultJobs), "train `n` runs at a time, which share the "+
		"processor's cores")
	devices := flags.String("devices", "", "train on the GPUs with these `numbers`, separated by commas: one process "+
		"per GPU (CUDA_VISIBLE_DEVICES), the longest runs first")
	flags.BoolVar(&c.list, "list", false, "list figures and backends, and train nothing; with -figure, list panels "+
		"and their sizes; with -scale or -run, list runs and estimate from their first updates how long they take, "+
		"on 1 to 64 nodes")
	flags.BoolVar(&c.watch, "watch", false, "show the curves of the runs in -out while they grow, on a page for a "+
		"browser on this machine, until Ctrl-C; alone or with -out only, train nothing and show what is there")
	verify := flags.Bool("verify", false, "retrain records from their own settings and compare the results number by "+
		"number; the arguments are records or directories of them; each uses its own backend unless -backend is "+
		"given; an interrupted -verify starts over")
	flags.IntVar(&c.updates, "updates", 0, "verify only the first `n` updates of each record; its first "+
		"point of training, if that is later")
	flags.Arguments = true
	if done, err := flags.Parse(args, out); done {
		return c, true, err
	}
	switch other := flags.Other("verify", "updates", "backend"); {
	case *verify && flags.NArg() == 0:
		return c, true, errors.New("-verify needs records: name them after the options")
	case *verify && other != "":
		return c, true, fmt.Errorf("-%s cannot be combined with -verify: records have their settings", other)
	case flags.Given("updates") && (!*verify || c.updates < 1):
		return c, true, errors.New("-updates needs -verify, and a number from 1 on")
	case *verify:
		c.verify = flags.Args()
		return c, false, nil
	case flags.NArg() > 0:
		return c, true, fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	case c.watch && c.list:
		return c, true, errors.New("-watch cannot be combined with -list, which trains nothing")
	case c.jobs < 1 || c.jobs > maxJobs:
		return c, true, fmt.Errorf("%d jobs: want 1 to %d", c.jobs, maxJobs)
	}
	c.idle = c.watch && flags.Other("watch", "out") == ""
	if *devices != "" {
		c.devices = strings.Split(*devices, ",")
		for i, d := range c.devices {
			if d == "" || slices.Contains(c.devices[:i], d) {
				return c, true, fmt.Errorf("-devices %s: want different numbers, separated by commas", *devices)
			}
		}
	}
	if c.devices != nil && flags.Given("jobs") {
		return c, true, errors.New("-jobs cannot be combined with -devices: each device trains one run at a time")
	}
	err = complete()
	return c, err != nil, err
}

// chosen tells whether a figure was asked for. With all figures comes what none of them is: drawings that need no
// training, and the claims that a paper makes in its text, such as those of warp/text.
func (c request) chosen(id string) bool {
	return len(c.Figures) == len(plan.Figures()) ||
		slices.ContainsFunc(c.Figures, func(f experiment.Figure) bool { return f.ID() == id })
}

// claims are those about the chosen figures.
func (c request) claims() []claim.Set {
	return slices.DeleteFunc(papers.All.Sets(), func(s claim.Set) bool { return !c.chosen(s.ID) })
}

// check finds out, before hours of training, whether the records that are there can be read and drawn, and new ones can
// be written.
func (c request) check() error {
	if err := os.MkdirAll(c.RecordsDir(), 0o777); err != nil {
		return err
	}
	for _, dir := range []string{c.Out, c.RecordsDir()} {
		if err := writable(dir); err != nil {
			return err
		}
	}
	if c.Part() {
		return nil // what others train is none of its business
	}
	for _, name := range []string{papers.ClaimsPage, papers.ClaimsJSON} {
		if err := command.Replaceable(filepath.Join(c.Out, name), "a page of claims", papers.IsFile); err != nil {
			return err
		}
	}
	if _, err := readDeclared(c.RecordsDir(), ""); err != nil {
		return fmt.Errorf("%w: move it away, or choose another directory with -out", err)
	}
	return nil
}

// readDeclared reads the records of a figure in a directory, or of all figures. All can be drawn and judged.
func readDeclared(dir, figure string) ([]*record.Record, error) {
	records, err := record.ReadAny(dir)
	if figure != "" {
		f, err := papers.All.Figure(figure)
		if err != nil {
			return nil, err
		}
		records = slices.DeleteFunc(records, func(r *record.Record) bool {
			_, ours := f.Experiments().PanelOf(r.Header)
			return !ours
		})
	}
	if err == nil {
		err = experiment.CheckDeclared(papers.All.Trained(), records)
	}
	return records, err
}

// writable returns an error unless files can be created in a directory. The error is the same each time, without the
// random name of the file: slurm stops requeuing a run that fails twice with the same error.
func writable(dir string) error {
	const pattern = ".writable-*"
	filesystem.Sweep(dir, pattern)
	file, err := os.CreateTemp(dir, pattern)
	if err == nil {
		file.Close()
		err = os.Remove(file.Name())
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return fmt.Errorf("cannot create files in %s: %w; choose another directory with -out", dir, path.Err)
	}
	return err
}

// hold is set in tests: it keeps a run from ending until the program is interrupted.
var hold = func(context.Context, run.Status) {}

// A worker trains runs, one after another.
type worker func(context.Context, experiment.Task) error

// workers are a process for each device, or work in this process, -jobs at a time. They have to be finalized.
func (c request) workers(engine string, progress *progress) (workers []worker, finalize func(), err error) {
	if c.devices != nil {
		if onCPU(engine) {
			return nil, nil, fmt.Errorf("-devices chooses GPUs, and %s uses none: use -jobs", engine)
		}
		for _, device := range c.devices {
			workers = append(workers, c.onDevice(engine, device, progress.out))
		}
		return workers, func() {}, nil
	}
	backends, finalize, err := backend.Shared(engine, min(c.jobs, len(progress.tasks)))
	if err != nil {
		return nil, nil, err
	}
	for _, b := range backends {
		workers = append(workers, func(ctx context.Context, task experiment.Task) error {
			trained := false
			runner := &run.Runner{Backend: b, Name: engine, Dir: c.RecordsDir(), Rules: papers.Rules}
			runner.Observe = func(s run.Status) {
				trained = true
				progress.observe(s)
				hold(ctx, s)
			}
			_, err := runner.Train(ctx, task)
			if err == nil && !trained {
				progress.skip(task)
			}
			return err
		})
	}
	return workers, finalize, nil
}

// train trains the tasks, some at the same time, and calls complete after each. After the first that fails the others
// stop at a checkpoint. A run that another process is training waits until all others are done, and is tried again.
func train(ctx context.Context, tasks []experiment.Task, workers []worker, complete func(experiment.Task)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		mu           sync.Mutex
		busy         []experiment.Task
		failed, held error
		where        []string // runs were interrupted
	)
	each := func(work worker, task experiment.Task) {
		err := work(ctx, task)
		if err == nil {
			complete(task)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		switch {
		case errors.Is(err, record.ErrBusy):
			busy, held = append(busy, task), err
			return
		case errors.Is(err, run.ErrInterrupted) || errors.Is(err, context.Canceled):
			where = append(where, err.Error()) // perhaps alone: a process of -devices that somebody ended
		default:
			failed = cmp.Or(failed, err)
		}
		cancel()
	}
	for range 2 {
		var wg sync.WaitGroup
		queue := make(chan experiment.Task)
		for _, work := range workers {
			wg.Go(func() {
				for task := range queue {
					if ctx.Err() == nil { // else it was waiting when the others were stopped
						each(work, task)
					}
				}
			})
		}
		for _, task := range tasks {
			queue <- task
		}
		close(queue)
		wg.Wait()
		tasks, busy = busy, nil
	}
	switch {
	case failed != nil:
		return command.Code(2, failed) // even if Ctrl-C came at the same time
	case ctx.Err() == nil && tasks != nil:
		return command.Code(4, held)
	case ctx.Err() == nil:
		return nil
	case where == nil:
		where = []string{"interrupted between two runs"}
	}
	return fmt.Errorf("%s. Run the same command to resume", strings.Join(where, "; "))
}

// smaller says which panels are not of the sizes that they are named for; empty if all are.
func smaller(tasks []experiment.Task) string {
	const examples = 3
	var panels []string
	scale := record.Quick
	for _, t := range tasks {
		if title := t.Panel.TitleAt(t.Scale); title != t.Panel.Title {
			panels, scale = append(panels, fmt.Sprintf("%s %s is %q", t.Figure.ID(), t.Panel.Name, title)), t.Scale
		}
	}
	if panels = slices.Compact(panels); panels == nil {
		return ""
	}
	note := fmt.Sprintf("Panels are named for the paper's sizes, and smaller at scale %s: ", scale)
	if len(panels) > examples {
		panels = append(panels[:examples], "and so on; -list -figure warp/fig3 lists sizes")
	}
	return note + strings.Join(panels, ", ")
}
