// Package golden compares what a test made with a file that is kept in the repository.
package golden

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew; commit only the changes whose cause you know")

// Check fails the test unless got is what the file at path holds. With the flag -rewrite it writes the file instead.
func Check(t testing.TB, path string, got []byte) {
	t.Helper()
	if err := Compare(path, got); err != nil {
		t.Error(err)
	}
}

// Compare is Check for examples: it returns what is wrong.
func Compare(path string, got []byte) error {
	if *rewrite {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return os.WriteFile(path, got, 0o666)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%w; run the test with -rewrite to make it", err)
	}
	if bytes.Equal(got, want) {
		return nil
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	return fmt.Errorf("not as in %s from byte %d on:\n got …%s\nwant …%s\n"+
		"If the change is meant, run the test with -rewrite", path, at, excerpt(got, at), excerpt(want, at))
}

// excerpt is the text around a place.
func excerpt(text []byte, at int) []byte { return text[max(0, at-60):min(len(text), at+120)] }
