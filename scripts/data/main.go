// Data downloads the real data that the papers train on, each file checked by its SHA-256.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/scripts/internal/terminal"
)

const usage = `Usage: go run ./scripts/data [-dir directory] [-list] [name …]

Downloads data sets: mnist, text8 and ptb, or those named. A file that is there is left as it is, if its SHA-256 is
right; if not, it is replaced, once the right one is complete. Several addresses are tried. What breaks off, or is
interrupted, is kept in a file named *.partial and goes on from there.

  -dir path   where they are, or go to (default: they are looked for, and go to the first of
              %s)
  -list       list the files with their sizes, SHA-256 sums and addresses, and where they are, and download nothing
  -help       say this

Exit codes: 0 done; 2 a file cannot be had: one line says why; 130 interrupted.
`

// sets is replaced in tests.
var sets = dataset.Sets

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends it at once
	err := run(ctx, os.Args[1:], os.Stdout, terminal.Width(os.Stdout))
	switch {
	case err != nil && ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "\ndata: interrupted; what has come is kept, and it goes on from there")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "data:", err)
		os.Exit(2)
	}
}

// run is main without the exit. The columns of the output are those of a terminal, nil if it is none.
func run(ctx context.Context, args []string, stdout io.Writer, columns func() int) error {
	known, noDefault := dataset.Directories()
	flags := flag.NewFlagSet("data", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // its errors have a line, and are enough without the usage
	dir := flags.String("dir", "", "")
	list := flags.Bool("list", false, "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		_, err = fmt.Fprintf(stdout, usage, strings.Join(known, ", "))
		return err
	} else if err != nil {
		return fmt.Errorf("%w; see -help", err)
	}
	chosen, err := choose(flags.Args())
	if err != nil {
		return err
	}
	dirs := known
	if *dir != "" {
		absolute, err := filepath.Abs(*dir)
		if err != nil {
			return err
		}
		dirs = []string{absolute}
	} else if noDefault != nil {
		return noDefault
	}
	if *list {
		return listFiles(chosen, dirs, stdout)
	}
	d := &downloader{out: stdout, columns: columns}
	for _, set := range chosen {
		for _, f := range set.Files {
			if err := d.get(ctx, f, dirs); err != nil {
				return err
			}
		}
	}
	if !slices.Contains(known, dirs[0]) {
		fmt.Fprintf(stdout, "Programs find them with %s=%s.\n", dataset.Variable, dirs[0])
	}
	return nil
}

// choose returns the sets of these names, or all of them.
func choose(names []string) ([]dataset.Set, error) {
	all := sets()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []dataset.Set
	for _, name := range names {
		i := slices.IndexFunc(all, func(s dataset.Set) bool { return s.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no data set is called %q; see -list", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func listFiles(chosen []dataset.Set, dirs []string, stdout io.Writer) error {
	for _, set := range chosen {
		fmt.Fprintf(stdout, "%s: %s\n", set.Name, set.About)
		for _, f := range set.Files {
			state := "missing"
			path, err := f.FindIn(dirs)
			if err == nil {
				state = "is there: " + path
				err = f.Check(path)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				state = err.Error()
			}
			fmt.Fprintf(stdout, "  %s (%d bytes), %s\n    SHA-256 %s\n", f.Name, f.Bytes, state, f.SHA256)
			for _, mirror := range f.Mirrors {
				fmt.Fprintf(stdout, "    %s\n", mirror)
			}
			if f.Mirrors == nil {
				fmt.Fprintln(stdout, "    not to be downloaded, and needed only where the other files are not")
			}
		}
	}
	fmt.Fprintf(stdout, "Looked for in %s; downloads go to %s.\n", strings.Join(dirs, ", "), dirs[0])
	return nil
}
