// Package plan is what replicate and slurm share: flags that choose runs, the names of runs, and the order in which
// several machines train them.
package plan

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/command"
)

// A Choice is what a command line asks to train.
type Choice struct {
	Figures []experiment.Figure // those named, or all
	Options experiment.Options
	Scaled  bool     // the scale was named, or runs were, which have one
	Runs    []string // exactly these; nil unless they were named
	Backend string
	Out     string

	Unregistered bool // train at scale paper although the rules that judge the runs are not committed

	shard, shards int // shards is 0 if none was named
}

// Figures are those of all papers.
func Figures() []experiment.Figure { return papers.All.Trained() }

// Flags adds the flags of a choice. The function it returns completes the choice when they have been parsed.
func (c *Choice) Flags(flags *command.Flags) (complete func() error) {
	figures := flags.String("figure", "", "train only the figures with these `names`, separated by commas: warp/fig3, "+
		"or fig3 for Figure 3 of both papers (default all)")
	flags.StringVar(&c.Options.Panel, "panel", "", "train only the panel with this `name`, of one figure")
	flags.StringVar((*string)(&c.Options.Scale), "scale", string(record.Quick),
		"train at the scale with this `name`: quick (smaller networks and data; minutes on two cores), paper (the "+
			"paper's own sizes; hours for each panel) or, where a figure has it, reduced (between the two)")
	runs := flags.String("run", "", "train only the runs with these `names`, separated by commas, such as "+
		"warp/fig3/copy500.paper; -list -scale paper lists them")
	shard := flags.String("shard", "", "train only share `i/n` of the runs, i from 0 to n-1; shares take about "+
		"equally long, and are the same on every machine")
	flags.IntVar(&c.Options.Trials, "trials", 0, "train `n` independently seeded models of each curve (default: as "+
		"the figure declares)")
	flags.Uint64Var(&c.Options.Seed, "seed", 1, "draw the models and the data from seed `n`")
	flags.StringVar(&c.Backend, "backend", "", "compute with the engine of this `name`: xla:cuda, xla:cpu, simd, go, "+
		"or a GoMLX configuration (default $GOMLX_BACKEND, else the fastest available)")
	flags.BoolVar(&c.Unregistered, "unregistered", false, "train at scale paper although the rules that judge the "+
		"runs are not committed")
	flags.StringVar(&c.Out, "out", "out", "write figures to `dir` and records to dir/records")
	return func() (err error) {
		c.Scaled = flags.Given("scale") || *runs != ""
		for _, name := range []string{"figure", "panel", "scale"} {
			if *runs != "" && flags.Given(name) {
				return fmt.Errorf("-%s cannot be combined with -run, whose names include it", name)
			}
		}
		if *runs != "" {
			c.Runs = strings.Split(*runs, ",")
		}
		if *shard != "" {
			if c.shard, c.shards, err = parseShard(*shard); err != nil {
				return err
			}
		}
		c.Figures, err = choose(*figures)
		return err
	}
}

func parseShard(text string) (i, n int, err error) {
	_, err = fmt.Sscanf(text, "%d/%d", &i, &n)
	if err != nil || i < 0 || i >= n || fmt.Sprintf("%d/%d", i, n) != text {
		return 0, 0, fmt.Errorf("shard %q: want i/n with i from 0 to n-1, such as 0/4", text)
	}
	return i, n, nil
}

// choose finds the figures of these names, each once; all without a name.
func choose(names string) (chosen []experiment.Figure, err error) {
	if names == "" {
		return Figures(), nil
	}
	known := map[string]bool{}
	for name := range strings.SplitSeq(names, ",") {
		found, err := experiment.Find(Figures(), strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		for _, figure := range found {
			if !known[figure.ID()] {
				known[figure.ID()] = true
				chosen = append(chosen, figure)
			}
		}
	}
	return chosen, nil
}

// Part reports whether the choice names single runs, or a share of them: what others train is not there, so that
// nothing is drawn.
func (c *Choice) Part() bool { return c.Runs != nil || c.shards > 0 }

// RecordsDir is where the records go.
func (c *Choice) RecordsDir() string { return filepath.Join(c.Out, "records") }

// Tasks are what has to be trained.
func (c *Choice) Tasks() (tasks []experiment.Task, err error) {
	if c.Options.Panel != "" && len(c.Figures) > 1 {
		return nil, fmt.Errorf("-panel needs a single figure: name it with -figure, such as %s", c.Figures[0].ID())
	}
	for _, name := range c.Runs {
		task, err := c.find(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(tasks, func(t experiment.Task) bool { return Name(t) == name }) {
			return nil, fmt.Errorf("run %s is named twice", name)
		}
		tasks = append(tasks, task)
	}
	for _, figure := range c.Figures {
		if c.Runs != nil {
			break
		}
		t, err := figure.Tasks(c.Options)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t...)
	}
	if c.shards == 0 {
		return tasks, nil
	}
	share, _ := Deal(Costs(tasks), c.shards)
	var mine []experiment.Task // none, where there are more shares than runs
	for i, task := range tasks {
		if share[i] == c.shard {
			mine = append(mine, task)
		}
	}
	return mine, nil
}

// find returns the task of a run's name.
func (c *Choice) find(name string) (experiment.Task, error) {
	id, run := path.Split(name)
	panel, scale, _ := strings.Cut(run, ".")
	scale, _, _ = strings.Cut(scale, ".")
	o := c.Options
	o.Scale, o.Panel = record.Scale(scale), panel
	figures, _ := experiment.Find(c.Figures, strings.TrimSuffix(id, "/"))
	for _, figure := range figures {
		tasks, _ := figure.Tasks(o)
		for _, task := range tasks {
			if Name(task) == name {
				return task, nil
			}
		}
	}
	return experiment.Task{}, fmt.Errorf("unknown run %q: -list -scale quick lists the runs of a scale", name)
}

// Name is the name of a task's run: the path of its record without ".jsonl", warp/fig3/copy500.paper.
func Name(t experiment.Task) string {
	return strings.TrimSuffix(filepath.ToSlash(record.Path("", t.Place())), ".jsonl")
}

// Missing are the tasks without a complete record. It finds out whether the records that are there are theirs, and
// whether the data of the others are there.
func (c *Choice) Missing(tasks []experiment.Task) (missing []experiment.Task, err error) {
	for _, task := range tasks {
		header := task.Header("")
		done, err := run.Complete(record.Path(c.RecordsDir(), header), header)
		if err != nil {
			return nil, err
		}
		if done != nil {
			continue
		}
		if err := task.Ready(); err != nil {
			return nil, fmt.Errorf("%s: %w", task, err)
		}
		missing = append(missing, task)
	}
	return missing, nil
}

// Unclear warns, where tasks are of more than scale quick, that records will not name the commit that the program which
// trains them was built from (see [run.Commit]). Evidence has to.
func Unclear(tasks []experiment.Task, commit string) string {
	if slices.ContainsFunc(tasks, func(t experiment.Task) bool { return t.Scale != record.Quick }) {
		return unclear(commit)
	}
	return ""
}

func unclear(commit string) string {
	switch {
	case strings.Contains(commit, "+changes"):
		return fmt.Sprintf("Records will show that this program was built from modified files (%s)", commit)
	case commit == "unknown":
		return "Records will not name the commit that this program was built from: go build stores it, and " +
			"go run -buildvcs=true"
	}
	return ""
}

// Registered returns an error if the tasks' program, built from a commit, has rules that are not committed, and one of
// the tasks is of scale paper: what judges it has to be fixed before.
func (c *Choice) Registered(tasks []experiment.Task, commit string) error {
	if c.Unregistered {
		return nil
	}
	return registered(tasks, commit, papers.Unregistered())
}

// registered is Registered, given the hashes of claims' rules that are not in rules.txt.
func registered(tasks []experiment.Task, commit string, changed map[string]string) error {
	for _, t := range tasks {
		if t.Scale != record.Paper {
			continue
		}
		if strings.HasSuffix(commit, "+changes") {
			return errors.New("this program was built from modified files: commit them before a run of scale paper, " +
				"so that its rules are fixed before its results, or add -unregistered")
		}
		for claim := range papers.Rules(t.Header("")) {
			if hash := changed[claim]; hash != "" {
				return fmt.Errorf("%s: replication/papers/rules.txt lacks rule %s of claim %s: add and commit it, or "+
					"add -unregistered", Name(t), hash, claim)
			}
		}
	}
	return nil
}

// Count writes a number of things: "1 run", "3 runs".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
