package run

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/warptime/warptime/replication/experiment"
)

func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	task := tinyTask(t, copying)
	p := NewProgress(&out, []experiment.Task{task, tinyTask(t, adding)}, nil)
	p.every, p.part = 0, 0                         // every update
	p.started = time.Now().Add(-100 * time.Second) // so that there is a rate of all
	p.Observe(Status{Task: &task, Update: 11, First: 11, Losses: []float64{9, 9, 9, 9}})
	p.Observe(Status{Task: &task, Update: 12, First: 11, Losses: []float64{1, 2, 0.25, 0.5}})
	p.running[0].since = time.Now().Add(-2 * time.Second) // so that there is one of this task
	p.Observe(Status{Task: &task, Update: 13, First: 11, Losses: []float64{0, 1, 0, 0.5}})
	p.Observe(Status{Task: &task, Update: 13, First: 11, Losses: []float64{0, 1, 0, 0.5}, Done: true})
	p.Skip(tinyTask(t, adding))
	p.Stop()
	for _, want := range []string{
		"test/tiny-copy copy quick: run 1 of 2, 4 trials, 13 updates, from update 11\n",
		"test/tiny-copy copy quick: update 12/13, loss standard 1.5 chrono 0.375, ", " left in all\n",
		"test/tiny-copy copy quick: update 13/13, loss standard 0.5 chrono 0.25, ", "s left, 0.5 updates/s, ",
		"test/tiny-copy copy quick: done in 0s (1 of 2), loss standard 0.5 chrono 0.25\n",
		"test/tiny-adding adding quick: complete already (2 of 2)\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "\n"); n != 5 {
		t.Errorf("%d lines, want 5:\n%s", n, out.String())
	}
}

// Where a graph takes seconds to compile, that is said before the first update and before the first test, at once.
func TestProgressSaysCompiling(t *testing.T) {
	var lines, drawn bytes.Buffer
	task := tinyTask(t, copying)
	for _, p := range []*Progress{
		NewProgress(&lines, []experiment.Task{task}, nil),
		NewProgress(&drawn, []experiment.Task{task}, func() int { return 80 }),
	} {
		p.Observe(Status{Task: &task, Compiling: true})
		p.Observe(Status{Task: &task, Update: 1})
		p.Observe(Status{Task: &task, Update: 1, Compiling: true})
		p.Observe(Status{Task: &task, Update: 2})
		p.Stop()
	}
	for _, want := range []string{
		"test/tiny-copy copy quick: run 1 of 1, 4 trials, 13 updates, compiling\n",
		"test/tiny-copy copy quick: update 1/13, compiling\n",
	} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("no %q in\n%s", want, lines.String())
		}
	}
	if n := strings.Count(drawn.String(), "copy: compiling"); n != 2 {
		t.Errorf("%d times in %q, want 2", n, drawn.String())
	}
}

// A log of a long run has a hundred lines of it, not thousands.
func TestProgressLinesAreFew(t *testing.T) {
	var out bytes.Buffer
	task := tinyTask(t, copying)
	task.Length.Updates = 10_000
	p := NewProgress(&out, []experiment.Task{task}, nil)
	p.every = 0 // as if every update took ten seconds
	for update := range 10_000 {
		p.Observe(Status{Task: &task, Update: update})
	}
	if n := strings.Count(out.String(), "\n"); n < 90 || n > 110 {
		t.Errorf("%d lines", n)
	}
}

// Whatever runs and however wide the terminal is, there is one line below one for each run that is done, and each says
// as much as fits.
func TestProgressFitsTheTerminal(t *testing.T) {
	for _, columns := range []int{1, 7, 20, 40, 80, 200} {
		var out bytes.Buffer
		tasks := []experiment.Task{tinyTask(t, copying), tinyTask(t, adding), tinyTask(t, warping)}
		p := NewProgress(&out, tasks, func() int { return columns })
		p.every = 0
		p.started = time.Now().Add(-time.Hour)
		losses := []float64{1. / 3, 1e-7, 12345.678, 2. / 3}
		for update := range 13 {
			p.Observe(Status{Task: &tasks[0], Update: update, Losses: losses})
			if update > 6 {
				p.Observe(Status{Task: &tasks[1], Update: update, First: 7, Losses: losses})
			}
		}
		during := lastLine(out.String())
		p.Observe(Status{Task: &tasks[0], Update: 13, Losses: losses, Done: true})
		alone := lastLine(out.String())
		p.Observe(Status{Task: &tasks[1], Update: 12, First: 7, Losses: losses, Done: true})
		p.Skip(tasks[2])
		last := lastLine(out.String())
		p.Stop()

		lines := strings.FieldsFunc(strings.ReplaceAll(out.String(), clearLine, ""),
			func(r rune) bool { return r == '\r' || r == '\n' })
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n >= columns {
				t.Errorf("%d columns: a line of %d: %q", columns, n, line)
			}
			if strings.Contains(line, "||") || strings.Contains(line, "| |") {
				t.Errorf("%d columns: a bar that says nothing: %q", columns, line)
			}
		}
		if strings.Count(out.String(), "\n") != 3 || !strings.HasSuffix(out.String(), "\n") {
			t.Errorf("%d columns: not a line for each of two tasks, and the last: %q", columns, out.String())
		}
		wants := map[string][]string{during: nil, alone: nil, last: nil}
		if columns >= 40 {
			wants[during] = []string{"runs 1-2 of 3, ", " left", "%"}
			wants[alone] = []string{"copy: done in 0s (1 of 3)", "\nrun 2 of 3, ", " left", "%"}
			wants[last] = []string{"3 of 3", "100%", "█"}
		}
		if columns >= 80 {
			wants[during] = append(wants[during], "; copy: loss standard 0.167 chrono 6.17e+03")
			wants[alone] = append(wants[alone], ", loss standard 0.167 chrono 6.17e+03\x1b[K\n",
				"; adding: loss standard 0.167 chrono 6.17e+03")
		}
		if columns >= 200 {
			wants[during] = append(wants[during],
				"s left, ", " updates/s; adding: loss standard 0.167 chrono 6.17e+03, ", "█")
			wants[alone] = append(wants[alone], " updates/s", "█")
		}
		for line, parts := range wants {
			for _, part := range parts {
				if !strings.Contains(line, part) {
					t.Errorf("%d columns: no %q in %q", columns, part, line)
				}
			}
		}
	}
}

// lastLine is what the terminal shows.
func lastLine(out string) string {
	lines := strings.Split(strings.TrimRight(out, "\r\n"), "\r")
	return strings.TrimSuffix(lines[len(lines)-1], clearLine)
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59400 * time.Millisecond: "59s", 59600 * time.Millisecond: "1m00s", 200 * time.Second: "3m20s",
		time.Hour + 2*time.Minute + 3*time.Second: "1h02m", 99 * time.Hour: "99h00m",
	} {
		if got := short(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
