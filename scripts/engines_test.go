package scripts_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
)

// firstUpdates is how many updates of each run are compared: the first loss is of equal weights, and the others of what
// the updates before made of them.
const firstUpdates = 3

// agreement is how far two engines' losses may be apart in those updates, as a part of their size. float32 has 6e-8 and
// sums of some thousand terms in another order ten times that; a hundred times that is no longer rounding.
const agreement = 1e-5

// measured is the same for what is measured after them, which says only that the right thing is measured. It cannot be
// less: what counts (sequences that are right, the best of samples) moves by one where two things are nearly equal; and
// RMSprop and Adam, which divide a gradient by its size, move a weight whose gradient is nothing but rounding as far as
// any other, which losses do not feel, but gates do.
const measured = 0.05

// slow is the size of an update, in hidden units over all steps and sequences, that GoMLX's own engine takes more than
// a second for.
const slow = 500_000

// The same seeds give the same losses on every engine as on simd: in the first updates of one run of each figure at
// scale quick, and of each run besides that has other parts (cells apart, which package conformance compares).
func TestFirstUpdatesAgree(t *testing.T) {
	tasks := oneOfEachKind(t)
	simd := conformance.Start(t, "simd")
	want := make([]*record.Record, len(tasks))
	conformance.OnEach(t, func(t *testing.T, engine string, b compute.Backend) {
		if engine == "simd" {
			t.Skip("the others are compared with it")
		}
		for i, task := range tasks {
			t.Run(task.String(), func(t *testing.T) {
				t.Parallel() // compilers use one thread
				batch, steps, _ := task.Data.Shape()
				if engine == "go" && batch*steps*len(task.Trials)*task.Network.Units() > slow {
					t.Skip("takes too long on GoMLX's own engine")
				}
				if want[i] == nil {
					want[i] = trained(t, simd, "simd", task)
				}
				got := trained(t, b, engine, task)
				for n, p := range want[i].Points {
					within := measured
					if p.Series == record.Train {
						within = agreement
					}
					q := got.Points[n]
					check.Close(t, append(q.Vectors, q.Values), append(p.Vectors, p.Values), within,
						"%s after update %d", p.Series, p.Update)
				}
				for name, values := range want[i].End.Final {
					check.Close(t, []record.Values{got.End.Final[name]}, []record.Values{values}, measured, "%s", name)
				}
				for name, vectors := range want[i].End.Vectors {
					check.Close(t, got.End.Vectors[name], vectors, measured, "%s", name)
				}
			})
		}
	})
}

// partName is the name of a part's type, as experiment.Encode writes it.
var partName = regexp.MustCompile(`"is":"([^"]*)"`)

// oneOfEachKind returns, of all figures' runs at scale quick, those that have a part of another type than all before
// them, cells aside, which the conformance suite compares; shortened to their first updates.
func oneOfEachKind(t *testing.T) (tasks []experiment.Task) {
	t.Helper()
	seen := map[string]bool{}
	for _, figure := range papers.All.Trained() {
		for _, task := range check.Got(figure.Tasks(experiment.Options{Scale: "quick", Seed: 1}))(t) {
			parts := map[string]bool{}
			for _, found := range partName.FindAllStringSubmatch(string(experiment.Encode(task.Experiment)), -1) {
				if !strings.HasPrefix(found[1], "cell.") && !strings.HasPrefix(found[1], "chrono.") {
					parts[found[1]] = true
				}
			}
			if slices.ContainsFunc(slices.Collect(maps.Keys(parts)), func(p string) bool { return !seen[p] }) {
				tasks = append(tasks, shortened(task))
			}
			maps.Copy(seen, parts)
		}
	}
	return tasks
}

// shortened is a task of a few updates, with a point at each; tests that come between updates come after the last.
func shortened(task experiment.Task) experiment.Task {
	task.Length, task.Window = experiment.Length{Epochs: 1, Updates: firstUpdates}, 1
	task.Tests = slices.Clone(task.Tests)
	for i := range task.Tests {
		task.Tests[i].Batches = 1
		if task.Tests[i].Every > 0 {
			task.Tests[i].Every = firstUpdates
		}
	}
	return task
}

func trained(t *testing.T, b compute.Backend, engine string, task experiment.Task) *record.Record {
	t.Helper()
	runner := run.Runner{Backend: b, Name: engine, Dir: t.TempDir()}
	return check.Got(runner.Train(context.Background(), task))(t)
}
