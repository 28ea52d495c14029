// Bench times whole training updates (forward, backward, RMSprop) of this project beside PyTorch and JAX, in turn, and
// prints a table in Markdown. Start it with scripts/bench.sh.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/warptime/warptime/scripts/internal/command"
)

const usage = `Usage: scripts/bench.sh [-peers] [options]

Times whole training updates of a network that reads 10 symbols and predicts one
of 10 at every step, and of three layered models, and prints a table in Markdown.
Progress goes to standard error. Run nothing else on the machine meanwhile.

Every contender is timed in a separate process, with one thread and with one
thread per core; JAX and torch.compile also with the loop unrolled further. All
these variants are timed in the first round; one that takes 1.5 times as long as
the contender's fastest, or more, is not timed again. PyTorch and JAX are those of
.cache/peers, which -peers makes, else of python3 or /usr/bin/python3.

All models with all peers take about half an hour on two idle cores, most of it
for lstm512. Exit codes: 0 done (a contender that fails is reported, and has no
time in the table); 2 bad input; 4 interrupted.
`

func main() {
	command.Main("bench", func(ctx context.Context, args []string, out *command.Output) error {
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
	flags := &flag.FlagSet{}
	only := flags.String("only", "", "time only the models with these `names`, separated by commas:\n"+list(workloads)+
		"\n(default: all that are not very long)")
	names := flags.String("contenders", "", "time only the contenders with these `names`, separated by commas:\n"+
		list(contenders)+"\n(default: all available except go, pytorch:cuda and xla:cuda)")
	rounds := flags.Int("rounds", 3, "time each in `n` rounds; the medians are printed")
	seconds := flags.Float64("seconds", 2, "time each for `n` seconds in a round, and at least 3 updates")
	self := flags.String("time", "", "time one model on this `backend` in this process, and print JSON")
	if done, err := command.Parse(flags, usage, args, stdout); done {
		return err
	}
	if err := command.NoArguments(flags); err != nil {
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
		return timeHere(ctx, models[0], *self, *seconds, stdout)
	}
	chosen, err := choose(contenders, *names)
	if err != nil {
		return err
	}
	present, err := thosePresent(chosen, *names != "", stderr)
	if err != nil {
		return err
	}
	return options{models, present, *rounds, *seconds}.table(ctx, stdout, stderr)
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
	wanted := strings.Split(strings.ReplaceAll(names, " ", ""), ",")
	for _, name := range wanted {
		if !slices.ContainsFunc(all, func(one T) bool { return one.id() == name }) {
			return nil, fmt.Errorf("unknown name %q: choose from %s", name, list(all))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !slices.Contains(wanted, one.id()) }), nil
}

func list[T named](all []T) string {
	var names []string
	for _, one := range all {
		names = append(names, one.id())
	}
	return strings.Join(names, ", ")
}
