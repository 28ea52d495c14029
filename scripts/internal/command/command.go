// Package command is what the programs under scripts share: -help, Ctrl-C, errors of one line, exit codes, and what
// they print on.
package command

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

	"github.com/warptime/warptime/internal/printable"
)

// Incomplete is the exit code of a program that was interrupted, or that has left work to another process.
const Incomplete = 4

// Main runs a program and exits with 0, or with 2 or the code of [Code] after an error, which it prints on one line.
// Ctrl-C ends ctx; an error without such a code then means [Incomplete]. A second Ctrl-C ends the program at once.
// SIGTERM is like the first Ctrl-C, however often it comes, as is SIGHUP, which comes when a terminal is closed, unless
// nohup has set it aside. A reader that goes away, such as head, ends nothing, and is no error.
func Main(name string, run func(ctx context.Context, args []string, out *Output) error) {
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		ctx, _ = signal.NotifyContext(ctx, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // so that writing returns EPIPE
	out := NewOutput(os.Stdout)
	err := run(ctx, os.Args[1:], out)
	if errors.Is(err, flag.ErrHelp) {
		err = nil
	}
	out.End()
	if failed := out.Err(); err == nil && !errors.Is(failed, syscall.EPIPE) {
		err = failed
	}
	if err == nil {
		os.Exit(0)
	}
	code, with := 2, (*coded)(nil)
	message, _, _ := strings.Cut(err.Error(), "\n") // GoMLX and go-xla add a stack
	switch {
	case errors.As(err, &with):
		code = with.code
	case ctx.Err() != nil:
		code = Incomplete
		if errors.Is(err, context.Canceled) {
			message = "interrupted"
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", name, printable.Text(message))
	os.Exit(code)
}

// Code returns an error that ends the program with an exit code.
func Code(code int, err error) error { return &coded{err, code} }

type coded struct {
	error
	code int
}

func (c *coded) Unwrap() error { return c.error }

// Parse parses a command line. Asked for help, it prints a text and the list of the flags, and returns flag.ErrHelp, as
// which a program that did so ends well. An empty value is an error: it is usually that of a variable which is not set.
func Parse(flags *flag.FlagSet, help string, args []string, out io.Writer) error {
	flags.Init("", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // an error takes one line
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(out, help)
		flags.SetOutput(out)
		flags.PrintDefaults()
		return err
	}
	flags.Visit(func(given *flag.Flag) {
		if value, ok := given.Value.(flag.Getter); ok && err == nil && value.Get() == "" {
			err = fmt.Errorf("-%s is empty", given.Name)
		}
	})
	if err != nil {
		return fmt.Errorf("%w; see -help", err)
	}
	return nil
}

// NoArguments returns an error if there are arguments besides flags.
func NoArguments(flags *flag.FlagSet) error {
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	}
	return nil
}

// Other returns a flag on the command line that is none of these; an empty string if there is none.
func Other(flags *flag.FlagSet, names ...string) (other string) {
	flags.Visit(func(given *flag.Flag) {
		if !slices.Contains(names, given.Name) {
			other = given.Name
		}
	})
	return other
}
