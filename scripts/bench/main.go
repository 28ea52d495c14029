// Bench times whole training updates (forward, backward, RMSprop) of this project beside PyTorch and JAX, in turn, and
// prints a table in Markdown. Start it with scripts/bench.sh.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

const usage = `Usage: scripts/bench.sh [options]

Times whole training updates of a network that reads 10 symbols and predicts one
of 10 at every step, and prints a table in Markdown. What is being timed, and
what it took, goes to standard error. Let nothing else run meanwhile.

  -peers             first make a virtual environment in .cache/peers with
                     PyTorch %s and JAX %s, by pip: 5 GB where PyPI alone is
                     reachable, whose PyTorch for Linux brings CUDA along
  -only names        only these models, separated by commas: %s
  -contenders names  only these, separated by commas (default all that are
                     present but go): %s
  -rounds n          how often each is timed; the medians are printed (default 3)
  -seconds n         for how long at a time, and at least 3 updates (default 2)
  -python path       a Python with PyTorch or JAX (default that of .cache/peers,
                     else the first of python3 and /usr/bin/python3 that has it:
                     Debian's packages python3-torch and python3-jax will do)
  -help              say this

Every contender is timed in a process of its own, on one thread and on one for
each core, and JAX and torch.compile also with longer pieces of the loop at once.
All these ways are timed in the first round; a way that then takes 1.5 times as
long as the contender's fastest, or more, is not timed again.

All models with all peers take an estimated half hour on two idle cores, the last
model most of it; how long it took is said at the end.

Exit codes: 0 done; 2 bad input, or something could not be timed; 130 interrupted.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends it at once
	err := bench(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err != nil && ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "bench: interrupted")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

// options are what the user asks for.
type options struct {
	models     []workload
	contenders []contender
	rounds     int
	seconds    float64
}

// bench is main without the exit.
func bench(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // its errors have a line, and are enough without the usage
	withPeers := flags.Bool("peers", false, "")
	only := flags.String("only", "", "")
	names := flags.String("contenders", "", "")
	rounds := flags.Int("rounds", 3, "")
	seconds := flags.Float64("seconds", 2, "")
	python := flags.String("python", "", "")
	self := flags.String("time", "", "") // time one model on this GoMLX backend, here; bench starts itself so
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		_, err = fmt.Fprintf(stdout, usage, torch, jax, list(workloads), list(contenders))
		return err
	} else if err != nil {
		return fmt.Errorf("%w; see -help", err)
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	case *rounds < 1:
		return fmt.Errorf("%d rounds: want at least 1", *rounds)
	case !(*seconds > 0):
		return fmt.Errorf("%g seconds: want more than 0", *seconds)
	}
	models, err := choose(workloads, *only)
	if err != nil {
		return err
	}
	if *self != "" {
		return timeHere(models[0], *self, *seconds, stdout)
	}
	chosen, err := choose(contenders, *names)
	if err != nil {
		return err
	}
	if *withPeers {
		if err := makePeers(ctx, chosen, stderr); err != nil {
			return err
		}
	}
	present, err := thosePresent(chosen, *python, *names != "", stderr)
	if err != nil {
		return err
	}
	o := options{models, present, *rounds, *seconds}
	began := time.Now()
	if err := o.table(ctx, stdout, stderr); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "It took %v.\n", time.Since(began).Round(time.Second))
	return nil
}

// named is what the command line chooses from.
type named interface {
	id() string
	onlyNamed() bool // it is left out by default
}

// choose returns those whose names are in a list separated by commas, in the order of all; an empty list names all but
// those that are left out by default.
func choose[T named](all []T, names string) ([]T, error) {
	if names == "" {
		return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return one.onlyNamed() }), nil
	}
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(names, ",") {
		wanted[strings.TrimSpace(name)] = true
	}
	var chosen []T
	for _, one := range all {
		if wanted[one.id()] {
			chosen = append(chosen, one)
		}
		delete(wanted, one.id())
	}
	for name := range wanted {
		return nil, fmt.Errorf("unknown name %q: choose among %s", name, list(all))
	}
	return chosen, nil
}

func list[T named](all []T) string {
	var names []string
	for _, one := range all {
		names = append(names, one.id())
	}
	return strings.Join(names, ", ")
}
