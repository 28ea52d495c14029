package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/replication/record"
)

// A Figure is what is trained for one of a paper's figures.
type Figure struct {
	Paper  string // "warp": figures of two papers may have the same name
	Name   string // "fig3"
	Title  string // for a list of figures
	Panels []Panel
}

// ID is the figure's identifier, "warp/fig3".
func (f Figure) ID() string { return f.Paper + "/" + f.Name }

// A Panel is one set of axes: some arms trained on one task.
type Panel struct {
	Name  string // "copy500": with the paper's sizes, whatever the scale
	Of    string // the figure by whose name its records go, "beyond-long"; empty for that of its figure
	Title string // over the axes
	X, Y  string // what the axes show, with units
	Arms  []Arm

	// Target is the share of the memoryless loss at which a network counts as one that has learned, where the panel
	// shows how long that takes.
	Target float64

	Sizes map[record.Scale]Size
}

// TitleAt is the panel's title at a scale.
func (p Panel) TitleAt(scale record.Scale) string {
	if title := p.Sizes[scale].Title; title != "" {
		return title
	}
	return p.Title
}

// An Arm is one of the things that a panel compares.
type Arm struct {
	Name  string // in records and claims: "chrono"
	Label string // for a reader: "chrono initialization"
}

// A Size is a panel at one scale.
type Size struct {
	Title   string // in place of the panel's, which has the paper's sizes; empty if they are these
	Trials  int    // independently seeded models of each curve
	Data    string // what data it is, for a caption; empty where there is nothing to say
	StandIn bool   // the data stand in for the paper's: no claim is judged on them

	// Runs turns the seeds of the panel's trials into what has to be trained: every arm, and every value of a sweep,
	// once for each seed. Models that fit one graph are one run.
	Runs func(seeds []uint64) []Run
}

// A Run is an experiment, and which part of its panel it is. A panel that takes one graph has no parts.
type Run struct {
	Part string
	Experiment
}

// A Graph is the trials that are trained in one graph where a panel takes several: of each arm, those with the numbers
// From to To-1. The name of its part ends in Suffix.
type Graph struct {
	Suffix   string
	From, To int
}

// Graphs cuts trials into those of the first graph, and at most as many as more in each further one, whose suffixes are
// "-2", "-3" and so on.
func Graphs(trials, first, more int) []Graph {
	graphs := []Graph{{"", 0, min(first, trials)}}
	for from := first; from < trials; from += more {
		graphs = append(graphs, Graph{fmt.Sprintf("-%d", len(graphs)+1), from, min(from+more, trials)})
	}
	return graphs
}

// A Task is a run, and where it belongs.
type Task struct {
	Figure Figure
	Panel  Panel
	Scale  record.Scale
	Run
}

// Options are what a user may change about a declared experiment.
type Options struct {
	Scale  record.Scale
	Panel  string // only this one; empty: all
	Trials int    // 0: as declared
	Seed   uint64 // trial k has the seed 1000·Seed + k; 1 where a record is to be compared with ours
}

// Tasks returns what has to be trained for a figure, checked. An error is one line that says what is wrong.
func (f Figure) Tasks(o Options) ([]Task, error) {
	if !slices.Contains(record.Scales, o.Scale) {
		return nil, fmt.Errorf("unknown scale %q: choose from %q", o.Scale, record.Scales)
	}
	if o.Trials < 0 || o.Trials > maxTrials {
		return nil, fmt.Errorf("%d trials: want 1 to %d", o.Trials, maxTrials)
	}
	if o.Seed > maxSeed {
		return nil, fmt.Errorf("seed %d: want 0 to %d", o.Seed, uint64(maxSeed))
	}
	var tasks []Task
	for _, panel := range f.Panels {
		if o.Panel != "" && o.Panel != panel.Name {
			continue
		}
		size, ok := panel.Sizes[o.Scale]
		if !ok {
			return nil, fmt.Errorf("%s %s is not declared at scale %s", f.ID(), panel.Name, o.Scale)
		}
		seeds := make([]uint64, cmp.Or(o.Trials, size.Trials))
		for k := range seeds {
			seeds[k] = 1000*o.Seed + uint64(k)
		}
		for _, run := range size.Runs(seeds) {
			task := Task{f, panel, o.Scale, run}
			if err := run.Validate(); err != nil {
				return nil, fmt.Errorf("%s: %w", task, err)
			}
			tasks = append(tasks, task)
		}
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%s has no panel %q: choose from %q", f.ID(), o.Panel, f.PanelNames())
	}
	return tasks, nil
}

func (f Figure) PanelNames() []string {
	return xslices.Map(f.Panels, func(p Panel) string { return p.Name })
}

// String names the task: "warp/fig1 uniform-warp quick gated". It asks nothing of the experiment, so that an error can
// name a task whose experiment is impossible.
func (t Task) String() string { return t.Place().Name() }

// Place returns what of a record's header says which run it is.
func (t Task) Place() record.Header {
	h := t.Figure.place(t.Panel)
	h.Scale, h.Part = t.Scale, t.Part
	return h
}

// place is what of a header says which panel it is of.
func (f Figure) place(p Panel) record.Header {
	return record.Header{Paper: f.Paper, Figure: cmp.Or(p.Of, f.Name), Panel: p.Name}
}

// Has tells whether a record with this header is of a panel of the figure.
func (f Figure) Has(p Panel, h record.Header) bool {
	at := f.place(p)
	return at.Paper == h.Paper && at.Figure == h.Figure && at.Panel == h.Panel
}

// PanelOf returns the panel that a record with this header is of; false if it is of none of the figure's.
func (f Figure) PanelOf(h record.Header) (Panel, bool) {
	i := slices.IndexFunc(f.Panels, func(p Panel) bool { return f.Has(p, h) })
	if i < 0 {
		return Panel{}, false
	}
	return f.Panels[i], true
}

// Header returns the first line of the task's record, without the environment. The experiment must be valid.
func (t Task) Header(backend string) record.Header {
	h := t.Place()
	h.Trials, h.Updates, h.Window, h.Series = t.Trials, t.Length.Total(), t.Window, t.Series()
	h.Batch, h.Steps, _ = t.Data.Shape()
	h.Units = t.Network.Units()
	h.Experiment, h.Backend = Encode(t.Experiment), backend
	return h
}

// Find returns the figure of an identifier, "warp/fig3", or those of a name alone, "fig3" or "3": one of each paper
// that has it. A name by which only records go, "beyond-long", finds their panels of a figure.
func Find(figures []Figure, name string) ([]Figure, error) {
	var found []Figure
	var ids []string
	for _, f := range figures {
		ids = append(ids, f.ID())
		if name == f.ID() || name == f.Name || "fig"+name == f.Name {
			found = append(found, f)
			continue
		}
		f.Panels = slices.DeleteFunc(slices.Clone(f.Panels), func(p Panel) bool {
			return p.Of == "" || name != p.Of && name != f.Paper+"/"+p.Of
		})
		if len(f.Panels) > 0 {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("unknown figure %q: choose from %s", name, strings.Join(ids, ", "))
	}
	return found, nil
}
