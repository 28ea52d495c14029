package run

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"

	"github.com/warptime/warptime/replication/experiment"
)

// Progress shows how far a list of tasks is: on a terminal one line that never wraps, with a bar over all of them; else
// a line for each task every so often. Its method Observe is for [Runner]; several runners may call it at the same
// time.
type Progress struct {
	out   io.Writer
	tasks []experiment.Task
	width func() int    // of the terminal in columns; nil for lines
	every time.Duration // between two looks at a task

	mu      sync.Mutex
	running []*running // in the order in which they started
	done    int
	total   float64 // cost of all tasks
	work    float64 // of it, done in this process
	skipped float64 // of it, done in earlier ones
	started time.Time
	drawn   bool // there is a line to end
}

// running is what is known of one task in progress.
type running struct {
	name           string
	status         Status
	started, shown time.Time
}

// NewProgress shows the progress of tasks. With width, which tells a terminal's columns, it draws a bar.
func NewProgress(out io.Writer, tasks []experiment.Task, width func() int) *Progress {
	p := &Progress{out: out, tasks: tasks, width: width, every: 10 * time.Second, started: time.Now()}
	if width != nil {
		p.every = 200 * time.Millisecond
	}
	for _, task := range tasks {
		p.total += cost(&task)
	}
	return p
}

// Observe takes note of a task's status.
func (p *Progress) Observe(s Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.find(s)
	p.work += cost(s.Task) * float64(s.Update-r.status.Update) / float64(s.Task.Length.Total())
	r.status = s
	if s.Done {
		p.done++
		p.running = slices.DeleteFunc(p.running, func(x *running) bool { return x == r })
	}
	if time.Since(r.shown) < p.every && !s.Done && s.Update > s.First {
		return
	}
	r.shown = time.Now()
	switch {
	case p.width != nil:
		p.draw()
	case s.Done:
		fmt.Fprintf(p.out, "%s: done in %v (%d of %d)\n", r.name, short(time.Since(r.started)), p.done, len(p.tasks))
	case s.Update == s.First:
		from := ""
		if s.First > 0 {
			from = fmt.Sprintf(", from update %d", s.First)
		}
		fmt.Fprintf(p.out, "%s: run %d of %d, %d trials, %d updates%s\n",
			r.name, p.done+len(p.running), len(p.tasks), len(s.Task.Trials), s.Task.Length.Total(), from)
	default:
		parts := append([]string{fmt.Sprintf("update %d/%d", s.Update, s.Task.Length.Total())}, r.facts()...)
		if left := r.left(); left != "" {
			parts = append(parts, left)
		}
		fmt.Fprintf(p.out, "%s: %s\n", r.name, strings.Join(parts, ", "))
	}
}

// Skip takes note of a task whose record was complete already.
func (p *Progress) Skip(task experiment.Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.skipped += cost(&task)
	if p.width != nil {
		p.draw()
		return
	}
	fmt.Fprintf(p.out, "%s: complete already (%d of %d)\n", task, p.done, len(p.tasks))
}

// Stop ends the line of a terminal.
func (p *Progress) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprintln(p.out)
	}
	p.drawn = false
}

func (p *Progress) find(s Status) *running {
	name := s.Task.String()
	for _, r := range p.running {
		if r.name == name {
			return r
		}
	}
	r := &running{name: name, status: Status{Task: s.Task, Update: s.First}, started: time.Now()}
	p.skipped += cost(s.Task) * float64(s.First) / float64(s.Task.Length.Total())
	p.running = append(p.running, r)
	return r
}

// The bar is drawn as `text  45% |███     | `: these columns besides the text and itself.
const (
	barFrame = 10
	barWidth = 12   // at most
	barSteps = 1000 // a tenth of a percent
)

// clearLine is the terminal's command to clear the line from here on.
const clearLine = "\x1b[K"

// draw redraws the terminal's line. The last column stays empty: some terminals wrap when it is written.
func (p *Progress) draw() {
	room := p.width() - barFrame - 1
	text := p.text(room)
	bar := progressbar.NewOptions64(barSteps,
		progressbar.OptionSetWriter(io.Discard), // it would clear the line with spaces; and it asks for no width there
		progressbar.OptionSetWidth(max(0, min(barWidth, room-utf8.RuneCountInString(text)))),
		progressbar.OptionSetDescription(text),
		progressbar.OptionSetPredictTime(false), // it would take the tasks for equally long
	)
	bar.Set64(int64(barSteps * min(1, (p.skipped+p.work)/p.total)))
	bar.RenderBlank() // at 0 % too
	fmt.Fprint(p.out, clip(strings.TrimSpace(bar.String()), p.width()-1), clearLine, "\r")
	p.drawn = true
}

// text is what the terminal's line says in so many columns, the most important first; what does not fit is left out.
func (p *Progress) text(columns int) string {
	text := p.count()
	if elapsed := time.Since(p.started); p.work > 0 && elapsed > 2*time.Second {
		left := time.Duration(float64(elapsed) * (p.total - p.skipped - p.work) / p.work)
		text += fmt.Sprintf(", %s left", short(left))
	}
	var parts []string
	for i, r := range p.running {
		separator := "; "
		if i == 0 {
			separator = ": "
		}
		parts = append(parts, separator+strings.TrimSpace(r.status.Task.Panel.Name+" "+r.status.Task.Part))
		for _, fact := range r.facts() {
			parts = append(parts, ", "+fact)
		}
	}
	for _, part := range parts {
		if utf8.RuneCountInString(text+part) > columns {
			break
		}
		text += part
	}
	return text
}

// count says which of the tasks are running.
func (p *Progress) count() string {
	first, last := p.done+1, p.done+len(p.running)
	switch {
	case last < first:
		return fmt.Sprintf("%d of %d", p.done, len(p.tasks))
	case last == first:
		return fmt.Sprintf("run %d of %d", first, len(p.tasks))
	}
	return fmt.Sprintf("runs %d-%d of %d", first, last, len(p.tasks))
}

// clip cuts a text down to so many columns.
func clip(text string, columns int) string {
	if utf8.RuneCountInString(text) <= columns {
		return text
	}
	return string([]rune(text)[:max(0, columns)])
}

// facts are what there is to say of a task: the mean loss of each arm's trials over the last window, and the speed.
func (r *running) facts() []string {
	var facts []string
	if losses := r.losses(); losses != "" {
		facts = append(facts, losses)
	}
	if done := r.status.Update - r.status.First; done > 0 {
		facts = append(facts, fmt.Sprintf("%.3g updates/s", float64(done)/time.Since(r.started).Seconds()))
	}
	return facts
}

func (r *running) losses() string {
	if r.status.Losses == nil {
		return ""
	}
	var arms []string
	for _, arm := range r.status.Task.Panel.Arms {
		total, n := 0., 0
		for i, t := range r.status.Task.Trials {
			if t.Arm == arm.Name {
				total += r.status.Losses[i]
				n++
			}
		}
		if n > 0 {
			arms = append(arms, fmt.Sprintf("%s %.3g", arm.Name, total/float64(n)))
		}
	}
	return strings.Join(arms, " ")
}

// left is the time left for the task, by the updates that this process has done.
func (r *running) left() string {
	done := r.status.Update - r.status.First
	if done == 0 {
		return ""
	}
	each := time.Since(r.started) / time.Duration(done)
	return short(each*time.Duration(r.status.Task.Length.Total()-r.status.Update)) + " left"
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

// cost is roughly proportional to the time that a task takes: the elements of a batch's hidden states, for every
// update.
func cost(t *experiment.Task) float64 {
	batch, steps := t.Data.Shape()
	return float64(t.Length.Total()) * float64(batch*steps*len(t.Trials)) * float64(t.Network.Units())
}
