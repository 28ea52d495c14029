package main

import (
	"os"
	"strings"
	"testing"

	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/internal/check"
)

// noData makes directories the only ones where data is looked for, in which there is none.
func noData(t *testing.T) {
	t.Helper()
	empty := t.TempDir()
	for _, variable := range []string{dataset.Variable, "XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(variable, empty)
	}
}

// Where data is missing, one line says which files belong where, and nothing is written; the list does without.
func TestMissingData(t *testing.T) {
	noData(t)
	const trained = "../../replication/records/warp/fig6/mnist.reduced.standard.jsonl"
	line := fails(t, "", "-verify", trained)
	check.Contains(t, line, trained, "mnist/train-images-idx3-ubyte.gz")
	t.Chdir(t.TempDir())
	line = fails(t, "", "-figure", "warp/fig6", "-scale", "reduced")
	check.Contains(t, line, "warp/fig6 mnist reduced standard: ", "mnist/train-images-idx3-ubyte.gz", "put them there",
		"go run github.com/warptime/warptime/scripts/data mnist")
	check.Entries(t, ".", 0)
	text := succeeds(t, 0, "-list", "-figure", "warp/fig6", "-scale", "reduced")
	check.Contains(t, text, "pmnist", "mnist/train-images-idx3-ubyte.gz")
}

// A file that is not the right one is refused before anything is written, too, and the list says so.
func TestSpoiltData(t *testing.T) {
	noData(t)
	dir := os.Getenv(dataset.Variable)
	for _, set := range dataset.Sets() {
		for _, f := range set.Files {
			if set.Name == "mnist" {
				check.Write(t, f.In(dir), []byte("no images"))
			}
		}
	}
	t.Chdir(t.TempDir())
	line := fails(t, "", "-figure", "warp/fig6/pmnist", "-scale", "paper")
	if !strings.Contains(line, "it has 9 bytes, want ") {
		t.Errorf("%q: want the file's size in it", line)
	}
	text := succeeds(t, 0, "-list", "-figure", "warp/fig6", "-scale", "paper")
	check.Equal(t, strings.Count(text, "it has 9 bytes"), 1, "times that the list says what is wrong")
	check.Entries(t, ".", 0)
}
