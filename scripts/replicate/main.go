// Replicate trains the papers' figures, draws them and judges the claims. Without arguments it does all of it at the
// smallest scale.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/terminal"
	"github.com/warptime/warptime/scripts/replicate/watch"
)

const usage = `Usage: go run ./scripts/replicate [options]
       go run ./scripts/replicate -verify [-backend name] record …

Trains the figures, draws them as SVG and PNG, and prints the claims. What was
interrupted or killed goes on from its last checkpoint; what is complete is not
trained again.

  -figure names   which figures, separated by commas: warp/fig3, or fig3 for
                  those of this name in both papers (default all)
  -panel name     only this panel of the figure
  -scale name     quick (minutes on two cores), paper (the paper's own sizes:
                  hours for each panel on two cores), or, where a figure has it,
                  reduced (between the two) (default quick)
  -trials n       independently seeded models of each curve (default as
                  declared)
  -seed n         other seeds, other models and data (default 1)
  -backend name   xla:cuda, xla:cpu, simd, go, or a GoMLX configuration (default
                  $GOMLX_BACKEND, else the best present)
  -jobs n         runs trained at the same time, which share the processor's
                  cores (default one for each core, at most 4)
  -out dir        where everything goes: figures, and the records in dir/records
                  (default out)
  -compare dir    also compare the records with those in dir, number by number,
                  such as with ours: -compare replication/records
  -verify         train records again, each from what it says of itself, and say
                  number by number whether it is the same; records are files, or
                  directories of them; each on its own backend unless another is
                  named; what is interrupted begins anew
  -watch          show the curves of the runs in -out, as they grow, on a page
                  for a browser on this machine: while it trains; without other
                  options, or with -out alone, it trains nothing and shows what
                  is there until Ctrl-C
  -list           list figures, sizes, times and backends, and train nothing;
                  with -scale, measure what no record tells about how long that
                  takes here
  -help           say this

Exit codes: 0 done; 1 -compare or -verify found another number; 2 bad input, or
something could not be read or written: one line says what, and nothing is lost
or overwritten; 130 interrupted (Ctrl-C). (go run itself prints any code but 0
and ends with 1, as it does after every Ctrl-C.)
`

// errDiffers is why -compare and -verify end with exit code 1.
var errDiffers = errors.New("not every number is the same")

// An interrupted program waits so long for the updates in progress, or their compilation, until it says so, and until
// it gives them up: what was saved before is kept then, and the same command goes on from there.
const (
	silence  = 2 * time.Second
	patience = 20 * time.Second
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // a second Ctrl-C ends it at once
		time.Sleep(silence)
		fmt.Fprintln(os.Stderr, "\nreplicate: waiting for the update in progress; Ctrl-C again ends at once")
		time.Sleep(patience - silence)
		fmt.Fprintln(os.Stderr, "replicate: interrupted within an update; the same command goes on from what was saved")
		os.Exit(130)
	})
	err := replicate(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, run.ErrInterrupted):
		fmt.Fprintln(os.Stderr, "replicate:", err)
		os.Exit(130)
	case errors.Is(err, errDiffers):
		fmt.Fprintln(os.Stderr, "replicate:", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "replicate:", err)
		os.Exit(2)
	}
}

// allFigures are those of all papers.
func allFigures() []experiment.Figure { return papers.All.Trained() }

// command is what the user asks for.
type command struct {
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
func replicate(ctx context.Context, args []string, stdout *os.File) error {
	c, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, usage)
		return err
	}
	if err != nil {
		return err
	}
	if c.verify != nil {
		return verify(ctx, c, c.verify, stdout)
	}
	if c.idle {
		return watchOnly(ctx, c, stdout)
	}
	tasks, err := c.tasks()
	if err != nil {
		return err
	}
	if c.list {
		return list(ctx, c, stdout)
	}
	engine, err := backend.Choose(c.backend)
	if err != nil {
		return err
	}
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
		fmt.Fprintf(stdout, "The curves are at %s\n", page.URL())
		defer func() {
			if ctx.Err() == nil {
				page.Linger()
			}
		}()
	}
	if err := train(ctx, c, tasks, engine, stdout); errors.Is(err, run.ErrInterrupted) {
		return fmt.Errorf("%w. The same command goes on from there", err)
	} else if err != nil {
		return err
	}
	if err := draw(c, stdout); err != nil {
		return err
	}
	if c.compare != "" {
		return compare(c, tasks, stdout)
	}
	return nil
}

// watchOnly shows what is in the output directory until it is interrupted, which is its regular end.
func watchOnly(ctx context.Context, c command, stdout io.Writer) error {
	page, err := watch.Start(c.recordsDir())
	if err != nil {
		return err
	}
	defer page.Close()
	fmt.Fprintf(stdout, "The runs in %s are at %s until Ctrl-C\n", c.out, page.URL())
	<-ctx.Done()
	return nil
}

// Bounds: more jobs than this are a typing mistake; and more than a few runs at once take memory and gain nothing.
const (
	maxJobs     = 64
	defaultJobs = 4
)

func parse(args []string) (command, error) {
	c := command{}
	flags := flag.NewFlagSet("replicate", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // its errors have a line, and are enough without the usage
	names := flags.String("figure", "", "")
	flags.StringVar(&c.options.Panel, "panel", "", "")
	flags.StringVar((*string)(&c.options.Scale), "scale", string(record.Quick), "")
	flags.IntVar(&c.options.Trials, "trials", 0, "")
	flags.Uint64Var(&c.options.Seed, "seed", 1, "")
	flags.StringVar(&c.backend, "backend", "", "")
	flags.IntVar(&c.jobs, "jobs", min(runtime.GOMAXPROCS(0), defaultJobs), "")
	flags.StringVar(&c.out, "out", "out", "")
	flags.StringVar(&c.compare, "compare", "", "")
	flags.BoolVar(&c.list, "list", false, "")
	flags.BoolVar(&c.watch, "watch", false, "")
	verify := flags.Bool("verify", false, "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return c, err
	} else if err != nil {
		return c, fmt.Errorf("%w; see -help", err)
	}
	if *verify {
		c.verify = flags.Args()
		return c, checkVerify(flags)
	}
	c.idle = c.watch
	flags.Visit(func(f *flag.Flag) {
		c.scaled = c.scaled || f.Name == "scale"
		c.idle = c.idle && (f.Name == "watch" || f.Name == "out")
	})
	switch {
	case c.watch && c.list:
		return c, errors.New("-watch does not go with -list, which trains nothing")
	case flags.NArg() > 0:
		return c, fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	case c.jobs < 1 || c.jobs > maxJobs:
		return c, fmt.Errorf("%d jobs: want 1 to %d", c.jobs, maxJobs)
	case c.out == "":
		return c, errors.New("no output directory: -out wants a name")
	case *names == "":
		c.figures = allFigures()
		return c, nil
	}
	for name := range strings.SplitSeq(*names, ",") {
		found, err := experiment.Find(allFigures(), strings.TrimSpace(name))
		if err != nil {
			return c, err
		}
		for _, figure := range found {
			if !c.chosen(figure.ID()) {
				c.figures = append(c.figures, figure)
			}
		}
	}
	return c, nil
}

// checkVerify refuses -verify without records, or with options that would mean nothing.
func checkVerify(flags *flag.FlagSet) error {
	if flags.NArg() == 0 {
		return errors.New("-verify wants records: name them after the options")
	}
	var other string
	flags.Visit(func(f *flag.Flag) {
		if f.Name != "verify" && f.Name != "backend" {
			other = f.Name
		}
	})
	if other != "" {
		return fmt.Errorf("-%s does not go with -verify, which trains what the records say", other)
	}
	return nil
}

// chosen tells whether a figure was asked for. With all figures comes what none of them is: drawings that need no
// training, and the claims that a paper makes in its text, such as those of warp/text.
func (c command) chosen(id string) bool {
	return len(c.figures) == len(allFigures()) ||
		slices.ContainsFunc(c.figures, func(f experiment.Figure) bool { return f.ID() == id })
}

// claims are those about the chosen figures.
func (c command) claims() []claim.Claim {
	return slices.DeleteFunc(papers.All.Claims(), func(claim claim.Claim) bool {
		return !c.chosen(claim.Figure())
	})
}

// tasks are what has to be trained.
func (c command) tasks() ([]experiment.Task, error) {
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
func (c command) recordsDir() string { return filepath.Join(c.out, "records") }

// ready finds out, before anything is written, whether the data are there of all tasks that are not complete.
func (c command) ready(tasks []experiment.Task) error {
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
func (c command) check() error {
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

// train trains the tasks, some at the same time. After the first that fails the others stop at a checkpoint.
func train(ctx context.Context, c command, tasks []experiment.Task, engine string, stdout *os.File) error {
	jobs := min(c.jobs, len(tasks))
	b, err := backend.New(backend.Share(engine, jobs))
	if err != nil {
		return err
	}
	defer b.Finalize()
	fmt.Fprintf(stdout, "%s at scale %s on %s, %d at a time, into %s\n",
		count(len(tasks), "run"), c.options.Scale, engine, jobs, c.out)
	if built := run.Commit(); c.options.Scale != record.Quick && strings.Contains(built, "+changes") {
		fmt.Fprintf(stdout, "Records will say that this program was built from edited or added files (%s)\n", built)
	}
	fmt.Fprintln(stdout, c.left(&run.Runner{Backend: b, Name: engine}, tasks))

	progress := run.NewProgress(stdout, tasks, terminal.Width(stdout))
	defer progress.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
	)
	queue := make(chan experiment.Task)
	for range jobs {
		wg.Go(func() {
			for task := range queue {
				if ctx.Err() != nil {
					continue // it was waiting when the others were stopped
				}
				trained := false
				runner := &run.Runner{Backend: b, Name: engine, Dir: c.recordsDir(), Observe: func(s run.Status) {
					trained = true
					progress.Observe(s)
				}}
				_, err := runner.Train(ctx, task)
				if err != nil {
					once.Do(func() { first = err })
					cancel()
				} else if !trained {
					progress.Skip(task)
				}
			}
		})
	}
	for _, task := range tasks {
		queue <- task
	}
	close(queue)
	wg.Wait()
	if first == nil && ctx.Err() != nil {
		return fmt.Errorf("%w between two runs", run.ErrInterrupted)
	}
	return first
}

// draw draws the chosen figures from the records, and judges their claims.
func draw(c command, stdout *os.File) error {
	records, err := record.ReadAny(c.recordsDir())
	if err != nil {
		return err
	}
	for _, figure := range papers.All.Draw(records) {
		if c.chosen(figure.ID()) {
			if err := figure.Save(c.out); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(stdout, "\nFigures are in %s. The claims, judged by the records in %s:\n\n", c.out, c.recordsDir())
	return claim.WriteText(stdout, claim.Judge(c.claims(), records), terminal.Columns(stdout),
		terminal.Colours(stdout))
}

// compare says of each task whether its record has the same numbers as that of the other directory.
func compare(c command, tasks []experiment.Task, stdout io.Writer) error {
	same, differ, absent := 0, 0, 0
	for _, task := range tasks {
		header := task.Header("")
		ours, err := record.Read(record.Path(c.compare, header))
		if errors.Is(err, os.ErrNotExist) {
			absent++
			continue
		}
		if err != nil {
			return err
		}
		yours, err := record.Read(record.Path(c.recordsDir(), header))
		if err != nil {
			return err
		}
		differences := record.Compare(ours, yours)
		if len(differences) == 0 {
			same++
			continue
		}
		differ++
		fmt.Fprintf(stdout, "%s:\n  %s\n", task, strings.Join(differences, "\n  "))
	}
	fmt.Fprintf(stdout, "\nOf %d runs, %d agree with %s number by number, %d do not, and %d are not there.\n",
		len(tasks), same, c.compare, differ, absent)
	if differ > 0 {
		return errDiffers
	}
	return nil
}

// count writes a number of things: "1 run", "3 runs".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
