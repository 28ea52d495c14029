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

// Progress shows how far a list of tasks is: on a terminal one line that never wraps, with a bar over all of them, and
// above it one for each that is done; else a line for each task every so often. Its method Observe is for [Runner];
// several runners may call it at the same time.
type Progress struct {
	out   io.Writer
	tasks []experiment.Task
	width func() int    // of the terminal in columns; nil for lines
	every time.Duration // between two looks at a task, at least
	part  float64       // of a task's updates between two looks, at least

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
	name    string
	status  Status
	started time.Time

	from  int       // the first update that this process has done, which may have taken a compilation
	since time.Time // when it was done

	shown   time.Time
	updates int // done when it was shown
}

// NewProgress shows the progress of tasks. With width, which tells a terminal's columns, it draws a bar.
func NewProgress(out io.Writer, tasks []experiment.Task, width func() int) *Progress {
	p := &Progress{out: out, tasks: tasks, width: width, every: 10 * time.Second, part: 0.01, started: time.Now()}
	if width != nil {
		p.every, p.part = 200*time.Millisecond, 0
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
	p.work += float64(s.Update-r.status.Update) * each(s.Task)
	if s.Update > s.First && r.since.IsZero() {
		r.from, r.since = s.Update, time.Now()
	}
	r.status = s
	if s.Done {
		p.work += after(s.Task)
		p.done++
		p.running = slices.DeleteFunc(p.running, func(x *running) bool { return x == r })
	}
	few := float64(s.Update-r.updates) < p.part*float64(s.Task.Length.Total())
	if (few || time.Since(r.shown) < p.every) && !s.Done && !s.Compiling && s.Update > s.First {
		return
	}
	r.shown, r.updates = time.Now(), s.Update
	switch {
	case s.Done:
		p.ended(r)
	case p.width != nil:
		p.draw()
	case s.Update == s.First:
		from := ""
		if s.First > 0 {
			from = fmt.Sprintf(", from update %d", s.First)
		}
		if s.Compiling {
			from += ", compiling"
		}
		fmt.Fprintf(p.out, "%s: run %d of %d, %d trials, %d updates%s\n",
			r.name, p.done+len(p.running), len(p.tasks), len(s.Task.Trials), s.Task.Length.Total(), from)
	default:
		parts := append([]string{fmt.Sprintf("update %d/%d", s.Update, s.Task.Length.Total())}, r.facts()...)
		if left := p.left(); left != "" {
			parts = append(parts, left+" in all")
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

// ended writes a line that stays, on a terminal above the one that is drawn again and again.
func (p *Progress) ended(r *running) {
	took := "done in " + short(time.Since(r.started))
	parts := []string{fmt.Sprintf(" (%d of %d)", p.done, len(p.tasks))}
	for _, losses := range r.losses() {
		parts = append(parts, ", "+losses)
	}
	if p.width == nil {
		fmt.Fprintf(p.out, "%s: %s%s\n", r.name, took, strings.Join(parts, ""))
		return
	}
	columns := p.width() - 1
	fmt.Fprintln(p.out, clip(fit(r.short()+": "+took, parts, columns), columns)+clearLine)
	p.draw()
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
	p.skipped += float64(s.First) * each(s.Task)
	p.running = append(p.running, r)
	return r
}

// The bar is drawn as `text  45% |███     | `: these columns besides the text and itself.
const (
	barFrame   = 10
	barWidth   = 12   // at most
	leastWidth = 4    // of a bar that says anything
	barSteps   = 1000 // a tenth of a percent
)

// clearLine is the terminal's command to clear the line from here on.
const clearLine = "\x1b[K"

// draw redraws the terminal's line. The last column stays empty: some terminals wrap when it is written.
func (p *Progress) draw() {
	room := p.width() - barFrame - 1
	text := p.text(room)
	width, ends := min(barWidth, room-utf8.RuneCountInString(text)), "|"
	if width < leastWidth {
		width, ends = 0, "" // the percentage is enough
	}
	bar := progressbar.NewOptions64(barSteps,
		progressbar.OptionSetWriter(io.Discard), // it would clear the line with spaces; and it asks for no width there
		progressbar.OptionSetWidth(width),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: " ", BarStart: ends, BarEnd: ends}),
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
	if left := p.left(); left != "" {
		text += ", " + left
	}
	var parts []string
	for _, r := range p.running {
		parts = append(parts, "; "+r.short())
		for i, fact := range r.facts() {
			parts = append(parts, [...]string{": ", ", ", ", "}[i]+fact)
		}
	}
	return fit(text, parts, columns)
}

// fit puts as many of the parts behind a text as there are columns for.
func fit(text string, parts []string, columns int) string {
	for _, part := range parts {
		if utf8.RuneCountInString(text+part) > columns {
			break
		}
		text += part
	}
	return text
}

// short is the task's name without what is the same for most of the tasks.
func (r *running) short() string {
	return strings.TrimSpace(r.status.Task.Panel.Name + " " + r.status.Task.Part)
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

// left is the time left for all tasks, once there is something to go by.
func (p *Progress) left() string {
	elapsed := time.Since(p.started)
	if p.work == 0 || elapsed < 2*time.Second {
		return ""
	}
	return short(time.Duration(float64(elapsed)*(p.total-p.skipped-p.work)/p.work)) + " left"
}

// facts are what there is to say of a task: the loss of the last window, the time left for it, and the speed.
func (r *running) facts() []string {
	if r.status.Compiling {
		return []string{"compiling"}
	}
	facts := r.losses()
	if done := r.status.Update - r.from; !r.since.IsZero() && done > 0 {
		rate := float64(done) / time.Since(r.since).Seconds()
		_, tests := worth(r.status.Task)
		left := float64(r.status.Task.Length.Total()-r.status.Update) + tests
		facts = append(facts, short(time.Duration(left/rate*float64(time.Second)))+" left",
			fmt.Sprintf("%.3g updates/s", rate))
	}
	return facts
}

// losses has the mean over each arm's trials, if there is one: "loss 0.5", or "loss standard 0.5 chrono 0.25".
func (r *running) losses() []string {
	if r.status.Losses == nil {
		return nil
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
		return []string{"loss " + means[0]}
	}
	text := "loss"
	for i := range names {
		text += " " + names[i] + " " + means[i]
	}
	return []string{text}
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

// cost is roughly proportional to the time that a task takes.
func cost(t *experiment.Task) float64 { return float64(t.Length.Total())*each(t) + after(t) }

// each is an update's part of the cost, with its part of the tests between updates, and after that of the tests after
// training: the elements of a batch's hidden states.
func each(t *experiment.Task) float64 {
	during, _ := worth(t)
	return during / float64(t.Length.Total()) * elements(t)
}

func after(t *experiment.Task) float64 {
	_, after := worth(t)
	return after * elements(t)
}

func elements(t *experiment.Task) float64 {
	batch, steps := t.Data.Shape()
	return float64(batch*steps*len(t.Trials)) * float64(t.Network.Units())
}
