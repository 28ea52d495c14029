package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"github.com/warptime/warptime/replication"
)

// Training curves are averaged over windows, at most this many, so that a curve of thousands of points is a line and not a smear.
const maxWindows = 150

// Curves draws one panel of training curves: each arm's loss against steps, the mean of its trials and their range. The record need not be finished,
// so that a notebook can draw it while it grows (replication.ReadPartial). The zero point of the loss is always shown; what is above
// one and a half times the memoryless loss is cut off, since the first steps are far above it.
func Curves(r *replication.Record) *plot.Plot {
	p := trainingPanel(taskName(r), r)
	for _, g := range groups(r) {
		p.Legend.Add(g.label, &curve{style: g.style})
	}
	p.Legend.Top = true
	p.Legend.Padding = 3
	return p
}

// trainingPanel is Curves without the legend.
func trainingPanel(title string, r *replication.Record, levels ...level) *plot.Plot {
	y := "training loss (nats)"
	if r.Figure == "fig4" {
		y = "mean squared error"
	}
	p := newPlot(title, "training steps", y)
	for _, g := range groups(r) {
		c := &curve{style: g.style}
		c.x, c.y, _ = windows(r.Series("train"), g.models)
		p.Add(c)
	}
	p.X.Min = 0
	if r.End != nil {
		p.X.Max = float64(r.End.Steps)
	} else if steps, ok := r.Number("steps"); ok {
		p.X.Max = steps // of a run in progress, how far it is
	}
	p.Y.Min = 0
	if memoryless, ok := r.Number("memoryless"); ok {
		l := level{y: memoryless, label: fmt.Sprintf("memoryless %.3g", memoryless), dashes: dashed}
		p.Add(l)
		p.Y.Max = 1.5 * memoryless
	}
	for _, l := range levels {
		p.Add(l)
	}
	if !(p.X.Max > p.X.Min) { // no points yet
		p.X.Max = 1
	}
	if !(p.Y.Max > p.Y.Min) || math.IsInf(p.Y.Max, 0) {
		p.Y.Max = 1
	}
	return p
}

// windows averages consecutive points of some models, weighted with the steps that each stands for, and returns the spread of their trials for each window, at the window's
// middle, and the steps of the widest window.
func windows(points []replication.Point, models []int) (x []float64, y []replication.Spread, widest int) {
	size := (len(points) + maxWindows - 1) / maxWindows
	before := 0
	for len(points) > 0 {
		n := min(size, len(points))
		first, values := before, make([]float64, len(models))
		last := points[n-1].Step
		for _, p := range points[:n] {
			for i, m := range models {
				values[i] += p.Values[m] * float64(p.Step-before) / float64(last-first)
			}
			before = p.Step
		}
		x = append(x, float64(first+last)/2)
		y = append(y, replication.SpreadOf(values))
		widest = max(widest, last-first)
		points = points[n:]
	}
	return
}

// A group is the trials of one curve.
type group struct {
	label  string
	models []int
	style  style
}

// groups returns a record's models by arm and swept value, in the order of their first appearance.
func groups(r *replication.Record) []group {
	var gs []group
	swept := 0
	for i, m := range r.Models {
		label := labels[m.Arm]
		if label == "" {
			label = m.Arm
		}
		if m.X != nil {
			label += fmt.Sprintf(", %g", *m.X)
		}
		at := slices.IndexFunc(gs, func(g group) bool { return g.label == label })
		if at < 0 {
			s, known := styles[m.Arm]
			if !known || m.X != nil {
				s = others[swept%len(others)]
				swept++
			}
			gs = append(gs, group{label: label, style: s})
			at = len(gs) - 1
		}
		gs[at].models = append(gs[at].models, i)
	}
	return gs
}

// taskName names the task of a record, with the T that was run.
func taskName(r *replication.Record) string {
	name := strings.TrimRight(r.Panel, "0123456789")
	if full, ok := taskNames[name]; ok {
		name = full
	}
	if t, ok := r.Number("T"); ok {
		name += fmt.Sprintf(", T = %g", t)
	}
	return name
}

var taskNames = map[string]string{"copy": "copy", "varcopy": "variable copy", "adding": "adding"}

// A trainingFigure has the same arms, standard and chrono, in every panel.
type trainingFigure struct {
	name    string
	panels  []string // as in the records
	titles  []string // as in the paper
	columns int
	levels  func(r *replication.Record) []level
	says    string // the caption's first part
}

func (t trainingFigure) draw(records []*replication.Record) *Figure {
	f := &Figure{Name: t.name, height: panelHeight}
	var used []panelRecords
	var row []*plot.Plot
	widest := 0
	for i, panel := range t.panels {
		r := largest(records, t.name, panel)
		title := "(" + letterOf(i) + ") "
		if r == nil {
			used = append(used, panelRecords{})
			row = append(row, notRun(title+t.titles[i]))
		} else {
			used = append(used, panelRecords{records: []*replication.Record{r}})
			title += taskName(r)
			if !strings.HasSuffix(t.titles[i], taskName(r)) {
				title += " (paper: " + t.titles[i][strings.LastIndex(t.titles[i], " ")+1:] + ")"
			}
			var levels []level
			if t.levels != nil {
				levels = t.levels(r)
			}
			row = append(row, trainingPanel(title, r, levels...))
			_, _, w := windows(r.Series("train"), nil)
			widest = max(widest, w)
		}
		if len(row) == t.columns {
			f.rows = append(f.rows, row)
			row = nil
		}
	}
	f.legend = []entry{
		{"standard initialization (forget bias 1)", &curve{style: styles["standard"]}},
		{"chrono initialization", &curve{style: styles["chrono"]}},
		{"best without memory", level{dashes: dashed}},
	}
	f.Caption = t.says
	if widest > 0 {
		f.Caption += fmt.Sprintf(" Lines are means over the trials, bands their range, both after averaging over windows of up to %d steps.", widest)
	}
	f.Caption += " " + conditions(used)
	f.drawn(used)
	return f
}

// notRun is a panel for which there is no record.
func notRun(title string) *plot.Plot {
	p := newPlot(title, "", "")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(nil), plot.ConstantTicks(nil)
	p.HideAxes()
	p.Add(note("not run"))
	return p
}
