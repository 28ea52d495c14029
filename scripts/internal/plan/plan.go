// Package plan is what replicate and slurm share: flags that choose runs, the names of runs, and how long they took.
package plan

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
)

// A Choice is what a command line asks to train.
type Choice struct {
	Names   string // of figures, panels and runs, separated by commas; empty: all figures
	Scale   string // empty: quick
	Shard   string // "1/4"; empty: all
	Seed    uint64
	Backend string
	Out     string
}

// Flags adds the flags of a choice.
func (c *Choice) Flags(flags *flag.FlagSet) {
	flags.StringVar(&c.Names, "figure", "", "train only what has these `names`, separated by commas: a figure\n"+
		"(warp/fig3, or fig3 of both papers), a panel (warp/fig3/copy500) or a run\n"+
		"(warp/fig3/copy500.paper; -list shows their names)")
	flags.StringVar(&c.Scale, "scale", "", "train at the scale with this `name`: quick (the default: smaller\n"+
		"networks and data), paper (the paper's size) or, where a figure has it,\nreduced")
	flags.StringVar(&c.Shard, "shard", "", "train only share `i/n` of the runs, i from 0 to n-1; no figures are drawn")
	flags.Uint64Var(&c.Seed, "seed", 1, "draw the models and the data from seed `n`")
	flags.StringVar(&c.Backend, "backend", "", "compute with the engine of this `name`: xla:cuda, xla:cpu, simd,\n"+
		"go, or a GoMLX configuration (default $GOMLX_BACKEND, else the fastest available)")
	flags.StringVar(&c.Out, "out", "out", "write figures to `dir` and records to dir/records")
}

// Part reports whether the choice names single runs, or a share of them: what others train is not there, so that
// nothing is drawn.
func (c *Choice) Part() bool { return c.Shard != "" || strings.Contains(c.Names, ".") }

// RecordsDir is where the records go.
func (c *Choice) RecordsDir() string { return filepath.Join(c.Out, "records") }

// Tasks are what has to be trained, each once.
func (c *Choice) Tasks() (tasks []experiment.Task, err error) {
	var names []string
	for _, f := range papers.All.Trained() {
		names = append(names, f.ID())
	}
	if c.Names != "" {
		names = strings.Split(c.Names, ",")
	}
	for _, name := range names {
		found, err := c.named(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		for _, task := range found {
			if !slices.ContainsFunc(tasks, func(t experiment.Task) bool { return Name(t) == Name(task) }) {
				tasks = append(tasks, task)
			}
		}
	}
	if c.Shard == "" {
		return tasks, nil
	}
	var i, n int
	_, err = fmt.Sscanf(c.Shard, "%d/%d", &i, &n)
	if err != nil || i < 0 || i >= n || fmt.Sprintf("%d/%d", i, n) != c.Shard {
		return nil, fmt.Errorf("shard %q: want i/n with i from 0 to n-1, such as 0/4", c.Shard)
	}
	var mine []experiment.Task // none, where there are more shares than runs
	for k := i; k < len(tasks); k += n {
		mine = append(mine, tasks[k])
	}
	return mine, nil
}

func (c *Choice) named(name string) (tasks []experiment.Task, err error) {
	o := experiment.Options{Scale: record.Quick, Seed: c.Seed}
	if c.Scale != "" {
		o.Scale = record.Scale(c.Scale)
	}
	figure, run, isRun := strings.Cut(name, ".")
	if part := strings.Split(figure, "/"); len(part) == 3 && part[2] != "" {
		figure, o.Panel = part[0]+"/"+part[1], part[2]
	}
	if isRun {
		if c.Scale != "" {
			return nil, fmt.Errorf("-scale cannot be combined with run %s, whose name has its scale", name)
		}
		scale, _, _ := strings.Cut(run, ".")
		o.Scale = record.Scale(scale)
	}
	figures, err := experiment.Find(papers.All.Trained(), figure)
	if err != nil {
		return nil, err
	}
	for _, f := range figures {
		found, err := f.Tasks(o)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, found...)
	}
	if isRun {
		tasks = slices.DeleteFunc(tasks, func(t experiment.Task) bool { return Name(t) != name })
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("unknown run %q: -list -scale quick lists the runs of a scale", name)
	}
	return tasks, nil
}

// Name is the name of a task's run: the path of its record without ".jsonl", warp/fig3/copy500.paper.
func Name(t experiment.Task) string {
	return strings.TrimSuffix(filepath.ToSlash(record.Path("", t.Place())), ".jsonl")
}

// Seconds is how long a task took by our record of it; 0 if there is none.
func Seconds(t experiment.Task) float64 {
	r, err := record.Read(record.Path(papers.Committed, t.Place()))
	if err != nil {
		return 0
	}
	return r.End.Seconds
}

// LongestFirst sorts tasks by how long ours took. Those that we have no record of come first: most are larger.
func LongestFirst(tasks []experiment.Task) []experiment.Task {
	seconds := map[string]float64{}
	for _, t := range tasks {
		seconds[Name(t)] = cmp.Or(Seconds(t), math.Inf(1))
	}
	return slices.SortedStableFunc(slices.Values(tasks), func(a, b experiment.Task) int {
		return cmp.Compare(seconds[Name(b)], seconds[Name(a)])
	})
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

// Evidence returns an error if runs of scale paper are among the tasks and their program, built from a commit, has
// rules that are not committed: what judges a run has to be fixed before. It returns a note where records of more than
// scale quick, which may become evidence, will not name the commit that the program was built from (see [run.Commit]).
// Changed has the hashes of claims' rules that are not in rules.txt, by claim: papers.Unregistered().
func Evidence(tasks []experiment.Task, commit string, changed map[string]string) (note string, err error) {
	for _, t := range tasks {
		if t.Scale == record.Quick {
			continue
		}
		if strings.HasSuffix(commit, "+changes") && t.Scale == record.Paper {
			return "", errors.New("this program was built from modified files: commit them before a run of scale " +
				"paper, so that its rules are fixed before its results")
		}
		if !(record.Environment{Commit: commit}).Traceable() {
			note = fmt.Sprintf("Records will have %q for this program's commit, as it was built from modified files "+
				"or by go run: scripts/build.sh builds one that they name, from files that are committed", commit)
		}
		for claim := range papers.Rules(t.Header("")) {
			if hash := changed[claim]; hash != "" && t.Scale == record.Paper {
				return "", fmt.Errorf("%s: replication/papers/rules.txt lacks rule %s of claim %s: add and commit it",
					Name(t), hash, claim)
			}
		}
	}
	return note, nil
}

// Count writes a number of things: "1 run", "3 runs".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
