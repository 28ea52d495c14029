package main

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

// progress shows the progress of a list of tasks: on a terminal one line with a bar for all of them, and above it one
// for each that is done; else a line for each task every so often. Several runs may report at the same time.
type progress struct {
	out   *command.Output
	tasks []experiment.Task
	every time.Duration // between two reports of a task, at least

	mu      sync.Mutex
	seconds map[string]float64 // that a task takes: its share of all
	running []*running         // in the order in which they started
	done    int
	total   float64 // seconds of all tasks
	now     float64 // of them, done by this process
	before  float64 // of them, done by earlier ones
	started time.Time
}

type running struct {
	status  run.Status
	started time.Time
	shown   time.Time
}

func newProgress(out *command.Output, tasks []experiment.Task) *progress {
	p := &progress{out: out, tasks: tasks, every: time.Minute, seconds: map[string]float64{}, started: time.Now()}
	if out.Width != nil {
		p.every = 200 * time.Millisecond
	}
	unknown := 1.
	for _, task := range tasks {
		seconds := plan.Seconds(task)
		unknown = max(unknown, seconds) // the longest is the best guess
		p.seconds[task.String()] = seconds
	}
	for name, seconds := range p.seconds {
		p.seconds[name] = cmp.Or(seconds, unknown)
		p.total += p.seconds[name]
	}
	return p
}

// of is what a task's updates so far are of all, in seconds.
func (p *progress) of(s run.Status) float64 {
	return p.seconds[s.Task.String()] * float64(s.Update) / float64(s.Task.Length.Total())
}

func (p *progress) observe(s run.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.running, func(r *running) bool { return r.status.Task.String() == s.Task.String() })
	starts := i < 0
	if starts {
		i = len(p.running)
		p.running = append(p.running, &running{status: run.Status{Task: s.Task, Update: s.First}, started: time.Now()})
		p.before += p.of(p.running[i].status)
	}
	r := p.running[i]
	p.now += p.of(s) - p.of(r.status)
	r.status = s
	switch {
	case s.Done:
		p.done++
		p.running = slices.Delete(p.running, i, i+1)
		p.out.Note(fmt.Sprintf("%s (%s): done in %s (%d of %d)%s", s.Task, s.Task.Panel.TitleAt(s.Task.Scale),
			time.Since(r.started).Round(time.Second), p.done, len(p.tasks), r.losses()))
	case !starts && time.Since(r.shown) < p.every:
		return
	case p.out.Width != nil: // the line below
	case starts:
		from := ""
		if s.First > 0 {
			from = fmt.Sprintf(", from update %d", s.First)
		}
		fmt.Fprintf(p.out, "%s: run %d of %d, %s, %s, %s%s\n",
			s.Task, p.done+len(p.running), len(p.tasks), s.Task.Panel.TitleAt(s.Task.Scale),
			plan.Count(len(s.Task.Trials), "model"), plan.Count(s.Task.Length.Total(), "update"), from)
	default:
		fmt.Fprintf(p.out, "%s: update %d/%d%s%s\n", s.Task, s.Update, s.Task.Length.Total(), r.facts(), p.left())
	}
	r.shown = time.Now()
	p.draw()
}

// skip takes note of a task whose record was complete already.
func (p *progress) skip(task experiment.Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.before += p.seconds[task.String()]
	if p.out.Width == nil {
		fmt.Fprintf(p.out, "%s: complete already (%d of %d)\n", task, p.done, len(p.tasks))
	}
	p.draw()
}

// draw draws the terminal's line, which is cut off where the terminal ends: the most important comes first.
func (p *progress) draw() {
	if p.out.Width == nil {
		return
	}
	line := fmt.Sprintf("%s %d of %d done%s", command.Bar((p.before+p.now)/p.total), p.done, len(p.tasks), p.left())
	for _, r := range p.running {
		line += "; " + r.status.Task.String() + r.facts()
	}
	p.out.Draw(line)
}

// left is the time left for all tasks, once there is something to go by.
func (p *progress) left() string {
	elapsed := time.Since(p.started)
	if p.now == 0 || elapsed < 2*time.Second {
		return ""
	}
	left := time.Duration(float64(elapsed) * (p.total - p.before - p.now) / p.now)
	return fmt.Sprintf(", %v left", left.Round(time.Second))
}

// facts are what there is to say of a task: the loss of the last window, and the speed.
func (r *running) facts() string {
	s := r.status
	switch done := s.Update - s.First; {
	case s.Tested > 0:
		return fmt.Sprintf(", testing, batch %d", s.Tested)
	case done > 0:
		return fmt.Sprintf("%s, %.3g updates/s", r.losses(), float64(done)/time.Since(r.started).Seconds())
	}
	return ""
}

// losses has the mean over each arm's trials, if there is one: ", loss standard 0.5 chrono 0.25".
func (r *running) losses() string {
	if r.status.Losses == nil {
		return ""
	}
	text := ", loss"
	for _, arm := range r.status.Task.Panel.Arms {
		total, n := 0., 0
		for i, t := range r.status.Task.Trials {
			if t.Arm == arm.Name {
				total += r.status.Losses[i]
				n++
			}
		}
		if n > 0 {
			text += fmt.Sprintf(" %s %.3g", arm.Name, total/float64(n))
		}
	}
	return text
}
