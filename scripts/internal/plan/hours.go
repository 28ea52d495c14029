package plan

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Committed is where this repository's own records are, seen from its root.
const Committed = "replication/records"

// A Duration is how long a run takes in seconds; 0 where nothing is known. It is a guess if it comes from another run
// of the panel, in proportion to their sizes.
type Duration struct {
	Seconds float64
	Guess   bool
}

// Durations are how long tasks took, by the records in a directory: there is no other source.
func Durations(dir string, tasks []experiment.Task) []Duration {
	largest := map[string]*record.Record{} // of each panel that has a task without a record
	all := make([]Duration, len(tasks))
	for i, task := range tasks {
		h := task.Header("")
		if r, err := record.Read(record.Path(dir, h)); err == nil {
			all[i].Seconds = r.End.Seconds
			continue
		}
		panel := filepath.Join(dir, h.Paper, h.Figure, h.Panel)
		if _, known := largest[panel]; !known {
			largest[panel] = nil
			folder := filepath.Dir(panel)
			others, _ := fs.Glob(os.DirFS(folder), h.Panel+".*.jsonl")
			for _, name := range others {
				if r, err := record.Read(filepath.Join(folder, name)); err == nil &&
					(largest[panel] == nil || size(r.Header) > size(largest[panel].Header)) {
					largest[panel] = r
				}
			}
		}
		if r := largest[panel]; r != nil {
			all[i] = Duration{r.End.Seconds * size(h) / size(r.Header), true}
		}
	}
	return all
}

// size is roughly proportional to the time that a run takes: for each hidden state that it computes, the products of
// its units with each other and with what comes in.
func size(h record.Header) float64 {
	const inputs = 100 // measured: twice as many units take between two and four times as long
	return float64(h.Updates*h.Batch*h.Steps) * float64(len(h.Trials)*h.Units*(h.Units+inputs))
}

// LongestFirst sorts tasks by how long they took.
func LongestFirst(tasks []experiment.Task) []experiment.Task {
	seconds := map[string]float64{}
	for i, d := range Durations(Committed, tasks) {
		seconds[Name(tasks[i])] = d.Seconds
	}
	return slices.SortedStableFunc(slices.Values(tasks), func(a, b experiment.Task) int {
		return cmp.Compare(seconds[Name(b)], seconds[Name(a)])
	})
}
