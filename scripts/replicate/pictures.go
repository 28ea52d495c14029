package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/warp"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

// inOrder sorts tasks so that pictures come soon, and those that matter come first: the paper's figure that takes least
// time, then the one that shows what W's idea is worth, the papers' others, and ours.
func inOrder(tasks []experiment.Task) []experiment.Task {
	if len(tasks) == 0 {
		return nil
	}
	work := map[string]float64{} // by figure
	for i, cost := range plan.Costs(tasks) {
		work[tasks[i].Figure.ID()] += cost
	}
	rank := func(t experiment.Task) int {
		switch {
		case t.Figure.ID() == mainFigure:
			return 1
		case strings.HasPrefix(t.Figure.Name, "fig"):
			return 2
		}
		return 3
	}
	soonest := slices.MinFunc(tasks, func(a, b experiment.Task) int {
		return cmp.Or(max(2, rank(a))-max(2, rank(b)), cmp.Compare(work[a.Figure.ID()], work[b.Figure.ID()]))
	}).Figure.ID()
	place := func(t experiment.Task) int {
		if t.Figure.ID() == soonest {
			return 0
		}
		return rank(t)
	}
	sorted := slices.Clone(tasks)
	slices.SortStableFunc(sorted, func(a, b experiment.Task) int { return place(a) - place(b) })
	return sorted
}

// mainFigure is the one to look at first: it shows what W's idea is worth.
var mainFigure = warp.Fig4.ID()

// Pictures are the figures that were asked for. Each is drawn as soon as its own runs are complete.
type pictures struct {
	records string // directory
	dir     string
	out     *command.Output

	mu     sync.Mutex
	left   map[string]int // runs that a figure waits for
	drawn  map[string]bool
	failed error // why a figure was not drawn: a damaged record of another figure must not end days of training
}

// draw starts with the figures that need no training.
func draw(c request, tasks []experiment.Task, out *command.Output) (*pictures, error) {
	p := &pictures{records: c.RecordsDir(), dir: c.Out, out: out, left: map[string]int{}, drawn: map[string]bool{}}
	for _, task := range tasks {
		p.left[task.Figure.ID()]++
	}
	for _, f := range papers.All.Figures() {
		if c.chosen(f.ID()) && p.left[f.ID()] == 0 {
			if err := p.draw(f); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// complete takes note of a run that is complete, and draws its figure if that was the last one.
func (p *pictures) complete(task experiment.Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := task.Figure.ID()
	if p.left[id]--; p.left[id] > 0 {
		return
	}
	f, err := papers.All.Figure(id)
	if err == nil {
		err = p.draw(f)
	}
	if err != nil {
		p.failed = fmt.Errorf("%s is not drawn: %w", id, err)
		p.out.Note(p.failed.Error())
	}
}

func (p *pictures) draw(f figures.Figure) error {
	if !f.Drawn() {
		return nil
	}
	records, err := readDeclared(p.records, f.ID())
	if err != nil {
		return err
	}
	if err := f.Draw(records).Save(p.dir); err != nil {
		return err
	}
	p.drawn[f.ID()] = true
	p.out.Note("Figure drawn: " + p.path(f))
	return nil
}

// path is where a figure's picture lies.
func (p *pictures) path(f figures.Figure) string { return filepath.Join(p.dir, f.Paper, f.Name+".png") }

// list has a line for each picture, and at last which of several to open first.
func (p *pictures) list() string {
	var drawn []figures.Figure
	width := 0
	for _, f := range papers.All.Figures() {
		if p.drawn[f.ID()] {
			drawn = append(drawn, f)
			width = max(width, len(p.path(f)))
		}
	}
	var b strings.Builder
	first := drawn[0]
	for _, f := range drawn {
		if f.ID() == mainFigure {
			first = f
		}
		if width+4 <= p.out.Columns()/2 {
			b.WriteString(command.Wrap(fmt.Sprintf("  %-*s  ", width, p.path(f)), f.Title, p.out.Columns()))
		} else {
			b.WriteString("  " + p.path(f) + "\n" + command.Wrap("      ", f.Title, p.out.Columns()))
		}
	}
	if len(drawn) > 1 {
		b.WriteString("Open this one first: " + p.path(first) + "\n")
	}
	return b.String()
}
