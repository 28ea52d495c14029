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
	p.every = 0 // every update
	p.Observe(Status{Task: &task, Update: 11, First: 11, Losses: []float64{9, 9, 9, 9}})
	time.Sleep(time.Millisecond) // so that there is a rate
	p.Observe(Status{Task: &task, Update: 12, First: 11, Losses: []float64{1, 2, 0.25, 0.5}})
	p.Observe(Status{Task: &task, Update: 13, First: 11, Losses: []float64{0, 1, 0, 0.5}})
	p.Observe(Status{Task: &task, Update: 13, First: 11, Done: true})
	p.Skip(tinyTask(t, adding))
	p.Stop()
	for _, want := range []string{
		"test/tiny-copy copy quick: run 1 of 2, 4 trials, 13 updates, from update 11\n",
		"test/tiny-copy copy quick: update 12/13, standard 1.5 chrono 0.375, ", " updates/s, ", " left\n",
		"test/tiny-copy copy quick: update 13/13, standard 0.5 chrono 0.25, ", ", 0s left\n",
		"test/tiny-copy copy quick: done in 0s (1 of 2)\n",
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

// Whatever runs and however wide the terminal is, there is one line, and it says as much as fits.
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

		for line := range strings.SplitSeq(strings.ReplaceAll(out.String(), clearLine, ""), "\r") {
			if n := utf8.RuneCountInString(strings.Trim(line, "\n")); n >= columns && n > 0 {
				t.Errorf("%d columns: a line of %d: %q", columns, n, line)
			}
		}
		if strings.Count(out.String(), "\n") != 1 || !strings.HasSuffix(out.String(), "\n") {
			t.Errorf("%d columns: more than one line: %q", columns, out.String())
		}
		wants := map[string][]string{during: nil, alone: nil, last: nil}
		if columns >= 40 {
			wants[during] = []string{"runs 1-2 of 3, ", " left", "%"}
			wants[alone] = []string{"run 2 of 3, ", " left", "%"}
			wants[last] = []string{"3 of 3", "100%", "█"}
		}
		if columns >= 80 {
			wants[during] = append(wants[during], ": copy, standard 0.167 chrono 6.17e+03")
			wants[alone] = append(wants[alone], ": adding, standard 0.167 chrono 6.17e+03")
		}
		if columns >= 200 {
			wants[during] = append(wants[during], " updates/s; adding, standard 0.167 chrono 6.17e+03, ", "█")
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
