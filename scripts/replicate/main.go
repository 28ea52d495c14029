// Replicate trains the papers' figures, draws them and judges the claims. Without arguments it does all of it at the smallest scale.
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
	"slices"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"

	"github.com/gomlx/compute"
	"golang.org/x/term"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication"
)

const usage = `Usage: go run ./scripts/replicate [options]

Trains the figures, draws them as SVG and PNG, and prints the table of claims. What was interrupted or killed goes on from its last
checkpoint; what is complete is not trained again.

  -figure names   which figures, separated by commas: fig1, fig3, … (default all)
  -scale name     quick (minutes on two cores), reduced (hours) or paper (the
                  paper's own sizes, for a GPU) (default quick)
  -trials n       independently seeded models of each curve (default as declared)
  -seed n         other seeds, other models and data (default 1)
  -backend name   xla:cuda, xla:cpu, simd, go, or a GoMLX configuration (default
                  $GOMLX_BACKEND, else the best present)
  -jobs n         runs trained at the same time (default 1)
  -out dir        where everything goes: figures, and the records in dir/records
                  (default out)
  -list           list figures, sizes and backends, and train nothing
  -help           say this

Exit codes: 0 done; 2 bad input, or something could not be read or written: one line says what, and nothing is lost or overwritten;
130 interrupted (Ctrl-C).
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends it at once
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, replication.ErrInterrupted):
		fmt.Fprintf(os.Stderr, "\nreplicate: %v. The same command goes on from there.\n", err)
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "replicate:", err)
		os.Exit(2)
	}
}

// command is what the user asks for.
type command struct {
	figures []replication.Figure
	options replication.Options
	backend string
	jobs    int
	out     string
	list    bool
}

// run is main without the exit.
func run(ctx context.Context, args []string, stdout *os.File) error {
	c, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, usage)
		return err
	}
	if err != nil {
		return err
	}
	if c.list {
		return list(stdout)
	}
	var runs []replication.Run
	for _, figure := range c.figures {
		r, err := figure.Runs(c.options)
		if err != nil {
			return err
		}
		runs = append(runs, r...)
	}
	if c.jobs < 1 || c.jobs > maxJobs {
		return fmt.Errorf("%d jobs: want 1 to %d", c.jobs, maxJobs)
	}
	engine, err := backend.Choose(c.backend)
	if err != nil {
		return err
	}
	if err := check(c.out); err != nil {
		return err
	}
	if err := train(ctx, c, runs, engine, stdout); err != nil {
		return err
	}
	return draw(c, stdout)
}

const maxJobs = 64 // a bound on typing mistakes

func parse(args []string) (command, error) {
	c := command{}
	flags := flag.NewFlagSet("replicate", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // its errors have a line, and are enough without the usage
	names := flags.String("figure", "", "")
	flags.StringVar(&c.options.Scale, "scale", "quick", "")
	flags.IntVar(&c.options.Trials, "trials", 0, "")
	flags.Uint64Var(&c.options.Seed, "seed", 1, "")
	flags.StringVar(&c.backend, "backend", "", "")
	flags.IntVar(&c.jobs, "jobs", 1, "")
	flags.StringVar(&c.out, "out", "out", "")
	flags.BoolVar(&c.list, "list", false, "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return c, err
	} else if err != nil {
		return c, fmt.Errorf("%w; see -help", err)
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	}
	if *names == "" {
		c.figures = replication.Figures()
		return c, nil
	}
	for name := range strings.SplitSeq(*names, ",") {
		figure, err := replication.FindFigure(strings.TrimSpace(name))
		if err != nil {
			return c, err
		}
		c.figures = append(c.figures, figure)
	}
	return c, nil
}

func recordsDir(out string) string { return filepath.Join(out, "records") }

// check finds out, before hours of training, whether the records that are there can be read and new ones can be written.
func check(out string) error {
	if err := os.MkdirAll(recordsDir(out), 0o777); err != nil {
		return err
	}
	for _, dir := range []string{out, recordsDir(out)} {
		file, err := os.CreateTemp(dir, ".writable-*")
		if err != nil {
			return err
		}
		file.Close()
		if err := os.Remove(file.Name()); err != nil {
			return err
		}
	}
	_, err := replication.ReadAll(recordsDir(out))
	return err
}

// train trains the runs, some at the same time. After the first that fails the others stop at a checkpoint.
func train(ctx context.Context, c command, runs []replication.Run, engine string, stdout *os.File) error {
	b, err := backend.New(engine)
	if err != nil {
		return err
	}
	defer b.Finalize()
	fmt.Fprintf(stdout, "%d runs at scale %s on %s, into %s\n", len(runs), c.options.Scale, engine, c.out)

	progress := replication.NewProgress(stdout, c.jobs == 1 && term.IsTerminal(int(stdout.Fd())))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
	)
	queue := make(chan replication.Run)
	for range c.jobs {
		wg.Go(func() {
			for run := range queue {
				if ctx.Err() != nil {
					continue // it was waiting when the others were stopped
				}
				if err := trainOne(ctx, c, b, engine, run, progress, stdout); err != nil {
					once.Do(func() { first = err })
					cancel()
				}
			}
		})
	}
	for _, run := range runs {
		queue <- run
	}
	close(queue)
	wg.Wait()
	if first == nil && ctx.Err() != nil {
		return fmt.Errorf("%w between two runs", replication.ErrInterrupted)
	}
	return first
}

func trainOne(ctx context.Context, c command, b compute.Backend, engine string, run replication.Run, progress *replication.Progress, stdout io.Writer) error {
	trained := false
	runner := &replication.Runner{Backend: b, Name: engine, Dir: recordsDir(c.out), Observe: func(s replication.Status) {
		trained = true
		progress.Observe(s)
	}}
	_, err := runner.Train(ctx, run)
	if err == nil && !trained {
		fmt.Fprintf(stdout, "%s: complete already\n", run)
	}
	return err
}

// draw draws the chosen figures from the records, and judges their claims.
func draw(c command, stdout io.Writer) error {
	records, err := replication.ReadAll(recordsDir(c.out))
	if err != nil {
		return err
	}
	chosen := func(name string) bool {
		return slices.ContainsFunc(c.figures, func(f replication.Figure) bool { return f.Name == name })
	}
	for _, figure := range figures.All(records) {
		if chosen(figure.Name) {
			if err := figure.Save(c.out); err != nil {
				return err
			}
		}
	}
	claims := slices.DeleteFunc(replication.Claims(), func(claim replication.Claim) bool {
		figure, _, _ := strings.Cut(claim.ID, ".")
		return !chosen(figure)
	})
	fmt.Fprintf(stdout, "\nFigures are in %s. The claims, judged by the records in %s:\n\n", c.out, recordsDir(c.out))
	return replication.WriteText(stdout, replication.Judge(claims, records))
}

// list shows what there is to train, and on what.
func list(stdout io.Writer) error {
	t := tabwriter.NewWriter(stdout, 0, 8, 2, ' ', 0)
	for _, figure := range replication.Figures() {
		fmt.Fprintf(t, "%s: %s\n", figure.Name, figure.Title)
		for _, panel := range figure.Panels {
			for _, scale := range replication.Scales {
				if s, ok := panel.Scales[scale]; ok {
					fmt.Fprintf(t, "  %s\t%s\tT=%d\tH=%d\tB=%d\t%d steps\t%d trials\n", panel.Name, scale, s.T, s.Hidden, s.Batch, s.Steps, s.Trials)
				}
			}
		}
	}
	fmt.Fprintln(t, "backends:")
	best, _ := backend.Choose("")
	for _, engine := range backend.List() {
		state := "present"
		if engine.Missing != "" {
			state = "missing: " + engine.Missing
		}
		if engine.Name == best {
			state += ", taken by default"
		}
		fmt.Fprintf(t, "  %s\t%s\n", engine.Name, state)
	}
	return t.Flush()
}
