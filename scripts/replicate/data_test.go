package main

import (
	"path/filepath"
	"testing"

	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/internal/check"
)

// noData makes directories the only ones where data is looked for, in which there is none.
func noData(t *testing.T) (empty string) {
	t.Helper()
	empty = t.TempDir()
	for _, variable := range []string{dataset.Variable, "XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(variable, empty)
	}
	return empty
}

// Where data is missing, one line says which files belong where, and nothing is written; the list does without. It
// tells what is missing from what is wrong.
func TestMissingData(t *testing.T) {
	dir := noData(t)
	const trained = "../../replication/records/warp/fig6/mnist.reduced.standard.jsonl"
	line := fails(t, "-verify", trained)
	check.Contains(t, line, trained, "mnist/train-images-idx3-ubyte.gz")
	t.Chdir(t.TempDir())
	line = fails(t, "-figure", "warp/fig6", "-scale", "reduced")
	check.Contains(t, line, "warp/fig6 mnist reduced standard: ", "mnist/train-images-idx3-ubyte.gz", "put them there",
		"go run github.com/warptime/warptime/scripts/data mnist")
	check.Entries(t, ".", 0)
	list := func() string { return succeeds(t, 0, "-list", "-figure", "warp/fig6", "-scale", "reduced") }
	check.Contains(t, list(), "pmnist", "Data are not ready: file does not exist")
	for _, f := range []string{"train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1"} {
		check.Write(t, filepath.Join(dir, "mnist", f+"-ubyte.gz"), []byte("<html>"))
	}
	check.Contains(t, list(), "pmnist", "mnist/train-images-idx3-ubyte.gz: it is a web page")
}
