// Package golden compares what a test made with a file that is kept in the repository.
package golden

import (
	"bytes"
	"flag"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew; commit only the changes whose cause you know")

// Check fails the test unless got is what the file at path holds. With the flag -rewrite it writes the file instead.
func Check(t testing.TB, path string, got []byte) {
	t.Helper()
	if *rewrite {
		check.Write(t, path, got)
		return
	}
	want := check.Read(t, path)
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	check.That(t, bytes.Equal(got, want), "not as in %s from byte %d on:\n got …%s\nwant …%s\n"+
		"If the change is meant, run the test with -rewrite", path, at, excerpt(got, at), excerpt(want, at))
}

// excerpt is the text around a place.
func excerpt(text []byte, at int) []byte { return text[max(0, at-60):min(len(text), at+120)] }
