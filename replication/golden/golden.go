// Package golden compares what a test made with a file that is kept in the repository.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew; commit only the changes whose cause you know")

// Check fails the test unless got is what the file at path holds. With the flag -rewrite it writes the file instead.
func Check(t testing.TB, path string, got []byte) {
	t.Helper()
	if *rewrite {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -rewrite to make it", err)
	}
	if !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("not as in %s from byte %d on:\n got …%s\nwant …%s\n"+
			"If the change is meant, run the test with -rewrite.",
			path, at, excerpt(got, at), excerpt(want, at))
	}
}

// excerpt is the text around a place.
func excerpt(text []byte, at int) []byte { return text[max(0, at-60):min(len(text), at+120)] }
