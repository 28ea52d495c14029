package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// How long a task will take here: by records of the same task that were made here, or by its first updates.

// A Past is what records made here took: by the runner's backend, on a processor and a device with the same names and
// with the same instructions. (A record does not say how many cores there were, or what else they did.)
type Past []past

type past struct {
	*record.Record
	started time.Time
	share   float64 // of the wall-clock seconds: those in which n records were made at the same time count 1/n each
}

// Past picks the records that were made here.
func (r *Runner) Past(records []*record.Record) Past {
	here := environment(r.Backend)
	var made Past
	for _, old := range records {
		started, err := time.Parse(time.RFC3339, old.Started)
		if err != nil || old.End == nil || len(old.Resumed) > 0 || old.Backend != r.Name || old.CPU != here.CPU ||
			old.Device != here.Device || old.Instructions != here.Instructions ||
			slices.ContainsFunc(made, func(p past) bool { return p.End.SHA256 == old.End.SHA256 }) {
			continue
		}
		made = append(made, past{Record: old, started: started})
	}
	made.shareTime()
	slices.SortStableFunc(made, func(a, b past) int { return b.started.Compare(a.started) }) // the last one first
	return made
}

// shareTime divides the time in which several records were made between them.
func (p Past) shareTime() {
	ends := make([]time.Time, len(p))
	var times []time.Time
	for i, one := range p {
		ends[i] = one.started.Add(time.Duration(one.End.Seconds * float64(time.Second)))
		times = append(times, one.started, ends[i])
	}
	slices.SortFunc(times, time.Time.Compare)
	for k := 1; k < len(times); k++ {
		var active []int
		for i, one := range p {
			if !one.started.After(times[k-1]) && !ends[i].Before(times[k]) {
				active = append(active, i)
			}
		}
		for _, i := range active {
			p[i].share += times[k].Sub(times[k-1]).Seconds() / float64(len(active))
		}
	}
}

// Seconds returns a task's share of the wall-clock time of training, by the last record of one with the same sizes;
// false if there is none. Shares may be added up.
func (p Past) Seconds(task experiment.Task) (float64, bool) {
	h := task.Header("")
	for _, old := range p {
		if old.Name() == h.Name() && len(old.Trials) == len(h.Trials) && old.Updates == h.Updates &&
			old.Batch == h.Batch && old.Units == h.Units && old.Steps == h.Steps {
			return old.share, true
		}
	}
	return 0, false
}

// Measure trains a task's first updates, for about a second and two updates at least, and returns the seconds that one
// takes, compilation left out. It writes to a temporary directory only.
func (r Runner) Measure(ctx context.Context, task experiment.Task) (float64, error) {
	const enough = time.Second
	dir, err := os.MkdirTemp("", "measure-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	task.Tests, task.Schedule = nil, trial.ConstantRate{}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var first, last time.Time
	updates := 0
	r.Dir, r.Observe = dir, func(s Status) {
		switch {
		case s.Update == 1:
			first = time.Now()
		case s.Update > 1 && !s.Done && ctx.Err() == nil:
			last, updates = time.Now(), s.Update-1
			if last.Sub(first) >= enough {
				stop()
			}
		}
	}
	_, err = r.Train(ctx, task)
	switch {
	case err != nil && (updates == 0 || !errors.Is(err, ErrInterrupted)):
		return 0, err
	case updates == 0:
		return 0, fmt.Errorf("%s has one update only, the one that is not measured", task)
	}
	return last.Sub(first).Seconds() / float64(updates), nil
}

// Worth is how many updates take as long as all of a task, its tests too.
func Worth(task experiment.Task) float64 {
	during, after := worth(&task)
	return during + after
}

// worth is how many updates take as long as what a task does before its last update, and after it. A test goes forward
// only, which is taken for a third of the time that an update of as many steps takes.
func worth(t *experiment.Task) (during, after float64) {
	const forward = 1. / 3
	batch, steps := t.Data.Shape()
	during = float64(t.Length.Total())
	for _, test := range t.Tests {
		b, s := test.Data.Shape()
		each := forward * float64(test.Batches) * float64(b*s) / float64(batch*steps)
		if test.Every > 0 {
			during += each * float64(t.Length.Total()/test.Every)
		} else {
			after += each
		}
	}
	return during, after
}

// Alike is what tasks have in common whose updates take the same time: the network, the number of trials, and the sizes
// of a batch.
func Alike(task experiment.Task) string {
	batch, steps := task.Data.Shape()
	return string(experiment.Encode(struct {
		Network              experiment.Network
		Trials, Batch, Steps int
	}{task.Network, len(task.Trials), batch, steps}))
}
