package main

import (
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

// Where data is missing, one line says which files belong where, and nothing is written.
func TestMissingData(t *testing.T) {
	noData(t)
	const trained = "../../replication/records/warp/fig6/mnist.reduced.standard.jsonl"
	line := fails(t, "-verify", trained)
	check.Contains(t, line, trained, "mnist/train-images-idx3-ubyte.gz")
	t.Chdir(t.TempDir())
	line = fails(t, "-figure", "warp/fig6", "-scale", "reduced")
	check.Contains(t, line, "warp/fig6 mnist reduced standard: ", "mnist/train-images-idx3-ubyte.gz", "put them there",
		"go run github.com/warptime/warptime/scripts/data mnist")
	check.Entries(t, ".", 0)
}
