package run

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"
	"time"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// madeHere is a complete record of a task, made by a runner from second start on, for so many seconds.
func madeHere(r *Runner, task experiment.Task, sum string, start, seconds float64) *record.Record {
	h := task.Header(r.Name)
	h.Environment = environment(r.Backend)
	h.Started = time.Unix(0, 0).Add(time.Duration(start) * time.Second).UTC().Format(time.RFC3339)
	return &record.Record{Header: h, End: &record.End{Updates: h.Updates, Seconds: seconds, SHA256: sum}}
}

// Two records made at the same time share it, so that the shares add up to what a clock on the wall shows.
func TestPastSharesTime(t *testing.T) {
	r := newRunner(t, engine, "")
	copies, adds, warps := tinyTask(t, copying), tinyTask(t, adding), tinyTask(t, warping)
	records := []*record.Record{
		madeHere(r, copies, "a", 0, 10), // 6 alone, 4 beside the next
		madeHere(r, adds, "b", 6, 10),   // 4 beside the last, 6 alone
		madeHere(r, warps, "c", 100, 7), // alone
		madeHere(r, warps, "c", 100, 7), // the same file in another place
	}
	past := r.Past(records)
	for _, c := range []struct {
		task experiment.Task
		want float64
	}{{copies, 8}, {adds, 8}, {warps, 7}} {
		if got, ok := past.Seconds(c.task); !ok || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g seconds, %v, want %g", c.task, got, ok, c.want)
		}
	}
}

// Only what was made here says anything, of tasks of the same sizes, and the last record of them.
func TestPastIsOfHere(t *testing.T) {
	r := newRunner(t, engine, "")
	task := tinyTask(t, copying)
	for what, change := range map[string]func(*record.Record){
		"another processor":   func(old *record.Record) { old.CPU = "Z80" },
		"other instructions":  func(old *record.Record) { old.Instructions = "none" },
		"another device":      func(old *record.Record) { old.Device = "abacus" },
		"another backend":     func(old *record.Record) { old.Backend = "go" },
		"resumed elsewhere":   func(old *record.Record) { old.Resumed = []record.Resumed{{}} },
		"more trials":         func(old *record.Record) { old.Trials = append(old.Trials, old.Trials...) },
		"more updates":        func(old *record.Record) { old.Updates++ },
		"wider":               func(old *record.Record) { old.Units++ },
		"another scale":       func(old *record.Record) { old.Scale = "paper" },
		"without its time":    func(old *record.Record) { old.Started = "yesterday" },
		"unfinished":          func(old *record.Record) { old.End = nil },
		"longer sequences":    func(old *record.Record) { old.Steps++ },
		"larger batches":      func(old *record.Record) { old.Batch++ },
		"another part of all": func(old *record.Record) { old.Part = "rest" },
	} {
		old := madeHere(r, task, "a", 0, 10)
		change(old)
		if got, ok := r.Past([]*record.Record{old}).Seconds(task); ok {
			t.Errorf("%s: %g seconds", what, got)
		}
	}
	past := r.Past([]*record.Record{
		madeHere(r, task, "b", 50, 4), madeHere(r, task, "a", 0, 10), madeHere(r, task, "c", 20, 10),
	})
	if got, _ := past.Seconds(task); got != 4 {
		t.Errorf("%g seconds, want those of the last record", got)
	}
}

func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	r := newRunner(t, engine, "/nowhere")
	seconds, err := r.Measure(context.Background(), tinyTask(t, copying))
	if err != nil || seconds <= 0 || seconds > 5 {
		t.Errorf("%g seconds for an update, %v", seconds, err)
	}
	interrupted, stop := context.WithCancel(context.Background())
	stop()
	if _, err := r.Measure(interrupted, tinyTask(t, copying)); !errors.Is(err, ErrInterrupted) {
		t.Errorf("error %v, want interrupted", err)
	}
	once := tinyTask(t, copying)
	once.Length.Updates, once.Window = 1, 1
	if seconds, err := r.Measure(context.Background(), once); err == nil {
		t.Errorf("%g seconds without an update to measure", seconds)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The tests between the updates and after them count by their sequences and steps, at a third.
func TestWorth(t *testing.T) {
	task := tinyTask(t, copying)
	batch, steps := task.Data.Shape()
	task.Length = experiment.Length{Epochs: 2, Updates: 50}
	task.Tests = []experiment.Test{
		{Data: task.Data, Batches: 6, Every: 25}, // 4 times 6 batches like those of the training
		{Data: sized{task.Data, 3 * batch, 2 * steps}, Batches: 5},
	}
	during, after := worth(&task)
	if math.Abs(during-(100+4*6/3.)) > 1e-9 || math.Abs(after-5*6/3.) > 1e-9 {
		t.Errorf("worth %g and %g updates, want 108 and 10", during, after)
	}
	if all := Worth(task); math.Abs(all-118) > 1e-9 {
		t.Errorf("worth %g updates, want 118", all)
	}
}

// sized is data with another shape.
type sized struct {
	experiment.Data
	batch, steps int
}

func (s sized) Shape() (batch, steps int) { return s.batch, s.steps }

func TestAlike(t *testing.T) {
	task := tinyTask(t, copying)
	faster := task
	faster.Optimizer.Rates = []float64{1}
	faster.Length.Updates = 7
	if Alike(task) != Alike(faster) {
		t.Error("another rate makes an update take another time")
	}
	fewer := task
	fewer.Trials = fewer.Trials[:1]
	if Alike(task) == Alike(fewer) || Alike(task) == Alike(tinyTask(t, adding)) {
		t.Error("fewer trials, or another network, take the same time")
	}
}
