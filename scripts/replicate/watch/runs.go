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
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// runs are the records under a directory, read again where their files have changed.
type runs struct {
	dir string

	mu    sync.Mutex
	known map[string]*one     // by path under dir, without ".checkpoint"
	drawn map[string]*picture // whole figures, by identifier
}

// one is a record, complete or as far as its run's last checkpoint has it.
type one struct {
	path     string // under dir, without ".checkpoint": warp/fig4/adding200.quick.jsonl
	complete bool
	version  string    // changes when the file does
	changed  time.Time // when it did
	record   *record.Record
	err      error
	curves   *picture
}

// picture is drawn when it is first asked for.
type picture struct {
	version string
	svg     func() ([]byte, error)
	alt     func() string
}

// look brings what is known up to date, and returns it in the order of the paths.
func (rs *runs) look() []*one {
	rs.mu.Lock()
	defer rs.mu.Unlock()
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
	slices.SortFunc(all, func(a, b *one) int { return strings.Compare(a.path, b.path) })
	return all
}

func (rs *runs) read(path string, complete bool, version string, changed time.Time) *one {
	r := &one{path: path, complete: complete, version: version, changed: changed}
	file := filepath.Join(rs.dir, filepath.FromSlash(path))
	if complete {
		r.record, r.err = record.Read(file)
	} else {
		r.record, r.err = record.ReadPartial(file)
	}
	if r.err == nil {
		r.curves = &picture{
			version: version,
			svg:     sync.OnceValues(func() ([]byte, error) { return figures.PanelSVG(papers.All.Curves(r.record)) }),
			alt:     sync.OnceValue(func() string { return figures.Alt(papers.All.Curves(r.record)) }),
		}
	}
	return r
}

// curves returns a run's picture; nil if there is no such run.
func (rs *runs) curves(path string) *picture {
	for _, r := range rs.look() {
		if r.path == strings.TrimSuffix(path, ".svg") {
			return r.curves
		}
	}
	return nil
}

// figure returns the picture of a figure that has complete runs; nil if none has.
func (rs *runs) figure(id string) *picture {
	id = strings.TrimSuffix(id, ".svg")
	var records []*record.Record
	sum := sha256.New()
	for _, r := range rs.look() {
		if r.complete && r.err == nil && r.record.Paper+"/"+r.record.Figure == id {
			records = append(records, r.record)
			sum.Write([]byte(r.path + r.version))
		}
	}
	if len(records) == 0 {
		return nil
	}
	version := fmt.Sprintf("%x", sum.Sum(nil)[:8])
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if p := rs.drawn[id]; p != nil && p.version == version {
		return p
	}
	f, err := papers.All.Figure(id)
	if err != nil {
		return nil // no figure is drawn of them
	}
	page := f.Draw(records)
	p := &picture{version: version, svg: sync.OnceValues(page.SVG), alt: sync.OnceValue(page.Alt)}
	if rs.drawn == nil {
		rs.drawn = map[string]*picture{}
	}
	rs.drawn[id] = p
	return p
}

// view is what the page shows.
type view struct {
	Dir               string
	Training          []card
	Figures           []card
	Complete, Damaged []card
}

// card is a picture and what is written below it.
type card struct {
	Name, Says, Address, Alt string
	Done, All                int // updates
}

func (rs *runs) view(now time.Time) view {
	v := view{Dir: rs.dir}
	var ids []string
	for _, r := range rs.look() {
		switch {
		case r.err != nil:
			v.Damaged = append(v.Damaged, card{Name: r.path, Says: r.err.Error()})
			continue
		case r.complete:
			v.Complete = append(v.Complete, r.card(now))
			if id := r.record.Paper + "/" + r.record.Figure; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		default:
			v.Training = append(v.Training, r.card(now))
		}
	}
	for _, id := range ids {
		if p := rs.figure(id); p != nil {
			address := "/figures/" + id + ".svg?v=" + p.version
			v.Figures = append(v.Figures, card{Name: id, Address: address, Alt: p.alt()})
		}
	}
	return v
}

func (r *one) card(now time.Time) card {
	h := r.record.Header
	address := "/curves/" + r.path + ".svg?v=" + r.curves.version
	c := card{Name: h.Name(), All: h.Updates, Address: address, Alt: r.curves.alt()}
	if r.record.End != nil {
		c.Done = h.Updates
		c.Says = fmt.Sprintf("%d updates in %s, on %s", h.Updates, duration(r.record.End.Seconds), h.Backend)
		return c
	}
	c.Says = fmt.Sprintf("%d updates, on %s; no point yet", h.Updates, h.Backend)
	ago := now.Sub(r.changed)
	if n := len(r.record.Points); n > 0 {
		c.Done = r.record.Points[n-1].Update
		c.Says = fmt.Sprintf("update %d of %d, on %s; last checkpoint %s ago", c.Done, h.Updates, h.Backend,
			duration(ago.Seconds()))
	}
	if silent(ago) {
		c.Says += ": interrupted?"
	}
	return c
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
