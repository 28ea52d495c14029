package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
)

// follow is the progress of tasks of 13 updates, with two trials each, on a terminal of this width in columns; 0 is a
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
	p.every, p.part = 0, 0                         // every update
	p.started = time.Now().Add(-100 * time.Second) // so that there is a time left of all
	return p, tasks, &text
}

func TestProgressLines(t *testing.T) {
	p, tasks, out := follow(t, 0, "adding200", "adding750")
	p.observe(run.Status{Task: &tasks[0], Update: 11, First: 11})
	p.observe(run.Status{Task: &tasks[0], Update: 12, First: 11, Losses: []float64{1.5, 0.375}})
	p.running[0].since = time.Now().Add(-20_000 * time.Second) // so that there is a speed of this task
	p.observe(run.Status{Task: &tasks[0], Update: 13, First: 11, Losses: []float64{0.5, 0.25}})
	p.observe(run.Status{Task: &tasks[0], Update: 13, First: 11, Losses: []float64{0.5, 0.25}, Done: true})
	p.skip(tasks[1])
	check.Contains(t, out.String(),
		"warp/fig4 adding200 quick: run 1 of 2, adding, T = 100, 2 models, 13 updates, from update 11\n",
		"warp/fig4 adding200 quick: update 12/13, loss standard 1.5 chrono 0.375, ", " left in all\n",
		"warp/fig4 adding200 quick: update 13/13, loss standard 0.5 chrono 0.25, 0s left, 5e-05 updates/s, ",
		"warp/fig4 adding200 quick: done in 0s (1 of 2), loss standard 0.5 chrono 0.25\n",
		"warp/fig4 adding750 quick: complete already (2 of 2)\n")
	if n := strings.Count(out.String(), "\n"); n != 5 {
		t.Errorf("%d lines, want 5:\n%s", n, out.String())
	}
}

// The time left in all is at least that of each run: several that run at the same time end one after another.
func TestTimeLeftInAll(t *testing.T) {
	p, tasks, _ := follow(t, 0, "adding200", "adding750")
	for i := range tasks {
		p.observe(run.Status{Task: &tasks[i], Update: 1})
		p.running[i].since = time.Now().Add(-100_000 * time.Hour)
		p.observe(run.Status{Task: &tasks[i], Update: 2})
	}
	if left := p.left(); !strings.HasPrefix(left, "1100000h") {
		t.Errorf("%s, where each run has 11 updates left of 100,000 hours each", left)
	}
}

// The tests after training take long, and their batches count.
func TestProgressOfTests(t *testing.T) {
	p, tasks, out := follow(t, 0, "adding200")
	task := tasks[0]
	task.Tests = []experiment.Test{{Data: task.Data, Batches: 8}, {Data: task.Data, Batches: 2, Every: 1},
		{Data: task.Data, Batches: 12}}
	p.total = run.All(&task).Work()
	p.observe(run.Status{Task: &task, Update: 13})
	out.Reset()
	p.observe(run.Status{Task: &task, Update: 13, Tested: 5})
	check.Contains(t, out.String(), "update 13/13, testing, 25 %, ", " left in all\n")

	// A run that is resumed within them is announced once.
	p, _, out = follow(t, 0, "adding200")
	p.total = run.All(&task).Work()
	for tested := range 3 {
		p.observe(run.Status{Task: &task, Update: 13, First: 13, Tested: tested})
	}
	check.Equal(t, strings.Count(out.String(), "from update 13"), 1, "lines that announce the run in %q", out)
}

// A graph that takes seconds to compile is reported at once, before the first update and before the first test.
func TestProgressReportsCompiling(t *testing.T) {
	for columns, want := range map[int]string{0: "updates, compiling\n", 80: "warp/fig4 adding200: compiling"} {
		p, tasks, out := follow(t, columns, "adding200")
		p.every = time.Hour
		p.observe(run.Status{Task: &tasks[0], Compiling: true})
		check.Contains(t, out.String(), want)
		p.observe(run.Status{Task: &tasks[0], Update: 1})
		out.Reset()
		p.observe(run.Status{Task: &tasks[0], Update: 1, Compiling: true})
		check.Contains(t, out.String(), "compiling")
	}
}

// A log of a long run has a hundred lines of it, not thousands.
func TestProgressLinesAreFew(t *testing.T) {
	p, tasks, out := follow(t, 0, "adding200")
	tasks[0].Length.Updates, p.part = 10_000, 0.01
	for update := range 10_000 {
		p.observe(run.Status{Task: &tasks[0], Update: update})
	}
	if n := strings.Count(out.String(), "\n"); n < 90 || n > 110 {
		t.Errorf("%d lines", n)
	}
}

// However wide the terminal is, no line is wider, but where it has not even 20 columns. The last line says as much as
// fits; what stays above it is broken between words.
func TestProgressFitsTheTerminal(t *testing.T) {
	for columns, want := range map[int][]string{
		1: nil, 7: nil, 20: nil,
		40: {"warp/fig4 adding200 (adding, T = 100):\ndone in 0s (1 of 3), loss standard\n0.167",
			"100% |████████████| 3 of 3"},
		80: {"46% |█████       | runs 1-2 of 3, ", " left; warp/fig4 adding200\r",
			"warp/fig4 adding200 (adding, T = 100): done in 0s (1 of 3), loss standard 0.167\n"},
		200: {" updates/s; warp/fig4 adding750: loss standard 0.167 chrono 6.17e+03\r"},
	} {
		p, tasks, out := follow(t, columns, "adding200", "adding750", "adding200")
		tasks[2].Part = "other"
		losses := []float64{1. / 6, 6172.8394}
		for update := range 13 {
			p.observe(run.Status{Task: &tasks[0], Update: update, Losses: losses})
			if update > 6 {
				p.observe(run.Status{Task: &tasks[1], Update: update, First: 7, Losses: losses})
			}
		}
		p.observe(run.Status{Task: &tasks[0], Update: 13, Losses: losses, Done: true})
		p.observe(run.Status{Task: &tasks[1], Update: 13, First: 7, Losses: losses, Done: true})
		p.skip(tasks[2])
		p.out.End()
		text := strings.ReplaceAll(out.String(), command.ClearLine, "")
		for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
			if n := utf8.RuneCountInString(line); n > max(20, columns-1) {
				t.Errorf("%d columns: a line of %d: %q", columns, n, line)
			}
		}
		check.Contains(t, text, want...)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59400 * time.Millisecond: "59s", 59600 * time.Millisecond: "1m00s", 200 * time.Second: "3m20s",
		time.Hour + 2*time.Minute + 3*time.Second: "1h02m", 99 * time.Hour: "99h00m",
	} {
		check.Equal(t, short(d), want, "%v", d)
	}
}
