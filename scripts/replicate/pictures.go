package main

import (
	"fmt"
	"path/filepath"
	"sync"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
	"github.com/warptime/warptime/scripts/internal/command"
)

// Pictures are the figures that were asked for. Each is drawn as soon as its own runs are complete.
type pictures struct {
	records string // directory
	dir     string
	out     *command.Output

	mu     sync.Mutex
	left   map[string]int // runs that a figure waits for
	drawn  int
	first  string // the picture to open first
	failed error  // why a figure was not drawn: a damaged record of another figure must not end days of training
}

// start draws, if all figures were asked for, those that need no training.
func (p *pictures) start(all bool, tasks []experiment.Task) error {
	for _, task := range tasks {
		p.left[task.Figure.ID()]++
	}
	for _, f := range papers.All.Figures() {
		if all && p.left[f.ID()] == 0 {
			if err := p.draw(f); err != nil {
				return err
			}
		}
	}
	return nil
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

// draw draws a figure, unless none of the panels that it shows was run.
func (p *pictures) draw(f figures.Figure) error {
	records, err := readDeclared(p.records)
	if err != nil {
		return err
	}
	for _, page := range (figures.Papers{{Figures: []figures.Figure{f}}}).Draw(records, false) {
		if err := page.Save(p.dir); err != nil {
			return err
		}
		path := filepath.Join(p.dir, f.Paper, f.Name+".png")
		if p.drawn++; p.drawn == 1 || f.ID() == warp.Fig4.ID() { // which shows what W's idea is worth
			p.first = path
		}
		p.out.Note("Figure drawn: " + path)
	}
	return nil
}

// readDeclared reads the records in a directory. All can be drawn and judged.
func readDeclared(dir string) ([]*record.Record, error) {
	records, err := record.ReadAny(dir)
	if err == nil {
		err = experiment.CheckDeclared(papers.All.Trained(), records)
	}
	return records, err
}
