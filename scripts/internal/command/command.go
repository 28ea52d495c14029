// Package command is what the programs under scripts share: flags and -help, Ctrl-C, errors of one line, exit codes,
// and what they print on.
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

// Main runs a program and exits with 0, or with 2 or the code of [Code] after an error, which it prints on one line (on
// a terminal, broken between words). Ctrl-C ends ctx; an error without such a code then means exit code 130, and Main
// prints interrupted in its place, unless that is empty. A second Ctrl-C ends the program at once. SIGTERM is like the
// first Ctrl-C, however often it comes: a scheduler sends it to a script and to the program that the script starts, and
// the script forwards it. So is SIGHUP, which comes when a terminal is closed, unless nohup has set it aside. A reader
// that goes away, such as head, ends nothing: the program does its work, and exits with 141 in silence, as the shell
// says of a program that SIGPIPE has ended.
func Main(name, interrupted string, run func(ctx context.Context, args []string, out *Output) error) {
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		ctx, _ = signal.NotifyContext(ctx, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // so that writing returns EPIPE
	out := NewOutput(os.Stdout)
	err := run(ctx, os.Args[1:], out)
	out.End()
	if err == nil {
		err = out.Err()
	}
	switch {
	case err == nil:
		os.Exit(0)
	case errors.Is(err, syscall.EPIPE):
		os.Exit(141)
	}
	code, with := 2, (*coded)(nil)
	message, _, _ := strings.Cut(err.Error(), "\n") // GoMLX and go-xla add a stack
	switch {
	case errors.As(err, &with):
		code = with.code
	case ctx.Err() != nil:
		code = 130
		if interrupted != "" {
			message = interrupted
		}
	}
	message = name + ": " + printable.Text(message) + "\n"
	if stderr := NewOutput(os.Stderr); stderr.Width != nil { // a terminal breaks words
		message = Wrap("", message, stderr.Width()-1)
	}
	fmt.Fprint(os.Stderr, message)
	os.Exit(code)
}

// Code returns an error that ends the program with an exit code.
func Code(code int, err error) error { return &coded{err, code} }

type coded struct {
	error
	code int
}

func (c *coded) Unwrap() error { return c.error }

// Flags are a program's flags. Usage texts are those of package flag: a name in back quotes stands for the value. A
// flag without a text is not shown by -help.
type Flags struct {
	*flag.FlagSet
	Arguments    bool // the program takes arguments besides its flags
	before, rest string
}

// NewFlags returns flags that -help shows between two texts.
func NewFlags(before, rest string) *Flags {
	f := &Flags{flag.NewFlagSet("", flag.ContinueOnError), false, before, rest}
	f.SetOutput(io.Discard) // a one-line error is enough without the usage
	return f
}

// Parse parses a command line. The program is done if it was asked for help, which is printed, or if there is an error.
// An empty value is an error: it is usually that of a variable which is not set.
func (f *Flags) Parse(args []string, out io.Writer) (done bool, err error) {
	if err = f.FlagSet.Parse(args); errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(out, f.help())
		return true, err
	}
	f.Visit(func(given *flag.Flag) {
		if err == nil && given.Value.String() == "" {
			err = fmt.Errorf("-%s is empty", given.Name)
		}
	})
	if err == nil && f.NArg() > 0 && !f.Arguments {
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if err != nil {
		return true, fmt.Errorf("%w; see -help", err)
	}
	return false, nil
}

// Given reports whether a flag is on the command line.
func (f *Flags) Given(name string) (given bool) {
	f.Visit(func(one *flag.Flag) { given = given || one.Name == name })
	return given
}

// Other returns a flag on the command line that is none of these; an empty string if there is none.
func (f *Flags) Other(names ...string) (other string) {
	f.Visit(func(given *flag.Flag) {
		if !slices.Contains(names, given.Name) {
			other = given.Name
		}
	})
	return other
}

// help lists the flags in alphabetical order, in 80 columns.
func (f *Flags) help() string {
	const columns = 80
	type entry struct{ first, text string }
	var entries []entry
	f.VisitAll(func(one *flag.Flag) {
		value, text := flag.UnquoteUsage(one)
		if one.DefValue != "" && one.DefValue != "0" && one.DefValue != "false" {
			text += " (default " + one.DefValue + ")"
		}
		if text != "" {
			entries = append(entries, entry{strings.TrimSpace("-" + one.Name + " " + value), text})
		}
	})
	entries = append(entries, entry{"-help", "print this text"})
	width := 0
	for _, e := range entries {
		width = max(width, len(e.first))
	}
	var b strings.Builder
	b.WriteString(f.before + "\n")
	for _, e := range entries {
		b.WriteString(Wrap(fmt.Sprintf("  %-*s  ", width, e.first), e.text, columns))
	}
	return b.String() + "\n" + f.rest
}
