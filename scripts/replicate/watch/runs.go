package watch

import (
	"cmp"
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

	mu       sync.Mutex
	known    map[string]*one     // by path under dir, without ".checkpoint"
	pictures map[string]*picture // of the last view, by address
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

// A picture is drawn when it is first asked for.
type picture struct {
	svg func() ([]byte, error)
	alt string
}

// look brings what is known up to date, and returns it in the order of the figures.
func (rs *runs) look() []*one {
	now := map[string]*one{}
	var all []*one
	for _, suffix := range []string{"", record.CheckpointPath("")} { // a complete record comes before an unfinished one
		paths, _ := fs.Glob(os.DirFS(rs.dir), "*/*/*.jsonl"+suffix)
		for _, name := range paths {
			info, err := os.Stat(filepath.Join(rs.dir, name))
			if err != nil {
				continue // it has just been completed
			}
			path := strings.TrimSuffix(name, suffix)
			if now[path] != nil {
				continue
			}
			version := fmt.Sprintf("%d-%d%s", info.Size(), info.ModTime().UnixNano(), suffix)
			r := rs.known[path]
			if r == nil || r.version != version {
				r = rs.read(path, suffix == "", version, info.ModTime())
			}
			if errors.Is(r.err, fs.ErrNotExist) {
				continue
			}
			now[path] = r
			all = append(all, r)
		}
	}
	rs.known = now
	slices.SortFunc(all, func(a, b *one) int {
		return cmp.Or(a.place()-b.place(), strings.Compare(a.path, b.path))
	})
	return all
}

func (rs *runs) read(path string, complete bool, version string, changed time.Time) *one {
	r := &one{path: path, complete: complete, version: version, changed: changed}
	file := filepath.Join(rs.dir, filepath.FromSlash(path))
	if complete {
		r.record, r.err = record.Read(file)
	} else {
		r.record, r.updates, r.err = record.ReadPartial(file)
	}
	if r.err == nil && r.place() < len(papers.All.Figures()) { // records of no figure are drawn by themselves
		_, r.err = experiment.Declared(papers.All.Trained(), r.record)
	}
	return r
}

// view is what the page shows.
type view struct {
	Dir, Out           string // of the records, and of what replicate calls -out
	Whole              *Whole // nil: nothing is known of what is still to be trained
	Training, Complete []card // panels
	Figures            []card
	Damaged            []line
	Runs, Over         int // in progress, and complete
}

// card is a picture and what is written beside it.
type card struct {
	Name, Address, Alt string
	Runs               []line
}

// line says how far a run is.
type line struct {
	Name, Says string
	Done, All  int // updates
}

// view brings what is known up to date.
func (rs *runs) view(now time.Time) view {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	v := view{Dir: printable.Text(rs.dir), Out: printable.Text(filepath.Dir(rs.dir))}
	pictures := map[string]*picture{}
	// show returns a card with its picture, which is drawn anew only if the runs on it have changed.
	show := func(name, address string, of []*one, draw func(records []*record.Record) *picture) card {
		c := card{Name: name}
		hash := sha256.New()
		var records []*record.Record
		for _, r := range of {
			fmt.Fprintln(hash, r.path, r.version)
			records, c.Runs = append(records, r.record), append(c.Runs, r.line(now))
		}
		c.Address = fmt.Sprintf("%s.svg?v=%x", address, hash.Sum(nil))
		p := rs.pictures[c.Address]
		if p == nil {
			p = draw(records)
		}
		pictures[c.Address], c.Alt = p, p.alt
		return c
	}
	var panels [][]*one
	figure := map[string][]*one{} // complete runs
	for _, r := range rs.look() {
		if r.err != nil {
			v.Damaged = append(v.Damaged, line{Name: printable.Text(r.path), Says: printable.Text(r.err.Error())})
			continue
		}
		if n := len(panels); n > 0 && panels[n-1][0].panel() == r.panel() {
			panels[n-1] = append(panels[n-1], r)
		} else {
			panels = append(panels, []*one{r})
		}
		if !r.complete {
			v.Runs++
			continue
		}
		v.Over++
		figure[r.figure()] = append(figure[r.figure()], r)
	}
	for _, of := range panels {
		c := show(of[0].panel(), "/curves/"+of[0].path, of, func(records []*record.Record) *picture {
			chart := papers.All.Growing(records)
			svg := sync.OnceValues(func() ([]byte, error) { return figures.PanelHover(chart) })
			return &picture{svg, figures.Alt(chart)}
		})
		if slices.ContainsFunc(of, func(r *one) bool { return !r.complete }) {
			v.Training = append(v.Training, c)
		} else {
			v.Complete = append(v.Complete, c)
		}
	}
	for _, f := range papers.All.Figures() {
		if of := figure[f.ID()]; of != nil {
			v.Figures = append(v.Figures, show(f.ID(), "/figures/"+f.ID(), of, func(records []*record.Record) *picture {
				page := f.Draw(records)
				return &picture{sync.OnceValues(page.Hover), page.Alt()}
			}))
		}
	}
	rs.pictures = pictures
	return v
}

// figure is the identifier of the run's figure: "warp/fig4".
func (r *one) figure() string { return r.record.Paper + "/" + r.record.Figure }

// panel says which panel the run is of, and at which scale: "warp/fig4 adding200 quick".
func (r *one) panel() string {
	h := r.record.Header
	h.Part = ""
	return h.Name()
}

// place is where the run's figure stands among those of all papers, with what is of none at the end.
func (r *one) place() int {
	all := papers.All.Figures()
	i := slices.IndexFunc(all, func(f figures.Figure) bool { return strings.HasPrefix(r.path, f.ID()+"/") })
	if i < 0 {
		return len(all)
	}
	return i
}

func (r *one) line(now time.Time) line {
	h := r.record.Header
	h.Backend = printable.Text(h.Backend)
	l := line{Name: h.Name(), All: h.Updates}
	if r.record.End != nil {
		l.Done = h.Updates
		l.Says = fmt.Sprintf("%d updates in %s on %s", h.Updates, duration(r.record.End.Seconds), h.Backend)
		return l
	}
	l.Says = fmt.Sprintf("%d updates on %s; no points yet", h.Updates, h.Backend)
	ago := now.Sub(r.changed)
	if l.Done = r.updates; l.Done > 0 {
		l.Says = fmt.Sprintf("update %d of %d on %s; last checkpoint %s ago", l.Done, h.Updates, h.Backend,
			duration(ago.Seconds()))
	}
	if silent(ago) {
		l.Says += "; interrupted?"
	}
	return l
}

// picture returns the picture of an address in the last view; nil if there is none.
func (rs *runs) picture(address string) *picture {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.pictures[address]
}

// silent reports whether a run has had no checkpoint, of which there is one a minute, for much longer than that.
func silent(ago time.Duration) bool { return ago > 5*time.Minute }

// duration writes a time: "3 s", "12 min", "2.5 h".
func duration(seconds float64) string {
	switch {
	case seconds < 100:
		return fmt.Sprintf("%.0f s", max(0, seconds))
	case seconds < 6000:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}
