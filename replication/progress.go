package replication

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows how far runs are: a bar for each on a terminal, else a line every so often. Its method Observe is for [Runner]; it may be
// called by several runners at the same time.
type Progress struct {
	out   io.Writer
	bars  bool
	every time.Duration // between two lines, or two looks at a bar's losses

	mu   sync.Mutex
	runs map[string]*runProgress
}

// NewProgress shows bars, for one run at a time, or lines.
func NewProgress(out io.Writer, bars bool) *Progress {
	p := &Progress{out: out, bars: bars, every: 10 * time.Second, runs: map[string]*runProgress{}}
	if bars {
		p.every = 200 * time.Millisecond
	}
	return p
}

// runProgress is what is known of one run.
type runProgress struct {
	bar            *progressbar.ProgressBar // nil for lines
	started, shown time.Time
	sum            []float64 // losses since they were last shown, [R]
	count          int
	arms           string // the losses as last shown
}

// Observe takes note of a run's status.
func (p *Progress) Observe(s Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := s.Run.String()
	r := p.runs[name]
	if r == nil {
		r = &runProgress{started: time.Now(), shown: time.Now()}
		p.runs[name] = r
		p.start(r, s)
	}
	if s.Losses != nil {
		if r.sum == nil {
			r.sum = make([]float64, len(s.Losses))
		}
		for i, loss := range s.Losses {
			r.sum[i] += loss
		}
		r.count++
	}
	last := s.Step == s.Run.Settings.Steps
	if time.Since(r.shown) < p.every && !last && !s.Done {
		return
	}
	if r.count > 0 {
		r.arms = armMeans(s.Run, r.sum, r.count)
		r.shown, r.sum, r.count = time.Now(), nil, 0
	}
	p.show(r, s)
	if s.Done {
		delete(p.runs, name)
	}
}

func (p *Progress) start(r *runProgress, s Status) {
	if !p.bars {
		from := ""
		if s.First > 0 {
			from = fmt.Sprintf(", from step %d", s.First)
		}
		fmt.Fprintf(p.out, "%s: %d models, %d steps%s\n", s.Run, len(s.Run.Models), s.Run.Settings.Steps, from)
		return
	}
	r.bar = progressbar.NewOptions(s.Run.Settings.Steps,
		progressbar.OptionSetWriter(p.out),
		progressbar.OptionSetDescription(s.Run.String()),
		progressbar.OptionSetWidth(20),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false), // it would count the steps of earlier processes; see pace
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(p.out) }),
	)
	r.bar.Set(s.First)
}

func (p *Progress) show(r *runProgress, s Status) {
	switch {
	case p.bars && s.Done:
		return // the bar is full since the last step
	case p.bars:
		r.bar.Describe(fmt.Sprintf("%s  %s%s", s.Run, r.arms, r.pace(s)))
		r.bar.Set(s.Step)
	case s.Done:
		fmt.Fprintf(p.out, "%s: done in %v\n", s.Run, time.Since(r.started).Round(time.Second))
	default:
		fmt.Fprintf(p.out, "%s: step %d/%d, %s%s\n", s.Run, s.Step, s.Run.Settings.Steps, r.arms, r.pace(s))
	}
}

// pace is the speed and the time left, by the steps that this process has done.
func (r *runProgress) pace(s Status) string {
	done := s.Step - s.First
	if done == 0 {
		return ""
	}
	perStep := time.Since(r.started) / time.Duration(done)
	left := perStep * time.Duration(s.Run.Settings.Steps-s.Step)
	return fmt.Sprintf(", %.3g steps/s, %v left", 1/perStep.Seconds(), left.Round(time.Second))
}

// armMeans shows the mean loss of each arm's models.
func armMeans(run *Run, sum []float64, count int) string {
	var text []string
	for i := 0; i < len(run.Models); {
		arm, total, n := run.Models[i].Arm, 0., 0
		for ; i < len(run.Models) && run.Models[i].Arm == arm; i++ {
			total += sum[i] / float64(count)
			n++
		}
		text = append(text, fmt.Sprintf("%s %.4f", arm, total/float64(n)))
	}
	return strings.Join(text, " ")
}
