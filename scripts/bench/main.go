// Bench times whole training updates (forward, backward, RMSprop) of this project beside PyTorch and JAX, in turn, and
// prints a table in Markdown. Start it with scripts/bench.sh.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/warptime/warptime/scripts/internal/command"
)

const usage = `Usage: scripts/bench.sh [options]

Times whole training updates of a network that reads 10 symbols and predicts one
of 10 at every step, and prints a table in Markdown. Progress goes to standard
error. Run nothing else on the machine meanwhile.
`

const notes = `Every contender is timed in a separate process, with one thread and with one
thread per core; JAX and torch.compile also with the loop unrolled further. All
these variants are timed in the first round; one that takes 1.5 times as long as
the contender's fastest, or more, is not timed again.

All models with all peers take about half an hour on two idle cores, most of it
for lstm512. The models lstm512-r5, lstm128-t2000 and lstm128-t2000-r5 are timed
only if -only names them. The total time is printed at the end.

Exit codes: 0 done (a contender that fails is reported, and has no time in the
table); 2 bad input; 130 interrupted.
`

func main() {
	command.Main("bench", "interrupted", func(ctx context.Context, args []string, out *command.Output) error {
		return bench(ctx, args, out, os.Stderr)
	})
}

// options are what the user asks for.
type options struct {
	models     []workload
	contenders []contender
	rounds     int
	seconds    float64
}

// Bounds: more than this is a typing mistake; a process that times a way has atMost.
const (
	mostRounds  = 1000
	mostSeconds = 600
)

// bench is main without the exit.
func bench(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := command.NewFlags(usage, notes)
	withPeers := flags.Bool("peers", false, "first create a virtual environment with PyTorch "+torch+" and JAX "+jax+
		" in .cache/peers, with pip; it takes 5 GB if only PyPI is reachable, whose PyTorch for Linux includes CUDA")
	only := flags.String("only", "", "time only the models with these `names`, separated by commas: "+list(workloads))
	names := flags.String("contenders", "", "time only the contenders with these `names`, separated by commas: "+
		list(contenders)+" (default: all available except go, pytorch:cuda and xla:cuda)")
	rounds := flags.Int("rounds", 3, "time each in `n` rounds; the medians are printed")
	seconds := flags.Float64("seconds", 2, "time each for `n` seconds in a round, and at least 3 updates")
	python := flags.String("python", "", "`path` of a Python with PyTorch or JAX, such as that of Debian's packages "+
		"python3-torch and python3-jax (default: that of .cache/peers, else the first of python3 and "+
		"/usr/bin/python3 that has them)")
	self := flags.String("time", "", "") // time one model on this GoMLX backend, here; bench starts itself so
	if done, err := flags.Parse(args, stdout); done {
		return err
	}
	switch {
	case *rounds < 1 || *rounds > mostRounds:
		return fmt.Errorf("%d rounds: want 1 to %d", *rounds, mostRounds)
	case !(*seconds > 0 && *seconds <= mostSeconds):
		return fmt.Errorf("%g seconds: want more than 0, and at most %d", *seconds, mostSeconds)
	}
	models, err := choose(workloads, *only)
	if err != nil {
		return err
	}
	if *self != "" {
		endWithParent(ctx)
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
		return nil, fmt.Errorf("unknown name %q: choose from %s", name, list(all))
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
