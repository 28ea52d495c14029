package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
	"github.com/warptime/warptime/scripts/replicate/watch"
)

// progress shows the progress of a list of tasks: on a terminal one line that never wraps, with a bar for all of them,
// and above it one for each that is done; else a line for each task every so often. Several runs may report at the same
// time.
type progress struct {
	out   *command.Output
	tasks []experiment.Task
	every time.Duration // between two reports of a task, at least
	part  float64       // of a task's updates between two reports, at least

	mu      sync.Mutex
	running []*running // in the order in which they started
	done    int
	total   float64 // work of all tasks
	now     float64 // of it, done by this process
	before  float64 // of it, done by earlier ones
	started time.Time
}

// running is what is known of one task in progress.
type running struct {
	status  run.Status
	started time.Time

	first run.Status // the first update of this process, which may have taken a compilation
	since time.Time  // when it was done

	shown   time.Time
	updates int // done when it was shown
}

func newProgress(out *command.Output, tasks []experiment.Task) *progress {
	p := &progress{out: out, tasks: tasks, every: 10 * time.Second, part: 0.01, started: time.Now()}
	if out.Width != nil {
		p.every, p.part = 200*time.Millisecond, 0
	}
	for i := range tasks {
		p.total += run.All(&tasks[i]).Work()
	}
	return p
}

// observe takes note of a task's status.
func (p *progress) observe(s run.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.find(s)
	p.now += s.Work() - r.status.Work()
	if s.Update > s.First && r.since.IsZero() {
		r.first, r.since = s, time.Now()
	}
	r.status = s
	if s.Done {
		p.done++
		p.running = slices.DeleteFunc(p.running, func(x *running) bool { return x == r })
	}
	few := s.Tested == 0 && float64(s.Update-r.updates) < p.part*float64(s.Task.Length.Total())
	if (few || time.Since(r.shown) < p.every) && !s.Done && !s.Compiling && (s.Update > s.First || s.Tested > 0) {
		return
	}
	r.shown, r.updates = time.Now(), s.Update
	switch {
	case s.Done:
		p.ended(r)
	case p.out.Width != nil:
		p.draw()
	case s.Update == s.First && s.Tested == 0:
		from := ""
		if s.First > 0 {
			from = fmt.Sprintf(", from update %d", s.First)
		}
		if s.Compiling {
			from += ", compiling"
		}
		fmt.Fprintf(p.out, "%s: run %d of %d, %s, %s, %s%s\n",
			s.Task, p.done+len(p.running), len(p.tasks), s.Task.Panel.TitleAt(s.Task.Scale),
			plan.Count(len(s.Task.Trials), "model"), plan.Count(s.Task.Length.Total(), "update"), from)
	default:
		facts := append([]string{fmt.Sprintf("update %d/%d", s.Update, s.Task.Length.Total())}, r.facts()...)
		if left := p.left(); left != "" {
			facts = append(facts, left+" in all")
		}
		fmt.Fprintf(p.out, "%s: %s\n", s.Task, strings.Join(facts, ", "))
	}
}

func (p *progress) find(s run.Status) *running {
	for _, r := range p.running {
		if r.status.Task.String() == s.Task.String() {
			return r
		}
	}
	r := &running{status: run.Status{Task: s.Task, Update: s.First}, started: time.Now()}
	p.before += r.status.Work()
	p.running = append(p.running, r)
	return r
}

// skip takes note of a task whose record was complete already.
func (p *progress) skip(task experiment.Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.before += run.All(&task).Work()
	if p.out.Width != nil {
		p.draw()
		return
	}
	fmt.Fprintf(p.out, "%s: complete already (%d of %d)\n", task, p.done, len(p.tasks))
}

// ended writes a line that stays.
func (p *progress) ended(r *running) {
	losses := r.losses()
	if losses != "" {
		losses = ", " + losses
	}
	done := fmt.Sprintf("done in %s (%d of %d)%s", short(time.Since(r.started)), p.done, len(p.tasks), losses)
	t := r.status.Task
	if p.out.Width == nil {
		fmt.Fprintf(p.out, "%s: %s\n", t, done)
		return
	}
	fmt.Fprint(p.out, command.Wrap("", fmt.Sprintf("%s (%s): %s", r.name(), t.Panel.TitleAt(t.Scale), done),
		p.out.Columns()))
	p.draw()
}

// draw draws the terminal's line: the bar, and as much as fits of the rest, the most important first.
func (p *progress) draw() {
	const columns = 12
	line := command.Bar((p.before+p.now)/p.total, columns) + " " + p.count()
	parts := []string{}
	if left := p.left(); left != "" {
		parts = append(parts, ", "+left)
	}
	for _, r := range p.running {
		parts = append(parts, "; "+r.name())
		for i, fact := range r.facts() {
			parts = append(parts, [...]string{": ", ", ", ", "}[i]+fact)
		}
	}
	for _, part := range parts {
		if utf8.RuneCountInString(line+part) > p.out.Room() {
			break
		}
		line += part
	}
	p.out.Draw(line)
}

// name is the task's name without its scale, which is the same for most of the tasks.
func (r *running) name() string {
	t := r.status.Task
	return strings.TrimSpace(t.Figure.ID() + " " + t.Panel.Name + " " + t.Part)
}

// whole is what the page of -watch says of all tasks.
func (p *progress) whole() watch.Whole {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := watch.Whole{Done: (p.before + p.now) / p.total, Says: fmt.Sprintf("%d of %s", p.done,
		plan.Count(len(p.tasks), "run"))}
	if p.done == len(p.tasks) {
		w.Says += ": all are complete"
	} else if left := p.left(); left != "" {
		w.Says += ", " + left
	}
	return w
}

// count says which of the tasks are running.
func (p *progress) count() string {
	switch first, last := p.done+1, p.done+len(p.running); {
	case last < first:
		return fmt.Sprintf("%d of %d", p.done, len(p.tasks))
	case last == first:
		return fmt.Sprintf("run %d of %d", first, len(p.tasks))
	default:
		return fmt.Sprintf("runs %d-%d of %d", first, last, len(p.tasks))
	}
}

// left is the time left for all tasks, once there is something to go by.
func (p *progress) left() string {
	elapsed := time.Since(p.started)
	if p.now == 0 || elapsed < 2*time.Second {
		return ""
	}
	left := time.Duration(float64(elapsed) * (p.total - p.before - p.now) / p.now)
	for _, r := range p.running {
		left = max(left, r.left()) // the last ones to run do not share the work of all
	}
	return short(left) + " left"
}

// facts are what there is to say of a task: the loss of the last window, the time left for it, and the speed.
func (r *running) facts() (facts []string) {
	if r.status.Compiling {
		return []string{"compiling"}
	}
	if all := run.All(r.status.Task).Tested; r.status.Tested > 0 {
		return []string{fmt.Sprintf("testing, %d %%", 100*r.status.Tested/all)}
	}
	if losses := r.losses(); losses != "" {
		facts = append(facts, losses)
	}
	if updates := r.status.Update - r.first.Update; !r.since.IsZero() && updates > 0 {
		facts = append(facts, short(r.left())+" left",
			fmt.Sprintf("%.3g updates/s", float64(updates)/time.Since(r.since).Seconds()))
	}
	return facts
}

// left is the time left for the task; 0 before there is something to go by.
func (r *running) left() time.Duration {
	if r.since.IsZero() {
		return 0
	}
	now := r.status.Work()
	done := now - r.first.Work()
	if done <= 0 {
		return 0
	}
	return time.Duration(float64(time.Since(r.since)) * (run.All(r.status.Task).Work() - now) / done)
}

// losses has the mean over each arm's trials, if there is one: "loss 0.5", or "loss standard 0.5 chrono 0.25".
func (r *running) losses() string {
	if r.status.Losses == nil {
		return ""
	}
	var names, means []string
	for _, arm := range r.status.Task.Panel.Arms {
		total, n := 0., 0
		for i, t := range r.status.Task.Trials {
			if t.Arm == arm.Name {
				total += r.status.Losses[i]
				n++
			}
		}
		if n > 0 {
			names, means = append(names, arm.Name), append(means, fmt.Sprintf("%.3g", total/float64(n)))
		}
	}
	if len(names) == 1 {
		return "loss " + means[0]
	}
	text := "loss"
	for i := range names {
		text += " " + names[i] + " " + means[i]
	}
	return text
}

// short is a duration to two units: "1h02m", "3m20s", "7s".
func short(d time.Duration) string {
	seconds := int(d.Seconds() + 0.5)
	switch {
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%dm%02ds", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%dh%02dm", seconds/3600, seconds/60%60)
}
