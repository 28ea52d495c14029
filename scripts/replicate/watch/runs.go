package watch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	err      error
}

// A picture is drawn when it is first asked for.
type picture struct {
	svg func() ([]byte, error)
	alt string
}

// look brings what is known up to date, and returns it in the order of the paths.
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
	return r
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

// view brings what is known up to date.
func (rs *runs) view(now time.Time) view {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	v := view{Dir: rs.dir}
	pictures := map[string]*picture{}
	// show completes a card by a picture, which is drawn anew only if its version is.
	show := func(c card, version string, draw func() *picture) card {
		c.Address += ".svg?v=" + version
		p := rs.pictures[c.Address]
		if p == nil {
			p = draw()
		}
		pictures[c.Address], c.Alt = p, p.alt
		return c
	}
	finished := map[string][]*record.Record{}
	versions := map[string]string{} // of the runs of a figure
	for _, r := range rs.look() {
		if r.err != nil {
			v.Damaged = append(v.Damaged, card{Name: r.path, Says: r.err.Error()})
			continue
		}
		c := show(r.card(now), r.version, func() *picture {
			chart := papers.All.Curves(r.record)
			svg := sync.OnceValues(func() ([]byte, error) { return figures.PanelSVG(chart) })
			return &picture{svg, figures.Alt(chart)}
		})
		if !r.complete {
			v.Training = append(v.Training, c)
			continue
		}
		v.Complete = append(v.Complete, c)
		id := r.record.Paper + "/" + r.record.Figure
		finished[id], versions[id] = append(finished[id], r.record), versions[id]+r.path+r.version
	}
	for _, id := range slices.Sorted(maps.Keys(finished)) {
		f, err := papers.All.Figure(id)
		if err != nil {
			continue // no figure is drawn of them
		}
		version := fmt.Sprintf("%x", sha256.Sum256([]byte(versions[id])))
		v.Figures = append(v.Figures, show(card{Name: id, Address: "/figures/" + id}, version, func() *picture {
			page := f.Draw(finished[id])
			return &picture{sync.OnceValues(page.SVG), page.Alt()}
		}))
	}
	rs.pictures = pictures
	return v
}

func (r *one) card(now time.Time) card {
	h := r.record.Header
	c := card{Name: h.Name(), All: h.Updates, Address: "/curves/" + r.path}
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
