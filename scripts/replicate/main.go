// Replicate trains the papers' figures, draws them and checks their claims. Without arguments it does all of it at the
// smallest scale.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/replicate/watch"
)

const usage = `Usage: go run ./scripts/replicate [options]
       go run ./scripts/replicate -verify [-backend name] record …

Trains the figures, draws them as SVG and PNG, and checks the papers' claims
against the results. A run that was interrupted or killed resumes from its last
checkpoint; a complete run is not trained again.
`

const exitCodes = `Exit codes: 0 done; 1 -compare or -verify found another number; 2 bad input, or
something could not be read or written: one line says what, and nothing is lost
or overwritten; 3 -verify found other numbers on another engine, instruction set
or device, where last bits differ; 130 interrupted (Ctrl-C). (go run itself
prints any code but 0 and ends with 1, as it does after every Ctrl-C.)
`

// errDiffers is why -compare and -verify end with exit code 1.
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
			fmt.Fprintln(os.Stderr, "replicate: interrupted within an update; run the same command to resume")
			os.Exit(130)
		})
		return replicate(ctx, args, out)
	})
}

// allFigures are those of all papers.
func allFigures() []experiment.Figure { return papers.All.Trained() }

// request is what the user asks for.
type request struct {
	figures []experiment.Figure
	options experiment.Options
	scaled  bool // the scale was named
	backend string
	jobs    int
	out     string
	compare string
	list    bool
	watch   bool
	idle    bool     // -watch trains nothing
	verify  []string // records; nil to train figures
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
	tasks, err := c.tasks()
	if err != nil {
		return err
	}
	engine, err := backend.Choose(c.backend)
	if err != nil {
		return err
	}
	if c.list {
		return list(ctx, c, engine, out)
	}
	jobs := min(c.jobs, len(tasks))
	b, err := backend.New(backend.Share(engine, jobs))
	if err != nil {
		return err
	}
	defer b.Finalize()
	if err := c.ready(tasks); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	if c.watch {
		page, err := watch.Start(c.recordsDir())
		if err != nil {
			return err
		}
		defer page.Close()
		fmt.Fprintf(out, "The curves are at %s\n", page.URL())
		defer func() {
			if ctx.Err() == nil {
				page.Linger()
			}
		}()
	}
	fmt.Fprintf(out, "%s at scale %s on %s, %d at a time, into %s\n",
		count(len(tasks), "run"), c.options.Scale, engine, jobs, c.out)
	if note := unclear(run.Commit()); note != "" && c.options.Scale != record.Quick {
		fmt.Fprintln(out, note)
	}
	if err := train(ctx, c, tasks, b, engine, out); err != nil {
		return err
	}
	if err := draw(c, tasks, out); err != nil {
		return err
	}
	if c.compare != "" {
		return compare(c, tasks, out)
	}
	return nil
}

// unclear warns that records will not name the commit of their program. Evidence has to.
func unclear(commit string) string {
	switch {
	case strings.Contains(commit, "+changes"):
		return fmt.Sprintf("Records will say that this program was built from edited or added files (%s)", commit)
	case commit == "unknown":
		return "Records will not say which commit this program was built from: git does not tell"
	}
	return ""
}

// watchOnly shows what is in the output directory until it is interrupted, which is its regular end.
func watchOnly(ctx context.Context, c request, out *command.Output) error {
	page, err := watch.Start(c.recordsDir())
	if err != nil {
		return err
	}
	defer page.Close()
	fmt.Fprintf(out, "The runs in %s are at %s until Ctrl-C\n", c.out, page.URL())
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
	names := flags.String("figure", "", "train only the figures of these `names`, separated by commas: warp/fig3, or "+
		"fig3 for the figures of this name in both papers; without it all")
	flags.StringVar(&c.options.Panel, "panel", "", "train only the panel of this `name`, of one figure")
	flags.StringVar((*string)(&c.options.Scale), "scale", string(record.Quick),
		"train at the scale of this `name`: quick (minutes on two cores), paper (the paper's own sizes: hours for "+
			"each panel on two cores) or, where a figure has it, reduced (between the two)")
	flags.IntVar(&c.options.Trials, "trials", 0, "train `n` independently seeded models of each curve, instead of as "+
		"many as are declared")
	flags.Uint64Var(&c.options.Seed, "seed", 1, "draw the models and the data from seed `n`")
	flags.StringVar(&c.backend, "backend", "", "compute on the engine of this `name`: xla:cuda, xla:cpu, simd, go, "+
		"or a GoMLX configuration; without it $GOMLX_BACKEND, else the best that is present")
	flags.IntVar(&c.jobs, "jobs", min(runtime.GOMAXPROCS(0), defaultJobs), "train `n` runs at the same time, which "+
		"share the processor's cores")
	flags.StringVar(&c.out, "out", "out", "write the figures to `dir`, and the records to dir/records")
	flags.StringVar(&c.compare, "compare", "", "then compare the records with those in `dir`, number by number; with "+
		"ours: -compare replication/records")
	flags.BoolVar(&c.list, "list", false, "list figures, sizes and backends, and train nothing; with -scale, also "+
		"time the first updates of each panel, and estimate from them how long it takes here")
	flags.BoolVar(&c.watch, "watch", false, "show the curves of the runs in -out, as they grow, on a page for a "+
		"browser on this machine; with -out alone or no other option, train nothing and show what is there until "+
		"Ctrl-C")
	verify := flags.Bool("verify", false, "retrain records from their own settings and compare them number by number; "+
		"records are files, or directories of them; each uses its own backend unless another is named; what is "+
		"interrupted starts over")
	flags.Arguments = true
	if done, err := flags.Parse(args, out); done {
		return c, true, err
	}
	c.scaled = flags.Given("scale")
	switch other := flags.Other("verify", "backend"); {
	case *verify && flags.NArg() == 0:
		return c, true, errors.New("-verify needs records: name them after the options")
	case *verify && other != "":
		return c, true, fmt.Errorf("-%s does not go with -verify, which trains what the records say", other)
	case *verify:
		c.verify = flags.Args()
		return c, false, nil
	case flags.NArg() > 0:
		return c, true, fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	case c.watch && c.list:
		return c, true, errors.New("-watch does not go with -list, which trains nothing")
	case c.jobs < 1 || c.jobs > maxJobs:
		return c, true, fmt.Errorf("%d jobs: want 1 to %d", c.jobs, maxJobs)
	}
	c.idle = c.watch && flags.Other("watch", "out") == ""
	c.figures, err = choose(*names)
	return c, err != nil, err
}

// choose finds the figures of these names, each once; all without a name.
func choose(names string) (chosen []experiment.Figure, err error) {
	if names == "" {
		return allFigures(), nil
	}
	known := map[string]bool{}
	for name := range strings.SplitSeq(names, ",") {
		found, err := experiment.Find(allFigures(), strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		for _, figure := range found {
			if !known[figure.ID()] {
				known[figure.ID()] = true
				chosen = append(chosen, figure)
			}
		}
	}
	return chosen, nil
}

// chosen tells whether a figure was asked for. With all figures comes what none of them is: drawings that need no
// training, and the claims that a paper makes in its text, such as those of warp/text.
func (c request) chosen(id string) bool {
	return len(c.figures) == len(allFigures()) ||
		slices.ContainsFunc(c.figures, func(f experiment.Figure) bool { return f.ID() == id })
}

// claims are those about the chosen figures.
func (c request) claims() []claim.Claim {
	return slices.DeleteFunc(papers.All.Claims(), func(claim claim.Claim) bool {
		return !c.chosen(claim.Figure())
	})
}

// tasks are what has to be trained.
func (c request) tasks() ([]experiment.Task, error) {
	if c.options.Panel != "" && len(c.figures) > 1 {
		return nil, fmt.Errorf("-panel wants one figure: name it with -figure, such as %s", c.figures[0].ID())
	}
	var tasks []experiment.Task
	for _, figure := range c.figures {
		t, err := figure.Tasks(c.options)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t...)
	}
	return tasks, nil
}

// recordsDir is where the records go.
func (c request) recordsDir() string { return filepath.Join(c.out, "records") }

// ready finds out, before anything is written, whether the data are there of all tasks that are not complete.
func (c request) ready(tasks []experiment.Task) error {
	for _, task := range tasks {
		if _, err := os.Stat(record.Path(c.recordsDir(), task.Header(""))); err == nil {
			continue
		}
		if err := task.Ready(); err != nil {
			return fmt.Errorf("%s: %w", task, err)
		}
	}
	return nil
}

// check finds out, before hours of training, whether the records that are there can be read and new ones can be
// written.
func (c request) check() error {
	if c.compare != "" {
		if _, err := record.ReadAll(c.compare); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(c.recordsDir(), 0o777); err != nil {
		return err
	}
	for _, dir := range []string{c.out, c.recordsDir()} {
		file, err := os.CreateTemp(dir, ".writable-*")
		if err != nil {
			return err
		}
		file.Close()
		if err := os.Remove(file.Name()); err != nil {
			return err
		}
	}
	_, err := record.ReadAny(c.recordsDir())
	return err
}

// hold is set in tests: it keeps a run from ending until the program is interrupted.
var hold = func(context.Context, run.Status) {}

// train trains the tasks, some at the same time. After the first that fails the others stop at a checkpoint.
func train(ctx context.Context, c request, tasks []experiment.Task, b compute.Backend, engine string,
	out *command.Output) error {
	progress := newProgress(out, tasks)
	defer progress.stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		failed error
		where  []string // runs were interrupted
	)
	queue := make(chan experiment.Task)
	for range min(c.jobs, len(tasks)) {
		wg.Go(func() {
			for task := range queue {
				if ctx.Err() != nil {
					continue // it was waiting when the others were stopped
				}
				trained := false
				runner := &run.Runner{Backend: b, Name: engine, Dir: c.recordsDir(), Observe: func(s run.Status) {
					trained = true
					progress.observe(s)
					hold(ctx, s)
				}}
				_, err := runner.Train(ctx, task)
				if err == nil && !trained {
					progress.skip(task)
				}
				mu.Lock()
				if errors.Is(err, run.ErrInterrupted) {
					where = append(where, err.Error())
				} else if failed == nil {
					failed = err
				}
				mu.Unlock()
				if err != nil {
					cancel()
				}
			}
		})
	}
	for _, task := range tasks {
		queue <- task
	}
	close(queue)
	wg.Wait()
	switch {
	case failed != nil || ctx.Err() == nil:
		return failed
	case where == nil:
		where = []string{"interrupted between two runs"}
	}
	return fmt.Errorf("%s. Run the same command to resume", strings.Join(where, "; "))
}

// count writes a number of things: "1 run", "3 runs".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
