package watch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/internal/printable"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// runs are the records under a directory, read again where their files have changed.
type runs struct {
	dir string

	mu    sync.Mutex
	known map[string]*one // by path under dir, without ".checkpoint"
	cards map[string]card // of the last view, by address
}

// one is a record, complete or as far as its run's last checkpoint has it.
type one struct {
	path     string // under dir, without ".checkpoint": warp/fig4/adding200.quick.jsonl
	complete bool
	version  string    // changes when the file does
	changed  time.Time // when it did
	record   *record.Record
	updates  int // done by the last checkpoint
	err      error
}

// look brings what is known up to date, and returns it in the order of the paths.
func (rs *runs) look() (all []*one) {
	now := map[string]*one{}
	for _, suffix := range []string{"", record.CheckpointPath("")} { // a complete record comes before an unfinished one
		paths, _ := fs.Glob(os.DirFS(rs.dir), "*/*/*.jsonl"+suffix)
		for _, name := range paths {
			path := strings.TrimSuffix(name, suffix)
			info, err := os.Stat(filepath.Join(rs.dir, name))
			if err != nil || now[path] != nil {
				continue // it has just been completed
			}
			r := &one{path: path, complete: suffix == "", changed: info.ModTime(),
				version: fmt.Sprintf("%d-%d%s", info.Size(), info.ModTime().UnixNano(), suffix)}
			if known := rs.known[path]; known != nil && known.version == r.version {
				r = known
			} else {
				r.read(filepath.Join(rs.dir, filepath.FromSlash(path)))
			}
			if !errors.Is(r.err, fs.ErrNotExist) {
				now[path] = r
				all = append(all, r)
			}
		}
	}
	rs.known = now
	slices.SortFunc(all, func(a, b *one) int { return strings.Compare(a.path, b.path) })
	return all
}

func (r *one) read(file string) {
	if r.complete {
		r.record, r.err = record.Read(file)
	} else {
		r.record, r.updates, r.err = record.ReadPartial(file)
	}
	if r.err == nil {
		_, r.err = experiment.Declared(papers.All.Trained(), r.record)
	}
	if r.err == nil && filepath.ToSlash(record.Path("", r.record.Header)) != r.path {
		r.err = fmt.Errorf("record %s is in another place than its first line says", file)
	}
}

type view struct {
	Dir, Out           string // of the records, and of what replicate calls -out
	Training, Complete []card // panels
	Damaged            []string
	Runs, Over         int // in progress, and complete
}

type card struct {
	Name, Address, Alt string
	Runs               []line
	draw               func() ([]byte, error) // an SVG, once it is asked for
}

type line struct {
	Name, Says string
	Done, All  int // updates
}

func (rs *runs) view(now time.Time) view {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	v := view{Dir: printable.Text(rs.dir), Out: printable.Text(filepath.Dir(rs.dir))}
	var panels [][]*one
	for _, r := range rs.look() {
		switch n := len(panels); {
		case r.err != nil:
			v.Damaged = append(v.Damaged, printable.Text(r.err.Error()))
			continue
		case n > 0 && panels[n-1][0].record.PanelName() == r.record.PanelName():
			panels[n-1] = append(panels[n-1], r)
		default:
			panels = append(panels, []*one{r})
		}
		if r.complete {
			v.Over++
		} else {
			v.Runs++
		}
	}
	cards := map[string]card{}
	for _, of := range panels {
		var records []*record.Record
		var lines []line
		hash := sha256.New()
		for _, r := range of {
			fmt.Fprintln(hash, r.path, r.version)
			records, lines = append(records, r.record), append(lines, r.line(now))
		}
		address := fmt.Sprintf("/curves/%s.svg?v=%x", of[0].path, hash.Sum(nil)) // it changes with the runs
		c, ok := rs.cards[address]
		if !ok {
			chart := papers.All.Growing(records)
			draw := sync.OnceValues(figures.Single(chart).Inline)
			c = card{Name: records[0].PanelName(), Address: address, Alt: figures.Alt(chart), draw: draw}
		}
		c.Runs, cards[address] = lines, c
		if slices.ContainsFunc(of, func(r *one) bool { return !r.complete }) {
			v.Training = append(v.Training, c)
		} else {
			v.Complete = append(v.Complete, c)
		}
	}
	rs.cards = cards
	return v
}

func (r *one) line(now time.Time) line {
	h := r.record.Header
	l := line{Name: h.Name(), Done: r.updates, All: h.Updates}
	switch {
	case r.complete:
		took := time.Duration(r.record.End.Seconds * float64(time.Second))
		l.Done, l.Says = h.Updates, fmt.Sprintf("%d updates in %v", h.Updates, took.Round(time.Second))
	case r.updates == 0:
		l.Says = fmt.Sprintf("%d updates; no points yet", h.Updates)
	default:
		l.Says = fmt.Sprintf("update %d of %d; last checkpoint %v ago", r.updates, h.Updates,
			now.Sub(r.changed).Round(time.Second))
	}
	l.Says += " on " + printable.Text(h.Backend)
	return l
}
