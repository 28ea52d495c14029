package main

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
)

// follow is the progress of tasks of 13 updates, with six trials each, on a terminal of this width in columns; 0 is a
// file.
func follow(t *testing.T, columns int, panels ...string) (*progress, []experiment.Task, *bytes.Buffer) {
	t.Helper()
	var tasks []experiment.Task
	for _, panel := range panels {
		task := declared(t, panel)[0]
		task.Length, task.Tests = experiment.Length{Epochs: 1, Updates: 13}, nil
		tasks = append(tasks, task)
	}
	var text bytes.Buffer
	out := &command.Output{To: &text}
	if columns > 0 {
		out.Width = func() int { return columns }
	}
	p := newProgress(out, tasks)
	p.every = 0                                    // every update
	p.started = time.Now().Add(-100 * time.Second) // so that there is a time left of all
	return p, tasks, &text
}

// A file gets a line at the beginning, at times, and at the end of each run.
func TestProgressLines(t *testing.T) {
	p, tasks, out := follow(t, 0, "adding200", "adding750")
	losses := []float64{1, 1.5, 2, 0.25, 0.375, 0.5}
	p.observe(run.Status{Task: &tasks[0], Update: 11, First: 11})
	p.observe(run.Status{Task: &tasks[0], Update: 12, First: 11, Losses: losses})
	p.observe(run.Status{Task: &tasks[0], Update: 13, First: 11, Losses: losses, Tested: 3})
	p.observe(run.Status{Task: &tasks[0], Update: 13, First: 11, Losses: losses, Done: true})
	p.skip(tasks[1])
	check.Contains(t, out.String(),
		"warp/fig4 adding200 quick: run 1 of 2, adding, T = 100, 6 models, 13 updates, from update 11\n",
		"warp/fig4 adding200 quick: update 12/13, loss standard 1.5 chrono 0.375, ", " left\n", "testing",
		"(1 of 2)", "warp/fig4 adding750 quick: complete already (2 of 2)\n")
}

// The bar counts the updates of all runs, also those of earlier processes and of complete runs, and the time that is
// left those of this process.
func TestProgressOfAll(t *testing.T) {
	p, tasks, _ := follow(t, 80, "adding200", "adding750", "adding200")
	tasks[2].Part = "other"
	p.seconds = map[string]float64{tasks[0].String(): 1, tasks[1].String(): 2, tasks[2].String(): 1}
	p.total = 4
	p.skip(tasks[0])
	p.observe(run.Status{Task: &tasks[1], Update: 1, First: 1})
	p.observe(run.Status{Task: &tasks[1], Update: 7, First: 1})
	got, want := (p.before+p.now)/p.total, (1+2*7./13)/4
	check.That(t, math.Abs(got-want) <= 1e-9, "%g of all is done, want %g", got, want)
	check.Contains(t, p.left(), "3m28s left") // 12/13 are done in 100 s, and 25/13 left
}
