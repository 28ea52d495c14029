// Data downloads the real data that the papers train on, each file checked by its SHA-256.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/scripts/internal/command"
)

const usage = `Usage: go run ./scripts/data [options] [name …]

Downloads the data sets mnist, text8 and ptb, or those named. An existing file is
kept if it contains the right data, packed or not; otherwise it is replaced when
the right one is complete. Several addresses are tried. Exit codes: 0 done; 2 a file
cannot be downloaded: one line reports why; 4 interrupted: complete files are kept.
`

// sets is replaced in tests.
var sets = dataset.Sets

func main() { command.Main("data", run) }

// run is main without the exit.
func run(ctx context.Context, args []string, out *command.Output) error {
	known, noDefault := dataset.Directories()
	flags := &flag.FlagSet{}
	dir := flags.String("dir", "", "look for files in `dir` and download to it; without -dir, look in all of\n"+
		"these and download to the first: "+strings.Join(known, ", "))
	list := flags.Bool("list", false, "list the files with their sizes, SHA-256 sums, addresses and places, and\n"+
		"download nothing")
	if err := command.Parse(flags, usage, args, out); err != nil {
		return err
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
		listFiles(chosen, dirs, out)
		return nil
	}
	for _, set := range chosen {
		for _, f := range set.Files {
			if err := get(ctx, f, dirs, out); err != nil {
				return err
			}
		}
	}
	if !slices.Contains(known, dirs[0]) {
		fmt.Fprintf(out, "Programs find them with %s=%s.\n", dataset.Variable, dirs[0])
	}
	return nil
}

func choose(names []string) ([]dataset.Set, error) {
	all := sets()
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s dataset.Set) bool { return s.Name == name }) {
			return nil, fmt.Errorf("unknown data set %q; -list lists them", name)
		}
	}
	return slices.DeleteFunc(all, func(s dataset.Set) bool {
		return len(names) > 0 && !slices.Contains(names, s.Name)
	}), nil
}

func listFiles(chosen []dataset.Set, dirs []string, out io.Writer) {
	for _, set := range chosen {
		fmt.Fprintf(out, "%s: %s\n", set.Name, set.About)
		for _, f := range set.Files {
			state := "missing"
			path, err := f.FindIn(dirs)
			if err == nil {
				state = "is there: " + path
				if wrong := f.Check(path); wrong != nil {
					state = fmt.Sprintf("is wrong: %q: %v", path, wrong)
				}
			} else if !errors.Is(err, fs.ErrNotExist) {
				state = err.Error()
			}
			fmt.Fprintf(out, "  %s, %s\n    unpacked %d bytes, SHA-256 %s\n", f.Name, state, f.Bytes, f.SHA256)
			for _, mirror := range f.Mirrors {
				fmt.Fprintf(out, "    %s\n", mirror)
			}
			if f.Mirrors == nil {
				fmt.Fprintln(out, "    not downloaded; used only where the other files are missing")
			}
		}
	}
	fmt.Fprintf(out, "Looked for in %q; downloads go to %q.\n", dirs, dirs[0])
}
