// Figures draws all figures and judges all claims from the records of finished runs. It trains nothing and takes seconds.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication"
)

const usage = `Usage: go run ./scripts/figures [options]

Draws all figures, as SVG and PNG, and prints the table of claims, from the records of finished runs. Trains nothing.

  -records dir   where the records are (default replication/records)
  -out dir       where the figures go (default figures)
  -readme file   also write the table of claims into this file, between its two
                 marker lines (in this project README.md)
  -help          say this

Exit codes: 0 done, 2 bad input or nothing could be written; then one line says what, and no file is half written.
`

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(2)
	}
}

// run is main without the exit. All input is read and checked before anything is written.
func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("figures", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // its errors have a line, and are enough without the usage
	recordsDir := flags.String("records", "replication/records", "")
	out := flags.String("out", "figures", "")
	readme := flags.String("readme", "", "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, usage)
		return err
	} else if err != nil {
		return fmt.Errorf("%w; see -help", err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	}

	records, err := replication.ReadAll(*recordsDir)
	if err != nil {
		return err
	}
	judgements := replication.Judge(replication.Claims(), records)
	var document []byte
	if *readme != "" {
		if document, err = readTable(*readme, judgements); err != nil {
			return err
		}
	}
	for _, f := range figures.All(records) {
		if err := f.Save(*out); err != nil {
			return err
		}
	}
	if *readme != "" {
		if err := replication.WriteFile(*readme, document); err != nil {
			return err
		}
	}
	return replication.WriteText(stdout, judgements)
}

// readTable returns what is in a file, with its table of claims made current.
func readTable(path string, judgements []replication.Judgement) ([]byte, error) {
	document, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if document, err = replication.ReplaceTable(document, replication.Markdown(judgements)); err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return document, nil
}
